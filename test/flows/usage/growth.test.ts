import { afterEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from '../../../adapters/memory.ts'
import { createUsage } from '../../../src/usage.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { createUsageRecords, dayOf } from '../../../src/parts/usage/usage-records.ts'
import { startHost } from '../../support/host.ts'

afterEach(() => void vi.useRealTimers())

/** A store that knows the bytes of its present values. */
function measuredStore(inner: Store) {
  const values = new Map<string, { readonly bytes: number; readonly until: number }>()
  const keep = (key: string, value: string, ttl = Infinity) =>
    values.set(key, { bytes: key.length + value.length, until: Date.now() + ttl * 1000 })
  const store: Store = {
    ...inner,
    async set(key, value, ttl) {
      await inner.set(key, value, ttl)
      keep(key, value, ttl)
    },
    async create(key, value, ttl) {
      const isDone = await inner.create(key, value, ttl)
      if (isDone) keep(key, value, ttl)
      return isDone
    },
    async replace(key, expected, value, ttl) {
      const isDone = await inner.replace(key, expected, value, ttl)
      if (isDone) keep(key, value, ttl)
      return isDone
    },
    async delete(key) {
      values.delete(key)
      return inner.delete(key)
    },
  }
  const bytes = () => {
    for (const [key, { until }] of values) if (until <= Date.now()) values.delete(key)
    return [...values.values()].reduce((sum, value) => sum + value.bytes, 0)
  }
  return { store, bytes, keys: () => values.size }
}

it('after the days that usage is kept, the store has stopped growing', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') })
  const { store, bytes, keys } = measuredStore(memoryStore())
  const records = createUsageRecords(store, { days: 60, hourDays: 7, now: Date.now, logger: silentLogger })
  const hours = Object.fromEntries(
    Array.from({ length: 24 }, (_, hour) => [
      hour,
      { 'invoices:read': { ok: 1000 }, 'payments:list': { ok: 50 } },
    ]),
  )
  const at: Record<number, { bytes: number; keys: number }> = {}
  for (let day = 1; day <= 150; day += 1) {
    const now = Date.now()
    for (const clientId of ['key_1', 'key_2', undefined]) {
      for (const source of ['one', 'two']) {
        const totals = { day: dayOf(now), source: `${source}${day}`, clientId, isFirst: true }
        await records.write({ ...totals, hours: JSON.stringify(hours) })
        await records.mergeOldDays(clientId)
      }
    }
    if (day % 10 === 0) at[day] = { bytes: bytes(), keys: keys() }
    vi.setSystemTime(now + 86_400_000)
  }
  // A record of a month lives until 60 days after the month.
  expect(at[150]?.bytes).toBeLessThanOrEqual(1.01 * Math.max(at[80]?.bytes ?? 0, at[90]?.bytes ?? 0))
  expect(at[150]?.keys).toBeLessThanOrEqual(Math.max(at[80]?.keys ?? 0, at[90]?.keys ?? 0))
  const days = await records.read('key_1', '1970-01-02', dayOf(Date.now()))
  expect(days.length).toBeLessThanOrEqual(80)
  // The days of today and of the week before: each with two sources.
  expect((await store.range('usage-days:key_1', { limit: 1000 })).length).toBeLessThanOrEqual(2 * 8)
})

it('usage is kept for 400 days by default', async () => {
  const noon = Date.parse('2026-01-01T12:00:00Z')
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  const { inspect: _, ...store } = memoryStore()
  const host = await startHost({
    store,
    gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
  })
  const usage = createUsage(host.gatehouse, { intervalSeconds: 3600 })
  const key = await host.createApiKey(['invoices'])
  await host.requestDirectToken(key)
  await usage.flush()
  const count = async () => (await usage.list({ from: noon / 1000 - 86_400, by: ['day'] })).length
  vi.setSystemTime(noon + 399 * 86_400_000)
  expect(await count()).toBe(1)
  vi.setSystemTime(noon + 402 * 86_400_000)
  expect(await count()).toBe(0)
  await host.close()
})
