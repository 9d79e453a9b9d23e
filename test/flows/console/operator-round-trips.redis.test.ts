import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { fillTrail, LARGE_ACCOUNT } from '../../support/fill-trail.ts'
import { startSlowStore, type SlowStore } from '../../support/round-trips.ts'
import { openSmallPage } from './open-small-page.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const ENTRIES = 32_000
const CLIENTS = 500
const MAX_TRIPS = 5

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
    const created = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => create(`Key ${at}`)))
    clientId = created[0]?.apiKey.clientId ?? ''
    await host.gatehouse.audit.list({ limit: 1 })
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await slow?.close()
  })

  const account = encodeURIComponent(LARGE_ACCOUNT)

  it.each([
    ['the overview', LARGE_ACCOUNT, () => ''],
    ['what needs attention', LARGE_ACCOUNT, () => '/hygiene'],
    ['what needs attention anywhere', 'root', () => '/operator/hygiene'],
    ['the usage of all', 'root', () => '/operator/usage'],
    ['the usage of an account', LARGE_ACCOUNT, () => '/usage'],
    ['the usage of a client', LARGE_ACCOUNT, () => `/api-keys/${clientId}/usage`],
    ['the operations that are not called', LARGE_ACCOUNT, () => '/hygiene/operations'],
    ['the activity', LARGE_ACCOUNT, () => '/activity'],
    ['the whole trail', 'root', () => '/operator/audit'],
    ['the trail of an account', 'root', () => `/operator/audit?by=account&value=${account}`],
    ['the trail of an author', 'root', () => '/operator/audit?by=actor&value=person-7'],
    ['the page of a client', 'root', () => `/operator/clients/${clientId}`],
    ['the page of an account', 'root', () => `/operator/accounts/${account}`],
    ['the page of a user', 'root', () => `/operator/accounts/${account}/users/ann`],
    ['the confirmation before everything is revoked', 'root', () => `/operator/accounts/${account}/revoke`],
    ['the signing keys', 'root', () => '/operator/signing-keys'],
    ['the start page of operators', 'root', () => '/operator'],
  ])('%s costs at most five round trips, and is small', async (_name, person, pathOf) => {
    const { trips } = await openSmallPage(host.visit(person), `/console${pathOf()}`, slow)
    expect(trips.length).toBeLessThanOrEqual(MAX_TRIPS)
  })
})
