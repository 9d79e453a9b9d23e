import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import type { GatehouseErrorCode } from '../../src/errors.ts'
import { describeOnEachStore, services, type Stores } from './setup.ts'

/** The moment at which the clock stands still. */
export const START = Date.UTC(2030, 0, 1, 10, 30)

/** What a suite gets that is the same for API keys and applications. */
export interface EachKind {
  readonly kind: 'apiKey' | 'application'
  readonly stores: Stores
  /** One process: `service` is that of the kind under test, the rest stands beside it. */
  start: typeof start
  /** Creates a client of the kind under test, and forgets the event. */
  created: typeof created
}

type Process = ReturnType<typeof start>

function start(this: EachKind, store = this.stores.open(), options?: Parameters<typeof services>[1]) {
  const all = services(store, options)
  return { ...all, service: this.kind === 'apiKey' ? all.apiKeys : all.applications }
}

async function created(process: Process, input: object = {}) {
  const complete = { accountId: 'acme', name: 'Test', ...input }
  const result = await process.service.create(complete)
  process.heard.length = 0
  const client = 'apiKey' in result ? result.apiKey : result.application
  return { clientId: client.clientId, client, clientSecret: result.clientSecret }
}

/** API keys and applications are asked in the same way, so they are tested in the same way, on each store. */
export function describeEachKind(name: string, suite: (context: EachKind) => void): void {
  describe.each(['apiKey', 'application'] as const)(`${name} (%s)`, (kind) => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date'], now: START })
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    describeOnEachStore('', (stores) => suite({ kind, stores, start, created }))
  })
}

/** Does something many times at once, in turn in each of two processes. */
export async function atOnce<P>(
  processes: readonly [P, P],
  count: number,
  work: (process: P, index: number) => Promise<unknown>,
): Promise<{ done: number; rejected: number }> {
  const attempts = Array.from({ length: count }, (_, index) =>
    work(processes[index % 2 === 0 ? 0 : 1], index),
  )
  const outcomes = await Promise.allSettled(attempts)
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length
  return { done, rejected: count - done }
}

/** An error of ours. */
export function failure(code: GatehouseErrorCode, message: unknown = expect.any(String)): Error {
  return expect.objectContaining({ name: 'GatehouseError', code, message }) as Error
}
