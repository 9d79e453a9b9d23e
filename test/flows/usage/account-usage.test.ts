// Also runs on: Redis
import type { Store } from 'koa-gatehouse'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createUsage, reportUsage, type Usage } from '../../../src/usage.ts'
import { createGateway } from '../../../src/gateway.ts'
import { products } from '../../fixtures/products.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY_MS = 86_400_000
const NOON = Date.parse('2026-03-10T12:30:00Z')
const at = (time: string) => Date.parse(time) / 1000

/** Without the clock of the store, the tests decide about the time. */
function withoutClock(store: Store): Store {
  const copy = { ...store }
  delete copy.inspect
  return copy
}

describeEachStore('the usage of an account', (makeStore) => {
  const hosts: Host[] = []
  let data: string

  beforeEach(() => {
    data = crypto.randomUUID()
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
  })
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((each) => each.close()))
    vi.useRealTimers()
  })

  async function start(store = makeStore(data)) {
    let usage: Usage | undefined
    const host = await startHost({
      store: withoutClock(store),
      gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(usage.middleware())
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    hosts.push(host)
    if (!usage) throw new Error('not mounted')
    return Object.assign(host, { usage })
  }

  type Key = Awaited<ReturnType<Host['createApiKey']>>

  /** One token request, and a call of each target. */
  async function callAs(host: Awaited<ReturnType<typeof start>>, key: Key, ...targets: readonly string[]) {
    const { body } = await host.requestDirectToken(key)
    for (const target of targets) await host.call(target, String(body['access_token']))
    await host.usage.flush()
  }

  const READ = 'GET /invoices/list'
  const NOT_ALLOWED = 'GET /payments/list'

  it('is read from its own record: totals by hour with token requests apart, and its clients', async () => {
    const reads: string[] = []
    const store = makeStore(data)
    const host = await start({
      ...store,
      getMany(keys) {
        reads.push(...keys)
        return store.getMany(keys)
      },
    })
    const other = await start()
    const [key, second] = [await host.createApiKey(['invoices']), await host.createApiKey(['invoices'])]
    await callAs(host, key, READ, READ, NOT_ALLOWED)
    await callAs(other, key, READ)
    await callAs(other, second, READ)
    vi.setSystemTime(NOON + 3_600_000)
    await callAs(host, second, NOT_ALLOWED)
    await Promise.all([host.usage.flush(), other.usage.flush()])
    reads.length = 0
    const { usage } = host
    const period = { accountId: 'acme', from: at('2026-03-10T12:00:00Z') }
    const row = (hour: number, kind: string, outcome: string, count: number) => ({
      at: at(`2026-03-10T${hour}:00:00Z`),
      kind,
      outcome,
      count,
    })
    expect(await usage.list({ ...period, by: ['hour', 'kind', 'outcome'] })).toEqual([
      row(12, 'call', 'insufficient_scope', 1),
      row(12, 'call', 'ok', 4),
      row(12, 'token_request', 'issued', 3),
      row(13, 'call', 'insufficient_scope', 1),
      row(13, 'token_request', 'issued', 1),
    ])
    const clients = await usage.list({ ...period, by: ['client', 'kind', 'result'] })
    expect(clients).toHaveLength(6)
    expect(clients).toEqual(
      expect.arrayContaining([
        { clientId: key.client_id, kind: 'call', result: 'successful', count: 3 },
        { clientId: key.client_id, kind: 'call', result: 'rejected', count: 1 },
        { clientId: key.client_id, kind: 'token_request', result: 'successful', count: 2 },
        { clientId: second.client_id, kind: 'call', result: 'successful', count: 1 },
        { clientId: second.client_id, kind: 'call', result: 'rejected', count: 1 },
        { clientId: second.client_id, kind: 'token_request', result: 'successful', count: 2 },
      ]),
    )
    const asked = { ...period, clientIds: [second.client_id, 'key_unknown'] }
    expect(await usage.list({ ...asked, by: ['client', 'kind'] })).toEqual([
      { clientId: second.client_id, kind: 'call', count: 2 },
      { clientId: second.client_id, kind: 'token_request', count: 2 },
    ])
    expect(reads.filter((each) => each.includes(key.client_id))).toEqual([])
    expect(await usage.list({ accountId: 'other', by: ['client'] })).toEqual([])
  })

  it('adds up to the same after its days were merged, and when a write is repeated', async () => {
    const host = await start()
    const keys = [await host.createApiKey(['invoices']), await host.createApiKey(['invoices'])]
    for (const key of keys) await callAs(host, key, READ, NOT_ALLOWED)
    const list = async () => {
      const query = { accountId: 'acme', from: NOON / 1000, to: NOON / 1000 + 3600 } as const
      return [
        await host.usage.list({ ...query, by: ['operation', 'outcome'] }),
        await host.usage.list({ ...query, by: ['client', 'kind', 'outcome'] }),
      ]
    }
    const before = await list()
    expect(before[0]).toContainEqual({ operation: 'invoices:read', outcome: 'ok', count: 2 })
    vi.setSystemTime(NOON + 9 * DAY_MS)
    for (const key of keys) await callAs(host, key, READ)
    await host.usage.flush()
    expect(await list()).toEqual(before)
  })

  it('is added up from the clients that have called since the last time, and a failure stops no other account', async () => {
    const store = makeStore(data)
    const reads: string[] = []
    let failing: string | undefined
    const host = await start({
      ...store,
      getMany(keys) {
        reads.push(...keys)
        return store.getMany(keys)
      },
      set(key, ...values) {
        // The record of the first account.
        if (/^usage:\*[^:]/.test(key)) failing ??= key
        return key === failing ? Promise.reject(new Error('full')) : store.set(key, ...values)
      },
    })
    const [key, second, silent] = [
      await host.createApiKey(),
      await host.createApiKey(),
      await host.createApiKey(),
    ]
    const created = { accountId: 'other', name: 'Other', products: ['invoices'] }
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create(created)
    const other = { client_id: apiKey.clientId, client_secret: clientSecret ?? '' }
    for (const each of [key, second, other]) await callAs(host, each, READ)
    const countOf = async (accountId: string) =>
      (await host.usage.list({ accountId, by: ['kind'] }))[0]?.count
    expect([await countOf('acme'), await countOf('other')]).toEqual([undefined, 1])
    failing = ''
    await callAs(host, key, READ)
    expect([await countOf('acme'), await countOf('other')]).toEqual([3, 1])
    const readsOfSilent = () => reads.filter((each) => each.startsWith(`usage:${silent.client_id}`)).length
    expect(readsOfSilent()).toBeGreaterThan(0)
    reads.length = 0
    await callAs(host, key, READ)
    expect(await countOf('acme')).toBe(4)
    expect(readsOfSilent()).toBe(0)
  })

  it('names its 100 busiest clients, the others together, and each of some clients that are asked for', async () => {
    const host = await start()
    const keys = await Promise.all(Array.from({ length: 102 }, () => host.createApiKey(['invoices'])))
    const [busy, second, ...idle] = keys as [Key, Key, ...Key[]]
    for (const key of keys) await host.requestDirectToken(key)
    await callAs(host, busy, READ)
    await callAs(host, second, READ)
    await host.usage.flush()
    const rows = await host.usage.list({ accountId: 'acme', by: ['client'] })
    expect(rows).toHaveLength(101)
    expect(rows).toContainEqual({ clientId: busy.client_id, count: 3 })
    expect(rows).toContainEqual({ clientId: 'further clients', count: 2 })
    const clientIds = idle.slice(-50).map((each) => each.client_id)
    expect(await host.usage.list({ accountId: 'acme', clientIds, by: ['client'] })).toHaveLength(50)
    // Also for clients of other accounts.
    const query = { accountId: 'other', clientIds: [busy.client_id], by: ['client', 'operation'] } as const
    expect(await host.usage.list(query)).toEqual([])
    await expect(host.usage.list({ clientIds })).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    expect(await host.usage.topClients({ limit: 100 })).toHaveLength(100)
  })

  it('names the clients with the most rejected and failed calls of the last 24 hours, with the last hour', async () => {
    const host = await start()
    const [key, second] = [await host.createApiKey(['invoices']), await host.createApiKey(['invoices'])]
    await callAs(host, key, NOT_ALLOWED, NOT_ALLOWED)
    vi.setSystemTime(NOON + DAY_MS)
    await callAs(host, key, READ, NOT_ALLOWED, NOT_ALLOWED)
    vi.setSystemTime(NOON + DAY_MS + 3_600_000)
    await callAs(host, key, NOT_ALLOWED)
    await host.requestDirectToken({ ...second, client_secret: 'wrong' })
    await host.usage.flush()
    expect(await host.usage.problemsOf('acme')).toEqual([
      {
        clientId: key.client_id,
        kind: 'call',
        result: 'rejected',
        outcome: 'insufficient_scope',
        count: 3,
        lastAt: at('2026-03-11T13:00:00Z'),
      },
      {
        clientId: second.client_id,
        kind: 'token_request',
        result: 'rejected',
        outcome: 'invalid_client',
        count: 1,
        lastAt: at('2026-03-11T13:00:00Z'),
      },
    ])
    expect(await host.usage.problemsOf('acme', { limit: 1 })).toHaveLength(1)
  })

  it('has the calls at gateways in other processes, and those of deleted clients', async () => {
    vi.useRealTimers()
    const host = await start()
    const [key, server] = [await host.createApiKey(['invoices']), await host.createApiKey([])]
    await host.gatehouse.apiKeys.setResourceServer(server.client_id, true)
    const gateway = createGateway({ issuer: host.issuer, audience: host.audience, products })
    reportUsage(gateway, {
      uri: `${host.issuer}/oauth2/usage`,
      clientId: server.client_id,
      clientSecret: server.client_secret,
      intervalSeconds: 3600,
    })
    const { body } = await host.requestDirectToken(key)
    const authorization = `Bearer ${String(body['access_token'])}`
    await gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers: { authorization } })
    await gateway.close()
    await host.usage.flush()
    await host.gatehouse.apiKeys.delete(key.client_id)
    await callAs(host, await host.createApiKey(['invoices']))
    const rows = await host.usage.list({ accountId: 'acme', by: ['client', 'outcome'] })
    expect(rows).toContainEqual({ clientId: key.client_id, outcome: 'accepted', count: 1 })
    expect(await host.usage.list({ accountId: 'acme', by: ['outcome'] })).toEqual([
      { outcome: 'accepted', count: 1 },
      { outcome: 'issued', count: 2 },
    ])
  })

  it('is deleted when the account is erased, and no process stores it again', async () => {
    const [host, other] = [await start(), await start()]
    const key = await host.createApiKey(['invoices'])
    await callAs(host, key, READ)
    vi.setSystemTime(NOON + 9 * DAY_MS)
    await callAs(host, key, READ)
    const { body } = await other.requestDirectToken(key)
    const list = () => host.usage.list({ accountId: 'acme', from: NOON / 1000 })
    expect(await list()).not.toEqual([])
    await host.gatehouse.accounts.erase({ accountId: 'acme' })
    expect(await list()).toEqual([])
    await other.call(READ, String(body['access_token']))
    await Promise.all([host.usage.flush(), other.usage.flush()])
    expect(await list()).toEqual([])
  })

  it('is complete again after a write of its record has failed', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start(faulty.store)
    const key = await host.createApiKey(['invoices'])
    for (const fault of ['rejected', 'unanswered', undefined] as const) {
      if (fault) faulty.arm('set usage:*', fault)
      await callAs(host, key, READ)
    }
    expect(await host.usage.list({ accountId: 'acme', by: ['kind'] })).toEqual([
      { kind: 'call', count: 3 },
      { kind: 'token_request', count: 3 },
    ])
  })
})
