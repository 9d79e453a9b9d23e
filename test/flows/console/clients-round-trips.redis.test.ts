import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { importKeys } from '../../support/import-keys.ts'
import { startSlowStore, type SlowStore } from '../../support/round-trips.ts'
import { openSmallPage } from './open-small-page.ts'
import { until } from '../../support/until.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** As many keys as an account may have by default. Each further 500 cost one more read of each kind. */
const COUNT = 499
const MAX_TRIPS = 5

describeWithRedis('pages of an account with 500 API keys', () => {
  let slow: SlowStore
  let host: ConsoleHost
  let clientId = ''
  beforeAll(async () => {
    slow = await startSlowStore()
    host = await startConsole({ store: slow.store, gatehouse: { storeTimeoutMs: 5000 } })
    const first = await host.createApiKey()
    ;[clientId = ''] = await importKeys(host.gatehouse, first.client_id, COUNT, (number) => `Key ${number}`)
    await host.gatehouse.audit.list({ limit: 1 })
    // The work that indexes older clients in the background reads the same lists.
    await until(async () => expect(await slow.store.get('clients-indexed')).toBe('1'))
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await slow?.close()
  })

  const open = (path: string) => openSmallPage(host.visit('acme'), path, slow)

  it.each([
    ['the list', () => '/console/api-keys'],
    ['an API key', () => `/console/api-keys/${clientId}`],
    ['the form for a new API key', () => '/console/api-keys/new'],
    ['the confirmation before an API key is deleted', () => `/console/api-keys/${clientId}/delete`],
  ])('%s costs at most five round trips, and is small', async (_name, pathOf) => {
    const { trips } = await open(pathOf())
    expect(trips.length).toBeLessThanOrEqual(MAX_TRIPS)
  })

  it('the second page of the list costs at most five round trips too', async () => {
    const first = await open('/console/api-keys')
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1] ?? ''
    const second = await open(next)
    expect(second.trips.length).toBeGreaterThan(0)
    expect(second.trips.length).toBeLessThanOrEqual(MAX_TRIPS)
  })
})
