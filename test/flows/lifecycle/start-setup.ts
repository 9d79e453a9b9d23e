import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createGatehouse, type Gatehouse, type GatehouseOptions, type Logger } from 'koa-gatehouse'
import { products } from '../../fixtures/products.ts'

export type Line = readonly [level: keyof Logger, message: string, details: object]

/** Makes a logger that records warnings and errors in `lines`. */
export function recordingLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = []
  const record = (level: keyof Logger) => (details: object, message: string) =>
    void lines.push([level, message, details])
  return { logger: { debug() {}, info() {}, warn: record('warn'), error: record('error') }, lines }
}

export const base = {
  issuer: 'http://localhost:3000/auth',
  audience: 'http://localhost:3000/api',
  secret: 'a secret for tests, long enough to be one',
  kycLevels: ['none', 'basic', 'verified'],
  products,
  accounts: { find: (accountId: string) => ({ id: accountId }) },
} as const

/** What the tests of a file have started. `endAll()` closes it. */
export const open: { close(): Promise<void> }[] = []
const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => void rejections.push(reason))

/** Closes everything that is open. Expects that no rejection was left unhandled. */
export async function endAll(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close()))
  await delay(20)
  expect(rejections.splice(0)).toEqual([])
}

export function gatehouseOn(options: Pick<GatehouseOptions, 'store'> & Partial<GatehouseOptions>): Gatehouse {
  const gatehouse: Gatehouse = createGatehouse({ ...base, ...(options as object) } as never)
  open.push(gatehouse)
  return gatehouse
}
