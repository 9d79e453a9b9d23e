import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

/** Milliseconds after which a cache entry expires, with or without a message. */
const MAX_AGE_MS = 10_000
/**
 * Milliseconds within which a message must arrive. The limit allows for a slow machine and is well below `MAX_AGE_MS`.
 */
const MESSAGE_TIMEOUT_MS = 5000

describeEachStore('the client cache', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  /**
   * Starts two processes of one service.
   *
   * @param lost channels whose messages do not reach the second process
   */
  async function start({ lost = [] }: { lost?: readonly string[] } = {}) {
    const data = randomUUID()
    const here = await startHost({ store: makeStore(data) })
    const store = makeStore(data)
    const filtered: Store = {
      ...store,
      subscribe: (channel, listener, missed) =>
        store.subscribe(
          channel,
          (message) => (lost.includes(channel) ? undefined : listener(message)),
          missed,
        ),
    }
    let port = 0
    const there: Host = await startHost({
      store: filtered,
      origin: here.origin,
      fetch: (input, init) =>
        fetch(
          String(input instanceof Request ? input.url : input).replace(
            here.origin,
            `http://localhost:${port}`,
          ),
          init,
        ),
    })
    port = there.port
    hosts.push(here, there)
    await there.gatehouse.ready()
    return { here, there }
  }

  const scopesAt = async (host: Host, client: Client) => (await host.requestDirectToken(client)).body['scope']
  const statusAt = async (host: Host, client: Client) => (await host.requestDirectToken(client)).status

  /**
   * Waits until a process applies a change. The time limit proves that a message caused this, not an expired cache
   * entry.
   */
  async function expectSoon(check: () => Promise<void>): Promise<void> {
    const before = performance.now()
    await until(check, { timeoutMs: MESSAGE_TIMEOUT_MS })
    expect(performance.now() - before).toBeLessThan(MESSAGE_TIMEOUT_MS)
  }

  /** Makes cache entries older. */
  function elapse(ms: number): void {
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  }

  describe('a message about a changed client', () => {
    test('a message makes other processes reject a secret that was rotated without an overlap', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      const { clientSecret } = await here.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
      // The process that rotated the secret applies the change at once.
      expect(await statusAt(here, key)).toBe(401)
      await expectSoon(async () => expect(await statusAt(there, key)).toBe(401))
      expect(await statusAt(there, { ...key, client_secret: clientSecret })).toBe(200)
    })

    test('a message makes other processes reject a revoked secret', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      await here.gatehouse.apiKeys.rotateSecret(key.client_id)
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.revokeSecret(key.client_id, 'old')
      await expectSoon(async () => expect(await statusAt(there, key)).toBe(401))
    })

    test('a message makes other processes apply added and removed products', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey(['invoices'])
      expect(await scopesAt(there, key)).toBe('invoices:read invoices:create')
      await here.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
      await expectSoon(async () => expect(await scopesAt(there, key)).toContain('payments:list'))
      await here.gatehouse.apiKeys.removeProduct(key.client_id, 'invoices')
      await expectSoon(async () => expect(await scopesAt(there, key)).toBe('payments:list payments:transfer'))
    })

    test('a message makes other processes apply the disabling, enabling or deletion of a client', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      const { apiKeys } = here.gatehouse
      expect(await statusAt(there, key)).toBe(200)
      await apiKeys.disable(key.client_id)
      await expectSoon(async () => expect(await statusAt(there, key)).toBe(401))
      await apiKeys.enable(key.client_id)
      await expectSoon(async () => expect(await statusAt(there, key)).toBe(200))
      await apiKeys.delete(key.client_id)
      await expectSoon(async () => expect(await statusAt(there, key)).toBe(401))
    })

    test('a message makes other processes reject a client that is no longer a resource server', async () => {
      const { here, there } = await start()
      const server = await here.createApiKey()
      const { apiKeys } = here.gatehouse
      await apiKeys.setResourceServer(server.client_id, true)
      const feed = async () =>
        (await there.fetch(`${there.issuer}/oauth2/revocations`, { headers: basic(server) })).status
      expect(await feed()).toBe(200)
      await apiKeys.setResourceServer(server.client_id, false)
      await expectSoon(async () => expect(await feed()).toBe(403))
    })

    test('a message makes other processes accept the new redirect URIs of an application', async () => {
      const { here, there } = await start()
      const { client_id: clientId } = await here.createApplication()
      const redirect_uri = 'http://localhost:9/new'
      const ask = async () =>
        (await authorize(there, clientId, { parameters: { redirect_uri } })).callback.pathname
      expect(await ask()).not.toBe('/new')
      await here.gatehouse.applications.setRedirectUris(clientId, [redirect_uri])
      await expectSoon(async () => expect(await ask()).toBe('/new'))
    })

    test('a new client works in other processes at once, without a message', async () => {
      const { here, there } = await start({ lost: ['clients'] })
      const unknown = { client_id: 'key_later', client_secret: 'unknown' }
      expect(await statusAt(there, unknown)).toBe(401)
      const { clientSecret } = await here.gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'Key',
        products: ['invoices'],
        clientId: 'key_later',
      })
      expect(await statusAt(there, { client_id: 'key_later', client_secret: clientSecret })).toBe(200)
    })
  })

  describe('a lost message about a changed client', () => {
    test('without a message, another process applies a changed secret after ten seconds', async () => {
      const { here, there } = await start({ lost: ['clients'] })
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
      await until(async () => expect(await statusAt(here, key)).toBe(401))
      // The old secret still works there, so the second process really uses its cached client.
      expect(await statusAt(there, key)).toBe(200)
      elapse(MAX_AGE_MS)
      expect(await statusAt(there, key)).toBe(401)
    })

    test('if the message about a changed client is lost, a revocation makes other processes apply the change', async () => {
      const { here, there } = await start({ lost: ['clients'] })
      const [disabled, deleted, changed] = [
        await here.createApiKey(),
        await here.createApiKey(),
        await here.createApiKey(),
      ]
      for (const key of [disabled, deleted, changed]) expect(await statusAt(there, key)).toBe(200)
      const { apiKeys } = here.gatehouse
      await apiKeys.disable(disabled.client_id)
      await apiKeys.delete(deleted.client_id)
      await apiKeys.removeProduct(changed.client_id, 'payments')
      await expectSoon(async () => expect(await statusAt(there, disabled)).toBe(401))
      await expectSoon(async () => expect(await statusAt(there, deleted)).toBe(401))
      await expectSoon(async () =>
        expect(await scopesAt(there, changed)).toBe('invoices:read invoices:create'),
      )
    })

    test('a token that a stale process issues with a removed product is rejected at once', async () => {
      const { here, there } = await start({ lost: ['clients', 'revocations'] })
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.removeProduct(key.client_id, 'payments')
      const { body } = await there.requestDirectToken(key)
      // The second process still uses its cached client.
      expect(body['scope']).toContain('payments:list')
      expect(await here.call('GET /payments/list', String(body['access_token']))).toMatchObject({
        status: 401,
        body: { error: 'invalid_token' },
      })
      expect(here.reached).toEqual([])
      const fresh = await here.requestDirectToken(key)
      expect((await here.call('GET /invoices/list', String(fresh.body['access_token']))).status).toBe(200)
    })
  })
})
