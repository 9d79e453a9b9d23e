import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host } from '../../support/host.ts'
import type { MakeStore } from '../../support/stores.ts'
import {
  principalOf,
  call,
  waitUntilRevoked,
  startWithGateways,
  type HostAndGateways,
} from './gateway-setup.ts'

/** Makes stores that share their data. */
function sharedMemory(): MakeStore {
  const store = memoryStore()
  return () => store
}

describe('staleness of a gateway in another process', () => {
  let all: HostAndGateways
  beforeEach(async () => {
    all = await startWithGateways(sharedMemory())
  })
  afterEach(() => all.close())

  it.each([
    ['a wrong secret', () => ({ ...all.resourceServer, clientSecret: 'wrong' }), 'revocations.clientSecret'],
    ['an unknown API key', () => ({ clientId: 'unknown', clientSecret: 'x' }), 'revocations.clientId'],
    ['an API key that is not a resource server', undefined, 'setResourceServer'],
  ])('a gateway with %s answers 503, and its log names the remedy', async (_, credentials, hint) => {
    const plain = await all.host.createApiKey(['invoices'])
    const { client_id: clientId, client_secret: clientSecret } = plain
    const gateway = all.open(credentials?.() ?? { clientId, clientSecret })
    await expect(gateway.ready()).rejects.toMatchObject({
      code: 'ERR_NOT_READY',
      message: expect.stringContaining(hint),
    })
    expect(await call(gateway, await all.directToken(plain))).toMatchObject({ ok: false, status: 503 })
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { stale: true } })
    const logged = all.warn.mock.calls.map(([details]) => (details as { reason: string }).reason).join()
    expect(logged).toContain(hint)
    expect(logged).not.toContain(clientSecret)
  })

  it('a gateway whose API key is no resource server any more serves for three poll intervals and then answers 503; later it fetches the missed revocations', async () => {
    const gateway = all.following['over HTTP']()
    const { apiKeys, tokens } = all.host.gatehouse
    const events: string[] = []
    gateway.on('revocations.stale', () => events.push('stale'))
    gateway.on('revocations.fresh', () => events.push('fresh'))
    const token = await all.directToken()
    await principalOf(gateway, token)
    await apiKeys.setResourceServer(all.resourceServer.clientId, false)
    await vi.waitFor(() => expect(events).toEqual(['stale']), 3000)
    await tokens.revoke(token)
    await principalOf(gateway, token)
    await vi.waitFor(
      async () =>
        expect(await call(gateway, token)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } }),
      4000,
    )
    expect(await gateway.health()).toMatchObject({ ready: false, status: 'fail' })
    await apiKeys.setResourceServer(all.resourceServer.clientId, true)
    await vi.waitFor(() => expect(events).toEqual(['stale', 'fresh']), 3000)
    await waitUntilRevoked(gateway, token)
  })

  it("with whenStale: 'reject', a stale gateway answers 503, and serves again once it is fresh", async () => {
    const faulty = faultyStore(all.sameStore())
    const gateway = all.open({
      store: faulty.store,
      pollIntervalSeconds: 1,
      whenStale: 'reject',
      maxStalenessSeconds: 2,
    })
    const token = await all.directToken()
    await principalOf(gateway, token)
    faulty.goAway()
    await vi.waitFor(
      async () =>
        expect(await call(gateway, token)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } }),
      { timeout: 5000, interval: 20 },
    )
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { stale: true } })
    faulty.comeBack()
    await vi.waitFor(() => principalOf(gateway, token), { timeout: 4000, interval: 20 })
  })
})

describe('the gateway inside a host', () => {
  let host: Host
  const faulty = faultyStore(memoryStore())
  beforeEach(async () => {
    host = await startHost({ store: faulty.store, gatehouse: { revocations: { pollIntervalSeconds: 1 } } })
    await host.gatehouse.ready()
  })
  afterEach(async () => {
    faulty.comeBack()
    await host.close()
  })

  it('when the store fails, the gateway inside a host also emits revocations.stale, and its health reports that the revocations are stale', async () => {
    const { gatehouse } = host
    const received: string[] = []
    gatehouse.on('revocations.stale', () => received.push('gatehouse'))
    gatehouse.gateway.on('revocations.stale', () => received.push('gateway'))
    faulty.goAway()
    await vi.waitFor(() => expect(received.toSorted()).toEqual(['gatehouse', 'gateway']), 3000)
    expect(await gatehouse.gateway.health()).toMatchObject({
      ready: true,
      revocations: { enabled: true, stale: true, count: 0 },
    })
  })
})
