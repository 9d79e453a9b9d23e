import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { silentLogger } from '../../../src/host/logger.ts'
import { createUsageRecords, dayOf, daysBefore } from '../../../src/parts/usage/usage-records.ts'
import { startManagement, type ManagementHost } from './setup.ts'

let host: ManagementHost
afterEach(() => host.close())

/** Stores calls of many operations on each of the last days. */
async function storeCalls(
  records: ReturnType<typeof createUsageRecords>,
  clientId: string,
  { days, operations }: { days: number; operations: number },
) {
  const now = Date.now()
  const names = Array.from({ length: operations }, (_, at) => [`operation:${at}`, { ok: 1, aborted: 1 }])
  for (let back = 0; back < days; back += 1) {
    const totals = { day: daysBefore(dayOf(now), back), source: `source${back}`, clientId, isFirst: true }
    await records.write({ ...totals, hours: JSON.stringify({ 0: Object.fromEntries(names) }) })
  }
}

it('a list of more than 10,000 rows gets 422 that says how to ask for less', async () => {
  const store = memoryStore()
  host = await startManagement({ store })
  const { client_id: clientId } = await host.createApiKey(['invoices'])
  const records = createUsageRecords(store, { days: 400, hourDays: 31, now: Date.now, logger: silentLogger })
  await storeCalls(records, clientId, { days: 6, operations: 1000 })
  const { call } = host.api('acme')
  const { status, body } = await call(`GET /usage?clientId=${clientId}&by=day,operation,outcome`)
  expect(status).toBe(422)
  expect(body).toMatchObject({
    code: 'ERR_INVALID_ARGUMENT',
    detail: expect.stringMatching(
      /more than 10000 rows; name fewer dimensions in `by`, or a shorter time/,
    ) as string,
  })
  expect((await call(`GET /usage?clientId=${clientId}&by=operation,outcome`)).body.items).toHaveLength(2000)
})

it('while the usage of many clients is listed, the other work of the process goes on after each client', async () => {
  const store = memoryStore()
  host = await startManagement({ store })
  const records = createUsageRecords(store, { days: 400, hourDays: 7, now: Date.now, logger: silentLogger })
  for (let at = 0; at < 30; at += 1) {
    const { client_id: clientId } = await host.createApiKey(['invoices'])
    await storeCalls(records, clientId, { days: 2, operations: 3 })
  }
  let turns = 0
  let isListed = false
  const listing = host.usage
    .list({ accountId: 'acme', by: ['client', 'operation'] })
    .finally(() => (isListed = true))
  while (!isListed) {
    await nextTurn()
    turns += 1
  }
  expect(await listing).toHaveLength(90)
  expect(turns).toBeGreaterThanOrEqual(30)
})
