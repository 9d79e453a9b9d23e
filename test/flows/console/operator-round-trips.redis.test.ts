import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { fillTrail, LARGE_ACCOUNT } from '../../support/fill-trail.ts'
import { startSlowStore, type SlowStore } from '../../support/round-trips.ts'
import { openSmallPage } from './open-small-page.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const ENTRIES = 32_000
const CLIENTS = 500
const MAX_TRIPS = 5
/** After the calls of an account or of all, these pages read those of the clients that they name. */
const WITH_CLIENTS = ['/console', '/console/usage', '/console/operator/usage']
const MAX_TRIPS_WITH_CLIENTS = 7

const PARTS = ['', '/access', '/secrets', '/restrictions', '/usage', '/activity', '/settings']

describeWithRedis('pages over a long audit trail and an account with 500 API keys', () => {
  let slow: SlowStore
  let host: ConsoleHost
  let clientId = ''
  beforeAll(async () => {
    slow = await startSlowStore()
    const { store } = slow
    await fillTrail(store, ENTRIES)
    host = await startConsole({
      store,
      gatehouse: { storeTimeoutMs: 5000, maxClientsPerAccount: CLIENTS },
      accounts: { find: (id) => ({ id, kycLevel: 'verified' }) },
    })
    const create = (name: string) =>
      host.gatehouse.apiKeys.create({ accountId: LARGE_ACCOUNT, name, products: ['invoices'] })
    // In groups, so that no write waits behind all others for longer than the timeout of the store.
    for (let at = 0; at < CLIENTS; at += 50) {
      const created = await Promise.all(Array.from({ length: 50 }, (_, next) => create(`Key ${at + next}`)))
      const [first] = created
      if (clientId !== '' || !first) continue
      clientId = first.apiKey.clientId
      const key = { client_id: clientId, client_secret: first.clientSecret }
      await host.callAs(key, 'GET /invoices/list', 'GET /payments/list')
    }
    await host.gatehouse.audit.list({ limit: 1 })
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await slow?.close()
  })

  const account = encodeURIComponent(LARGE_ACCOUNT)

  it('each page costs at most five round trips, those that name clients with their calls two more, and is small', async () => {
    const own: readonly string[] = [
      '',
      '/hygiene',
      '/hygiene/operations',
      '/usage',
      '/activity',
      '/api-keys',
      '/api-keys/new',
      ...PARTS.map((part) => `/api-keys/${clientId}${part}`),
      `/api-keys/${clientId}/delete`,
    ]
    const ofOperators = [
      '',
      '/hygiene',
      '/usage',
      '/audit',
      `/audit?by=account&value=${account}`,
      '/audit?by=actor&value=person-7',
      ...PARTS.map((part) => `/clients/${clientId}${part}`),
      `/accounts/${account}`,
      `/accounts/${account}/users/ann`,
      `/accounts/${account}/revoke`,
      '/signing-keys',
    ]
    const pages = [
      ...own.map((path) => [LARGE_ACCOUNT, `/console${path}`] as const),
      ...ofOperators.map((path) => ['root', `/console/operator${path}`] as const),
    ]
    const slowPages: unknown[] = []
    for (const [person, path] of pages) {
      const { trips } = await openSmallPage(host.visit(person), path, slow)
      const max = WITH_CLIENTS.includes(path) ? MAX_TRIPS_WITH_CLIENTS : MAX_TRIPS
      if (trips.length > max) slowPages.push([path, trips])
    }
    const first = await openSmallPage(host.visit(LARGE_ACCOUNT), '/console/api-keys', slow)
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1] ?? ''
    const second = await openSmallPage(host.visit(LARGE_ACCOUNT), next, slow)
    expect(second.trips.length).toBeGreaterThan(0)
    if (second.trips.length > MAX_TRIPS) slowPages.push([next, second.trips])
    expect(slowPages).toEqual([])
  })
})
