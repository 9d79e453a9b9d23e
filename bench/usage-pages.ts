/**
 * What it costs to read usage: an account with 100 API keys, each of which calls three operations in each six hours of 90
 * days, at two processes. A tenth of them have errors. For each page and list: the CPU of the server, the keys and indexes that are read, and the
 * bytes of the page. It starts its own Redis, and runs for about two minutes: `npm run build && node bench/usage-pages.ts`,
 * with Node 22.18 or later. On Node 20: `npm run build && node build.mjs bench/rolldown.config.ts && node build/bench/usage-pages.js`.
 */
import { Redis } from 'ioredis'
import type { Store } from 'koa-gatehouse'
import { redisStore } from '../adapters/redis.ts'
import { createConsole } from 'koa-gatehouse/console'
import { silentLogger } from '../src/host/logger.ts'
import { createAccountUsage } from '../src/parts/usage/account-usage.ts'
import { createUsageRecords, dayOf, subjectOfAccount } from '../src/parts/usage/usage-records.ts'
import { createUsage, type Usage } from 'koa-gatehouse/usage'
import { startConsole } from '../test/flows/console/setup.ts'
import { startRedis } from '../test/support/redis-server.ts'
import provideRsaKeys from '../test/support/rsa-keys.ts'
import { median } from './figures.ts'

const CLIENTS = 100
const DAYS = 90
const PROCESSES = ['first', 'second']
const DAY_MS = 86_400_000
const TURNS = 10
const ROUNDS = 5

await provideRsaKeys()
const server = await startRedis()
const redis = new Redis(server.url, { enableAutoPipelining: true })
let reads = 0
const store = countingReads(redisStore(redis))
let usage: Usage | undefined
const host = await startConsole({
  store,
  gatehouse: { storeTimeoutMs: 10_000 },
  mount(app, gatehouse) {
    usage = createUsage(gatehouse, { intervalSeconds: 3600 })
    app.use(createConsole(gatehouse, { usage }))
  },
})
const keys = await Promise.all(Array.from({ length: CLIENTS }, () => host.createApiKey()))
const clientIds = keys.map((key) => key.client_id)
await fill()

const { list, problemsOf } = usage as unknown as Usage
const now = Math.floor(Date.now() / 1000)
const account = { accountId: 'acme', to: now }
const visitor = host.visit('acme')
const page = (path: string) => async () => (await visitor.get(`/console${path}`)).body
const work: Record<string, () => Promise<unknown>> = {
  'page of the account': page('/usage'),
  'page of the account, 90 days': page('/usage?days=90'),
  'page of a client': page(`/api-keys/${clientIds[0]}/usage`),
  'account, 24 hours by hour': () =>
    list({ ...account, from: now - 23 * 3600, by: ['hour', 'kind', 'outcome'] }),
  'account, 7 days by hour': () =>
    list({ ...account, from: now - 7 * 86_400, by: ['hour', 'kind', 'outcome'] }),
  'account, 90 days by day': () =>
    list({ ...account, from: now - 89 * 86_400, by: ['day', 'kind', 'outcome'] }),
  'its clients in 30 days': () =>
    list({ ...account, from: now - 29 * 86_400, by: ['client', 'kind', 'result'] }),
  '50 clients in 7 days': () =>
    list({ ...account, clientIds: clientIds.slice(0, 50), from: now - 6 * 86_400, by: ['client', 'kind'] }),
  'problems of 24 hours': () => problemsOf('acme'),
  overview: page(''),
  'list of API keys': page('/api-keys'),
}
const file = /href="(\/console\/assets\/[^"]+)"/.exec(await page('/usage')())?.[1] ?? ''
const figures: Record<string, object> = {}
for (const [name, run] of Object.entries(work)) {
  reads = 0
  const result = await run()
  const isPage = typeof result === 'string'
  figures[name] = {
    reads,
    'CPU ms': Math.round((await cpuOf(run, isPage)) / 100) / 10,
    ...(isPage && { 'HTML bytes': Buffer.byteLength(result) }),
  }
}
console.log(`${CLIENTS} clients, ${DAYS} days, ${PROCESSES.length} processes, Node ${process.version}`)
console.table(figures)
await host.close()
redis.disconnect()
await server.stop()

async function fill(): Promise<void> {
  let clock = Date.now()
  const plain = createUsageRecords(store, { days: 400, hourDays: 7, now: () => clock, logger: silentLogger })
  const registry = { find: async () => ({ accountId: 'acme' }) as never }
  const { write, storeAccounts } = createAccountUsage({ registry, store, logger: silentLogger }, plain)
  const calls = {
    'POST /oauth2/token': { issued: 1 },
    'invoices:read': { ok: 1234 },
    'payments:list': { ok: 57 },
  }
  const problems = {
    'POST /oauth2/token': { issued: 1, invalid_client: 1 },
    'invoices:read': { ok: 17, rate_limited: 3 },
  }
  const hoursOf = (hour: number, at: number) => {
    const each = at % 10 === 0 ? problems : calls
    return JSON.stringify({ [hour]: each, [hour + 3]: each })
  }
  const today = clock
  for (let back = DAYS - 1; back >= 0; back -= 1) {
    clock = today - back * DAY_MS
    const day = dayOf(clock)
    for (const hour of [0, 6, 12, 18]) {
      for (const process of PROCESSES) {
        const totals = { day, source: `${process}${hour}`.padEnd(16, 'x'), isFirst: true }
        const writes = [...clientIds, undefined].map((clientId, at) =>
          write({ ...totals, clientId, hours: hoursOf(hour, at) }),
        )
        await Promise.all(writes)
        await storeAccounts()
      }
    }
    const subjects = [...clientIds, undefined, subjectOfAccount('acme')]
    if (back % 10 === 0) await Promise.all(subjects.map(plain.mergeOldDays))
  }
}

function countingReads(inner: Store): Store {
  return {
    ...inner,
    get(key) {
      reads += 1
      return inner.get(key)
    },
    getMany(keys) {
      reads += keys.length
      return inner.getMany(keys)
    },
    range(index, options) {
      reads += 1
      return inner.range(index, options)
    },
  }
}

/** CPU of this process, in µs: the median of some rounds; for a page, less that of a file, which is the client's. */
async function cpuOf(run: () => Promise<unknown>, isPage: boolean): Promise<number> {
  const own: number[] = []
  const files: number[] = [0]
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isPage) files.push(await cpuOfTurns(() => visitor.get(file)))
    own.push(await cpuOfTurns(run))
  }
  return median(own) - median(files)
}

async function cpuOfTurns(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let turn = 0; turn < TURNS; turn += 1) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TURNS
}
