import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

/** Milliseconds after which a process looks a client up anew, whatever it hears. */
const MAX_AGE = 10_000
/** Milliseconds: so much sooner that it cannot have been the age, on the slowest machine. */
const SOON = 5000

describeEachStore('A client that is changed in another process', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  /**
   * Two processes of one service.
   *
   * @param deaf channels whose messages do not come to the second one
   */
  async function start({ deaf = [] }: { deaf?: readonly string[] } = {}) {
    const data = randomUUID()
    const here = await startHost({ store: makeStore(data) })
    const store = makeStore(data)
    const hearing: Store = {
      ...store,
      subscribe: (channel, listener, missed) =>
        store.subscribe(
          channel,
          (message) => (deaf.includes(channel) ? undefined : listener(message)),
          missed,
        ),
    }
    let port = 0
    const there: Host = await startHost({
      store: hearing,
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

  type Client = Awaited<ReturnType<Host['createApiKey']>>
  const direct = (host: Host, client: Client) => host.token({ ...client, grant_type: 'client_credentials' })
  const scopesAt = async (host: Host, client: Client) => (await direct(host, client)).body['scope']
  const statusAt = async (host: Host, client: Client) => (await direct(host, client)).status

  /** Waits until a process sees a change: by a message, for the age is longer. */
  async function seen(check: () => Promise<void>): Promise<void> {
    const before = performance.now()
    await until(check, { timeoutMs: SOON })
    expect(performance.now() - before).toBeLessThan(SOON)
  }

  /** As if that much time had passed for what is remembered. */
  function elapse(ms: number): void {
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  }

  describe('is seen by its message', () => {
    test('a secret that was rotated without an overlap', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      const { clientSecret } = await here.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
      // Where it was changed it is seen at once.
      expect(await statusAt(here, key)).toBe(401)
      await seen(async () => expect(await statusAt(there, key)).toBe(401))
      expect(await statusAt(there, { ...key, client_secret: clientSecret })).toBe(200)
    })

    test('a secret that was revoked', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      await here.gatehouse.apiKeys.rotateSecret(key.client_id)
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.revokeSecret(key.client_id, 'old')
      await seen(async () => expect(await statusAt(there, key)).toBe(401))
    })

    test('a product that was added, and one that was removed', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey(['invoices'])
      expect(await scopesAt(there, key)).toBe('invoices:read invoices:create')
      await here.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
      await seen(async () => expect(await scopesAt(there, key)).toContain('payments:list'))
      await here.gatehouse.apiKeys.removeProduct(key.client_id, 'invoices')
      await seen(async () => expect(await scopesAt(there, key)).toBe('payments:list payments:transfer'))
    })

    test('one that was disabled, enabled and deleted', async () => {
      const { here, there } = await start()
      const key = await here.createApiKey()
      const { apiKeys } = here.gatehouse
      expect(await statusAt(there, key)).toBe(200)
      await apiKeys.disable(key.client_id)
      await seen(async () => expect(await statusAt(there, key)).toBe(401))
      await apiKeys.enable(key.client_id)
      await seen(async () => expect(await statusAt(there, key)).toBe(200))
      await apiKeys.delete(key.client_id)
      await seen(async () => expect(await statusAt(there, key)).toBe(401))
    })

    test('one that is no resource server any more', async () => {
      const { here, there } = await start()
      const server = await here.createApiKey()
      const { apiKeys } = here.gatehouse
      await apiKeys.setResourceServer(server.client_id, true)
      const basic = Buffer.from(`${server.client_id}:${server.client_secret}`).toString('base64')
      const feed = async () =>
        (
          await there.fetch(`${there.issuer}/oauth2/revocations`, {
            headers: { authorization: `Basic ${basic}` },
          })
        ).status
      expect(await feed()).toBe(200)
      await apiKeys.setResourceServer(server.client_id, false)
      await seen(async () => expect(await feed()).toBe(403))
    })

    test('redirect URIs of an application', async () => {
      const { here, there } = await start()
      const { client_id: clientId } = await here.createApplication()
      const redirect_uri = 'http://localhost:9/new'
      const ask = async () =>
        (await authorize(there, clientId, { parameters: { redirect_uri } })).callback.pathname
      expect(await ask()).not.toBe('/new')
      await here.gatehouse.applications.setRedirectUris(clientId, [redirect_uri])
      await seen(async () => expect(await ask()).toBe('/new'))
    })

    test('one that is new, at once', async () => {
      const { here, there } = await start({ deaf: ['clients'] })
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

  describe('whose message is lost', () => {
    test('is seen after ten seconds', async () => {
      const { here, there } = await start({ deaf: ['clients'] })
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
      await until(async () => expect(await statusAt(here, key)).toBe(401))
      // It is remembered: without that the rest would prove nothing.
      expect(await statusAt(there, key)).toBe(200)
      elapse(MAX_AGE)
      expect(await statusAt(there, key)).toBe(401)
    })

    test('is seen before, if something was revoked with it', async () => {
      const { here, there } = await start({ deaf: ['clients'] })
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
      await seen(async () => expect(await statusAt(there, disabled)).toBe(401))
      await seen(async () => expect(await statusAt(there, deleted)).toBe(401))
      await seen(async () => expect(await scopesAt(there, changed)).toBe('invoices:read invoices:create'))
    })

    test('gets tokens from the other process that are dead on arrival, where something was taken from it', async () => {
      const { here, there } = await start({ deaf: ['clients', 'revocations'] })
      const key = await here.createApiKey()
      expect(await statusAt(there, key)).toBe(200)
      await here.gatehouse.apiKeys.removeProduct(key.client_id, 'payments')
      const { body } = await direct(there, key)
      // The other process knows of nothing.
      expect(body['scope']).toContain('payments:list')
      expect(await here.call('GET /payments/list', String(body['access_token']))).toMatchObject({
        status: 401,
        body: { error: 'invalid_token' },
      })
      expect(here.reached).toEqual([])
      const fresh = await direct(here, key)
      expect((await here.call('GET /invoices/list', String(fresh.body['access_token']))).status).toBe(200)
    })
  })
})
