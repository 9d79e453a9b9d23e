// Also runs on: Redis
import type { Context } from 'koa'
import type { Store } from 'koa-gatehouse'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createUsage, type Usage, type UsageOptions } from '../../../src/usage.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

function withoutClock(store: Store): Store {
  const copy = { ...store }
  delete copy.inspect
  return copy
}

const DAY_MS = 86_400_000
const NOON = Date.parse('2026-03-10T12:30:00Z')

describeEachStore('usage', (makeStore) => {
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

  async function start(
    options: UsageOptions = {},
    {
      store = makeStore(data),
      answer,
    }: { store?: ReturnType<typeof makeStore>; answer?: (ctx: Context) => void } = {},
  ): Promise<Host & { usage: Usage }> {
    let usage: Usage | undefined
    const host = await startHost({
      // Without the clock of the store, the tests decide about the time.
      store: withoutClock(store),
      gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
      mount(app, gatehouse) {
        // Long intervals: the tests store the counts themselves.
        usage = createUsage(gatehouse, { intervalSeconds: 3600, ...options })
        app.use(usage.middleware())
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(async (ctx, next) => {
          if (!answer) {
            await next()
            return
          }
          ctx.body = {}
          answer(ctx)
        })
      },
    })
    hosts.push(host)
    if (!usage) throw new Error('not mounted')
    return Object.assign(host, { usage })
  }

  async function tokenOf(host: Host, key: { client_id: string; client_secret: string }): Promise<string> {
    const { body } = await host.requestDirectToken(key)
    return String(body['access_token'])
  }

  it('lists the calls of a client by operation and outcome, and its token requests', async () => {
    const host = await start({}, { answer: (ctx) => (ctx.status = Number(ctx.query['status'] ?? 200)) })
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, key)
    for (const status of ['200', '201', '404', '422', '500']) {
      await host.call(`GET /invoices/list?status=${status}`, token)
    }
    await host.call('POST /invoices/create', token)
    await host.call('GET /payments/list', token)
    await host.call('GET /invoices/list', `${token}x`)
    await host.call('GET /invoices/list')
    await host.call('GET /nothing', token)
    await host.requestDirectToken({ ...key, client_secret: 'wrong' })
    await host.usage.flush()

    const at = Date.parse('2026-03-10T00:00:00Z') / 1000
    const by = ['day', 'operation', 'outcome'] as const
    const of = (operation: string, outcome: string, count: number) => ({ at, operation, outcome, count })
    expect(await host.usage.list({ clientId: key.client_id, by })).toEqual([
      of('POST /oauth2/token', 'invalid_client', 1),
      of('POST /oauth2/token', 'issued', 1),
      of('invoices:create', 'ok', 1),
      of('invoices:read', 'client_error', 2),
      of('invoices:read', 'ok', 2),
      of('invoices:read', 'server_error', 1),
      of('payments:list', 'insufficient_scope', 1),
    ])
    expect(await host.usage.list({ by })).toEqual([
      of('POST /oauth2/token', 'invalid_client', 1),
      of('POST /oauth2/token', 'issued', 1),
      of('invoices:create', 'ok', 1),
      of('invoices:read', 'client_error', 2),
      of('invoices:read', 'invalid_token', 1),
      of('invoices:read', 'missing_token', 1),
      of('invoices:read', 'ok', 2),
      of('invoices:read', 'server_error', 1),
      of('other operations', 'not_found', 1),
      of('payments:list', 'insufficient_scope', 1),
    ])
    expect(await host.usage.list({ accountId: 'acme', by: ['client'] })).toEqual([
      { clientId: key.client_id, count: 9 },
    ])
    expect(await host.usage.topClients()).toEqual([{ clientId: key.client_id, calls: 9 }])
  })

  it('counts revoked and expired tokens for their client', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    const [revoked, expired] = [await tokenOf(host, key), await tokenOf(host, key)]
    await host.gatehouse.tokens.revoke(revoked)
    await host.call('GET /invoices/list', revoked)
    await host.usage.flush()
    vi.setSystemTime(NOON + 11 * DAY_MS)
    await host.call('GET /invoices/list', expired)
    await host.usage.flush()
    const rows = await host.usage.list({ clientId: key.client_id, by: ['operation', 'outcome'] })
    expect(rows).toContainEqual({ operation: 'invoices:read', outcome: 'revoked_token', count: 1 })
    expect(rows).toContainEqual({ operation: 'invoices:read', outcome: 'expired_token', count: 1 })
  })

  it('token requests of a disabled or expired client count for it with the reason, and its right secret is not called wrong', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    const clientId = key.client_id
    const events: unknown[] = []
    host.gatehouse.on('token.rejected', (event) => events.push([event.clientId, event.reason]))
    host.gatehouse.on('client_authentication.failed', () => events.push('wrong secret'))
    await host.gatehouse.apiKeys.update(clientId, { expiresAt: NOON / 1000 + 60 })
    vi.setSystemTime(NOON + 61_000)
    const rejected = await host.requestDirectToken(key)
    expect([rejected.status, rejected.body['error_description']]).toEqual([
      401,
      (await host.requestDirectToken({ ...key, client_secret: 'wrong' })).body['error_description'],
    ])
    await host.gatehouse.apiKeys.disable(clientId)
    for (let time = 0; time < 12; time += 1) expect((await host.requestDirectToken(key)).status).toBe(401)
    expect(events).toEqual([
      [clientId, 'expired'],
      [clientId, 'expired'],
      'wrong secret',
      ...Array.from({ length: 12 }, () => [clientId, 'disabled']),
    ])
    await host.usage.flush()
    expect(await host.usage.list({ clientId, by: ['outcome'] })).toEqual([
      { outcome: 'client_disabled', count: 12 },
      { outcome: 'client_expired', count: 2 },
    ])
    const { items } = await host.gatehouse.audit.list({ clientId, trail: 'failures' })
    expect(items.map(({ name, reason, count }) => ({ name, reason, count }))).toEqual(
      expect.arrayContaining([
        { name: 'token.rejected', reason: 'client-expired', count: 1 },
        { name: 'client_authentication.failed', reason: undefined, count: 1 },
        { name: 'token.rejected', reason: 'client-disabled', count: 12 },
      ]),
    )
  })

  it('counts a call once that passes several guards, with the reason of the last one', async () => {
    let usage: Usage | undefined
    const host = await startHost({
      store: makeStore(data),
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(gatehouse.gateway.requireScope('invoices:read'))
        app.use(gatehouse.gateway.requireScope('payments:list'))
      },
    })
    hosts.push(host)
    const key = await host.createApiKey(['invoices'])
    await host.call('GET /invoices/list', await tokenOf(host, key))
    await usage?.flush()
    expect(await usage?.list({ clientId: key.client_id, by: ['operation', 'outcome'] })).toEqual([
      { operation: 'POST /oauth2/token', outcome: 'issued', count: 1 },
      { operation: 'invoices:read', outcome: 'insufficient_scope', count: 1 },
    ])
  })

  it('an operation that only a later guard or authenticate() names counts as called, without a further call', async () => {
    let usage: Usage | undefined
    const host = await startHost({
      store: withoutClock(makeStore(data)),
      gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(gatehouse.gateway.requireScope('payments:list'))
      },
    })
    hosts.push(host)
    const key = await host.createApiKey()
    const first = await tokenOf(host, key)
    await host.call('GET /invoices/list', first)
    await usage?.flush()
    vi.setSystemTime(NOON + 91 * DAY_MS)
    const token = await tokenOf(host, key)
    await host.call('GET /invoices/list', token)
    const authorization = `Bearer ${token}`
    await host.gatehouse.gateway.authenticate(
      { url: '/api/invoices/list', headers: { authorization } },
      { scope: ['invoices:read', 'payments:transfer'] },
    )
    await usage?.flush()
    expect(await usage?.uncalledOperations({ clientId: key.client_id })).toEqual(['invoices:create'])
    expect(
      await usage?.list({ clientId: key.client_id, from: NOON / 1000 + 91 * 86_400, by: ['outcome'] }),
    ).toEqual([
      { outcome: 'accepted', count: 1 },
      { outcome: 'issued', count: 1 },
      { outcome: 'ok', count: 1 },
    ])
  })

  it('a process does not store the address of a client that another process has deleted', async () => {
    const [one, other] = [await start({ keepAddresses: true }), await start({ keepAddresses: true })]
    const key = await one.createApiKey(['invoices'])
    await other.call('GET /invoices/list', await tokenOf(other, key))
    await one.gatehouse.apiKeys.delete(key.client_id)
    await vi.waitFor(async () => {
      expect((await other.requestDirectToken(key)).status).toBe(401)
    })
    await other.usage.flush()
    expect(await other.usage.lastAddress(key.client_id)).toBeUndefined()
  })

  it('a write that is applied late, and a lost entry of the list, hide nothing for longer than an hour', async () => {
    const store = makeStore(data)
    const faulty = faultyStore(withoutClock(store), { lateBy: 300 })
    const host = await start({}, { store: faulty.store })
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, key)
    await host.call('GET /invoices/list', token)
    faulty.arm(`set usage:${key.client_id}`, 'late')
    await host.usage.flush()
    for (let call = 0; call < 4; call += 1) await host.call('GET /invoices/list', token)
    await host.usage.flush()
    await faulty.settled()
    await host.usage.flush()
    const read = { operation: 'invoices:read', count: 5 }
    expect(await host.usage.list({ clientId: key.client_id, by: ['operation'] })).toContainEqual(read)
    const index = `usage-days:${key.client_id}`
    for (const member of await store.range(index, { limit: 10 })) await store.remove(index, member)
    expect(await host.usage.list({ clientId: key.client_id })).toEqual([])
    vi.setSystemTime(NOON + 3_600_000)
    await host.call('GET /invoices/list', token)
    await host.usage.flush()
    expect(await host.usage.list({ clientId: key.client_id, by: ['operation'] })).toContainEqual({
      ...read,
      count: 6,
    })
  })

  it('the id `*` names no client', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    await host.call('GET /invoices/list', await tokenOf(host, key))
    await host.usage.flush()
    expect(await host.usage.list({ clientId: '*' })).toEqual([])
  })

  it('counts what authenticate() accepts and rejects', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    const authorization = `Bearer ${await tokenOf(host, key)}`
    const { gateway } = host.gatehouse
    await gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers: { authorization } })
    await gateway.authenticate({ method: 'GET', url: '/api/payments/list', headers: { authorization } })
    await host.usage.flush()
    const rows = await host.usage.list({ clientId: key.client_id, by: ['operation', 'outcome'] })
    expect(rows).toContainEqual({ operation: 'invoices:read', outcome: 'accepted', count: 1 })
    expect(rows).toContainEqual({ operation: 'payments:list', outcome: 'insufficient_scope', count: 1 })
  })

  it('adds up what several processes have counted, and counts nothing twice if a write is repeated', async () => {
    const [host, other] = [await start(), await start()]
    const key = await host.createApiKey(['invoices'])
    const [token, otherToken] = [await tokenOf(host, key), await tokenOf(other, key)]
    for (let call = 0; call < 5; call += 1) {
      await host.call('GET /invoices/list', token)
      await other.call('GET /invoices/list', otherToken)
      await Promise.all([host.usage.flush(), other.usage.flush(), host.usage.flush()])
    }
    expect(await other.usage.list({ clientId: key.client_id, by: ['operation'] })).toEqual([
      { operation: 'POST /oauth2/token', count: 2 },
      { operation: 'invoices:read', count: 10 },
    ])
  })

  it('loses and doubles nothing while writes fail, although they may have been applied', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start({}, { store: faulty.store })
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, key)
    for (const fault of ['rejected', 'unanswered', undefined] as const) {
      await host.call('GET /invoices/list', token)
      if (fault) faulty.arm('set usage:', fault)
      await host.usage.flush()
    }
    expect(await host.usage.list({ clientId: key.client_id, by: ['operation'] })).toContainEqual({
      operation: 'invoices:read',
      count: 3,
    })
  })

  it('stores the last counts when the gatehouse closes', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    await host.call('GET /invoices/list', await tokenOf(host, key))
    await host.gatehouse.close()
    const other = await start()
    expect(await other.usage.list({ clientId: key.client_id, by: ['operation'] })).toContainEqual({
      operation: 'invoices:read',
      count: 1,
    })
  })

  it('keeps hours for a week, then days, and adds up to the same', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, key)
    for (const hour of [0, 1, 24]) {
      vi.setSystemTime(NOON + hour * 3_600_000)
      await host.call('GET /invoices/list', token)
      await host.usage.flush()
    }
    const { clientId, ...period } = { clientId: key.client_id, from: NOON / 1000 }
    const hours = await host.usage.list({ clientId, ...period, by: ['hour', 'operation'] })
    expect(hours.filter(({ operation }) => operation === 'invoices:read')).toEqual(
      [0, 1, 24].map((hour) => ({
        at: Math.floor((NOON + hour * 3_600_000) / 3_600_000) * 3600,
        operation: 'invoices:read',
        count: 1,
      })),
    )
    const days = await host.usage.list({ clientId, ...period, by: ['day'] })
    expect(days.map(({ count }) => count)).toEqual([3, 1])

    vi.setSystemTime(NOON + 9 * DAY_MS)
    const later = await start()
    await later.requestDirectToken(key)
    await later.usage.flush()
    expect((await later.usage.list({ clientId, ...period, by: ['day'] })).slice(0, 2)).toEqual(days)
    await expect(later.usage.list({ clientId, ...period, by: ['hour'] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining('hours are kept for 7 days') as string,
    })
  })

  it('two processes that merge the same day at once double and lose nothing', async () => {
    const all = [await start(), await start(), await start()]
    const [host] = all as [Host & { usage: Usage }]
    const key = await host.createApiKey(['invoices'])
    const tokens = await Promise.all(all.map((each) => tokenOf(each, key)))
    for (const [at, each] of all.entries()) await each.call('GET /invoices/list', tokens[at])
    await Promise.all(all.map(({ usage }) => usage.flush()))
    const days = await host.usage.list({ clientId: key.client_id, from: NOON / 1000 })
    vi.setSystemTime(NOON + 9 * DAY_MS)
    for (const [at, each] of all.entries()) await each.call('GET /invoices/list', tokens[at])
    await Promise.all(all.map(({ usage }) => usage.flush()))
    const after = await host.usage.list({ clientId: key.client_id, from: NOON / 1000 })
    expect(after.slice(0, days.length)).toEqual(days)
  })

  it('a clock that jumps across an hour and back loses and doubles nothing', async () => {
    const host = await start()
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, key)
    for (const minutes of [0, 60, -60, 60, 0, -1440, 0]) {
      vi.setSystemTime(NOON + minutes * 60_000)
      expect((await host.call('GET /invoices/list', token)).status).toBe(200)
      await host.usage.flush()
    }
    const rows = await host.usage.list({ clientId: key.client_id, by: ['operation'] })
    expect(rows).toContainEqual({ operation: 'invoices:read', count: 7 })
  })

  it('names the operations that a client has not called for 90 days, once usage is counted for so long', async () => {
    const host = await start()
    const key = await host.createApiKey()
    expect(await host.usage.uncalledOperations()).toBeUndefined()
    await host.call('POST /invoices/create', await tokenOf(host, key))
    await host.usage.flush()
    expect(await host.usage.uncalledOperations({ days: 1 })).toBeUndefined()
    vi.setSystemTime(NOON + 91 * DAY_MS)
    const later = await start()
    const token = await tokenOf(later, key)
    await later.call('GET /invoices/list', token)
    await later.usage.flush()
    const clientId = key.client_id
    expect(await later.usage.uncalledOperations({ clientId })).toEqual([
      'invoices:create',
      'payments:list',
      'payments:transfer',
    ])
    expect(await later.usage.uncalledOperations({ clientId, days: 91 })).not.toContain('invoices:create')
  })

  it('keeps the last address by option, and deletes it with the client and for an erased person', async () => {
    const plain = await start()
    const host = await start({ keepAddresses: true })
    const [key, other] = [await host.createApiKey(['invoices']), await host.createApiKey(['invoices'])]
    for (const each of [key, other]) {
      const token = await tokenOf(host, each)
      await host.call('GET /invoices/list', token)
      await plain.call('GET /invoices/list', token)
    }
    await host.usage.flush()
    expect(await host.usage.lastAddress(key.client_id)).toMatchObject({
      address: expect.stringMatching(/127\.0\.0\.1|::1/) as string,
      usedAt: Date.parse('2026-03-10T12:00:00Z') / 1000,
    })
    expect(await plain.usage.lastAddress(key.client_id)).toBeUndefined()
    Object.assign(host.app, { proxy: true, maxIpsCount: 1 })
    const authorization = `Bearer ${await tokenOf(host, key)}`
    const headers = { authorization, 'X-Forwarded-For': '203.0.113.9:51234' }
    await fetch(`${host.audience}/invoices/list`, { headers })
    await host.usage.flush()
    expect(await host.usage.lastAddress(key.client_id)).toMatchObject({ address: '203.0.113.9' })
    await host.gatehouse.apiKeys.delete(key.client_id)
    expect(await host.usage.lastAddress(key.client_id)).toBeUndefined()
    await host.gatehouse.accounts.erase({ accountId: 'acme' })
    expect(await host.usage.lastAddress(other.client_id)).toBeUndefined()
  })

  it('counts delegated access for the application', async () => {
    const host = await start()
    const application = await host.createApplication()
    const { code } = await authorize(host, application.client_id)
    const { body } = await host.token({ ...application, grant_type: 'authorization_code', code })
    await host.call('GET /invoices/list', String(body['access_token']))
    await host.usage.flush()
    const rows = await host.usage.list({ clientId: application.client_id, by: ['operation', 'outcome'] })
    expect(rows).toEqual([
      { operation: 'POST /oauth2/token', outcome: 'issued', count: 1 },
      { operation: 'invoices:read', outcome: 'ok', count: 1 },
    ])
  })
})
