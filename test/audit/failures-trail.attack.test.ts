import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { auditOf } from './setup.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const wrongSecret = (clientId: string, address: string) =>
  ({ name: 'client_authentication.failed', clientId, address }) as const

it('of a flood from many addresses, 10,000 different failures are kept, and the rest is counted', async () => {
  const audit = auditOf(memoryStore())
  await audit.record({ name: 'client.created' })
  for (let at = 0; at < 10_100; at += 1) audit.reject(wrongSecret(`c${at}`, '192.0.2.1'))
  const all = []
  for await (const { entry } of audit.read({ trail: 'failures' })) all.push(entry)
  expect(all).toHaveLength(10_001)
  expect(all.at(-1)).toMatchObject({ count: 100, reason: 'too-many-different-failures' })
  expect(all.at(-1)).not.toHaveProperty('clientId')
  expect((await audit.list()).items).toHaveLength(1)
})

it('a flood of failures exceeds only the bound of failures', async () => {
  const audit = auditOf(memoryStore(), { bounds: { maxFailures: 1000 } })
  await audit.record({ name: 'client.created' })
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 2000; at += 1) audit.reject(wrongSecret(`c${at}`, '192.0.2.1'))
    await audit.list({ trail: 'failures' })
  }
  let count = 0
  for await (const { entry } of audit.read({ trail: 'failures' })) count += Number(entry.count)
  expect(count).toBeGreaterThan(800)
  expect(count).toBeLessThanOrEqual(1016)
  expect((await audit.list()).items).toHaveLength(1)
})
