// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

/** Milliseconds after which a cache entry expires, with or without a message. */
const MAX_AGE_MS = 10_000
/**
 * Milliseconds within which a message must arrive. The limit allows for a slow machine and is well below
 * `MAX_AGE_MS`.
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
    const first = await startHost({ store: makeStore(data) })
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
    const second: Host = await startHost({
      store: filtered,
      origin: first.origin,
      fetch: (input, init) =>
        fetch(
          String(input instanceof Request ? input.url : input).replace(
            first.origin,
            `http://localhost:${port}`,
          ),
          init,
        ),
    })
    port = second.port
    hosts.push(first, second)
    await second.gatehouse.ready()
    return { first, second }
  }

  const scopesAt = async (host: Host, client: Client) => (await host.requestDirectToken(client)).body['scope']
  const statusAt = async (host: Host, client: Client) => (await host.requestDirectToken(client)).status

  /**
   * Waits until a process applies a change. The time limit is shorter than the lifetime of a cache entry. So
   * if the process applies the change in time, a message was the cause.
   */
  async function expectSoon(check: () => Promise<void>): Promise<void> {
    const before = performance.now()
    await until(check, { timeoutMs: MESSAGE_TIMEOUT_MS })
    expect(performance.now() - before).toBeLessThan(MESSAGE_TIMEOUT_MS)
  }

  /** Moves the clock of the process forward, so that cache entries become older. */
  function elapse(ms: number): void {
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  }

  describe('a message about a changed client', () => {
    it('a message makes other processes reject a secret that was rotated without an overlap', async () => {
      const { first, second } = await start()
      const key = await first.createApiKey()
      expect(await statusAt(second, key)).toBe(200)
      const { clientSecret } = await first.gatehouse.apiKeys.rotateSecret(key.client_id, {
        overlapSeconds: 0,
      })
      // The process that rotated the secret applies the change immediately.
      expect(await statusAt(first, key)).toBe(401)
      await expectSoon(async () => expect(await statusAt(second, key)).toBe(401))
      expect(await statusAt(second, { ...key, client_secret: clientSecret })).toBe(200)
    })

    it('a message makes other processes reject a revoked secret', async () => {
      const { first, second } = await start()
      const key = await first.createApiKey()
      await first.gatehouse.apiKeys.rotateSecret(key.client_id)
      expect(await statusAt(second, key)).toBe(200)
      await first.gatehouse.apiKeys.revokeSecret(key.client_id, 'old')
      await expectSoon(async () => expect(await statusAt(second, key)).toBe(401))
    })

    it('a message makes other processes apply added and removed products', async () => {
      const { first, second } = await start()
      const key = await first.createApiKey(['invoices'])
      expect(await scopesAt(second, key)).toBe('invoices:read invoices:create')
      await first.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
      await expectSoon(async () => expect(await scopesAt(second, key)).toContain('payments:list'))
      await first.gatehouse.apiKeys.removeProduct(key.client_id, 'invoices')
      await expectSoon(async () =>
        expect(await scopesAt(second, key)).toBe('payments:list payments:transfer'),
      )
    })

    it('a message makes other processes apply the disabling, enabling or deletion of a client', async () => {
      const { first, second } = await start()
      const key = await first.createApiKey()
      const { apiKeys } = first.gatehouse
      expect(await statusAt(second, key)).toBe(200)
      await apiKeys.disable(key.client_id)
      await expectSoon(async () => expect(await statusAt(second, key)).toBe(401))
      await apiKeys.enable(key.client_id)
      await expectSoon(async () => expect(await statusAt(second, key)).toBe(200))
      await apiKeys.delete(key.client_id)
      await expectSoon(async () => expect(await statusAt(second, key)).toBe(401))
    })

    it('a message makes other processes reject a client that is no longer a resource server', async () => {
      const { first, second } = await start()
      const server = await first.createApiKey()
      const { apiKeys } = first.gatehouse
      await apiKeys.setResourceServer(server.client_id, true)
      const feed = async () =>
        (await second.fetch(`${second.issuer}/oauth2/revocations`, { headers: basic(server) })).status
      expect(await feed()).toBe(200)
      await apiKeys.setResourceServer(server.client_id, false)
      await expectSoon(async () => expect(await feed()).toBe(403))
    })

    it('a message makes other processes accept the new redirect URIs of an application', async () => {
      const { first, second } = await start()
      const { client_id: clientId } = await first.createApplication()
      const redirect_uri = 'http://localhost:9/new'
      const ask = async () =>
        (await authorize(second, clientId, { parameters: { redirect_uri } })).callback.pathname
      expect(await ask()).not.toBe('/new')
      await first.gatehouse.applications.update(clientId, { redirectUris: [redirect_uri] })
      await expectSoon(async () => expect(await ask()).toBe('/new'))
    })

    it('a new client works in other processes immediately, without a message', async () => {
      const { first, second } = await start({ lost: ['clients'] })
      const unknown = { client_id: 'key_later', client_secret: 'unknown' }
      expect(await statusAt(second, unknown)).toBe(401)
      const { clientSecret } = await first.gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'Key',
        products: ['invoices'],
        clientId: 'key_later',
      })
      expect(await statusAt(second, { client_id: 'key_later', client_secret: clientSecret })).toBe(200)
    })
  })

  describe('a lost message about a changed client', () => {
    it('if the message about a changed secret is lost, another process applies the change after ten seconds', async () => {
      const { first, second } = await start({ lost: ['clients'] })
      const key = await first.createApiKey()
      expect(await statusAt(second, key)).toBe(200)
      await first.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
      await until(async () => expect(await statusAt(first, key)).toBe(401))
      // The second process still accepts the old secret, so it really uses its cached client.
      expect(await statusAt(second, key)).toBe(200)
      elapse(MAX_AGE_MS)
      expect(await statusAt(second, key)).toBe(401)
    })

    it('if the message about a changed client is lost, a revocation makes other processes apply the change', async () => {
      const { first, second } = await start({ lost: ['clients'] })
      const [disabled, deleted, changed] = [
        await first.createApiKey(),
        await first.createApiKey(),
        await first.createApiKey(),
      ]
      for (const key of [disabled, deleted, changed]) expect(await statusAt(second, key)).toBe(200)
      const { apiKeys } = first.gatehouse
      await apiKeys.disable(disabled.client_id)
      await apiKeys.delete(deleted.client_id)
      await apiKeys.removeProduct(changed.client_id, 'payments')
      await expectSoon(async () => expect(await statusAt(second, disabled)).toBe(401))
      await expectSoon(async () => expect(await statusAt(second, deleted)).toBe(401))
      await expectSoon(async () =>
        expect(await scopesAt(second, changed)).toBe('invoices:read invoices:create'),
      )
    })

    it('if a process with an outdated client cache issues a token with a removed product, the token is rejected immediately', async () => {
      const { first, second } = await start({ lost: ['clients', 'revocations'] })
      const key = await first.createApiKey()
      expect(await statusAt(second, key)).toBe(200)
      await first.gatehouse.apiKeys.removeProduct(key.client_id, 'payments')
      const { body } = await second.requestDirectToken(key)
      // The second process still uses its cached client.
      expect(body['scope']).toContain('payments:list')
      expect(await first.call('GET /payments/list', String(body['access_token']))).toMatchObject({
        status: 401,
        body: { error: 'invalid_token' },
      })
      expect(first.reached).toEqual([])
      const fresh = await first.requestDirectToken(key)
      expect((await first.call('GET /invoices/list', String(fresh.body['access_token']))).status).toBe(200)
    })
  })
})
