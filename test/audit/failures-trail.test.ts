import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { auditOf } from './setup.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const wrongSecret = (clientId: string, address: string) =>
  ({ name: 'client_authentication.failed', clientId, address }) as const

it('equal failures within a minute are one entry with a count', async () => {
  const store = memoryStore()
  const audit = auditOf(store)
  for (let at = 0; at < 5; at += 1) audit.reject(wrongSecret('c', '192.0.2.1'))
  for (let at = 0; at < 3; at += 1) audit.reject(wrongSecret('c', `2001:db8::${at}`))
  audit.reject({ ...wrongSecret('d', '192.0.2.1'), userAgent: 'curl' })
  await vi.advanceTimersByTimeAsync(59_000)
  expect(await auditOf(store).list({ trail: 'failures' })).toEqual({ items: [] })
  await vi.advanceTimersByTimeAsync(2000)
  const { items } = await auditOf(store).list({ trail: 'failures' })
  const entry = {
    name: 'client_authentication.failed',
    outcome: 'failure',
    id: expect.any(String),
    at: expect.any(Number),
  }
  expect(items).toEqual([
    { ...entry, clientId: 'd', address: '192.0.2.1', userAgent: 'curl', count: 1 },
    { ...entry, clientId: 'c', address: '2001:db8:0:0::/64', count: 3 },
    { ...entry, clientId: 'c', address: '192.0.2.1', count: 5 },
  ])
  expect(await audit.list()).toEqual({ items: [] })
})
