import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createGateway } from 'koa-gatehouse/gateway'
import { createTestIssuer, mintToken, type TestIssuer } from 'koa-gatehouse/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { products } from '../../fixtures/products.ts'
import { authorizationUrl, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('mintToken()', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  afterAll(() => host.close())

  it('mintToken() makes a token that the gateway accepts, of direct access by default', async () => {
    const token = await mintToken(host.gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
    const { status, body } = await host.call('GET /invoices/list', token)
    expect(status).toBe(200)
    expect(body['auth']).toMatchObject({ mode: 'direct', accountId: 'alice', scopes: ['invoices:read'] })
  })

  it('mintToken() makes a token of delegated access', async () => {
    const token = await mintToken(host.gatehouse, {
      mode: 'delegated',
      accountId: 'alice',
      userId: 'anna',
      clientId: 'app',
      scopes: ['invoices:read'],
    })
    expect((await host.call('GET /invoices/list', token)).body['auth']).toMatchObject({
      mode: 'delegated',
      accountId: 'alice',
      userId: 'anna',
      clientId: 'app',
    })
  })

  it('mintToken() makes tokens that lack a scope or have expired', async () => {
    host.reached.splice(0)
    const narrow = await mintToken(host.gatehouse, { accountId: 'alice', scopes: ['payments:list'] })
    expect((await host.call('GET /invoices/list', narrow)).status).toBe(403)
    const expired = await mintToken(host.gatehouse, {
      accountId: 'alice',
      scopes: ['invoices:read'],
      expiresIn: -1,
    })
    const call = await host.call('GET /invoices/list', expired)
    expect(call.status).toBe(401)
    expect(call.headers.get('www-authenticate')).toContain('expired')
    expect(host.reached).toEqual([])
  })

  it('mintToken() rejects an argument that is not a gatehouse', async () => {
    await expect(mintToken({} as never, { accountId: 'alice', scopes: [] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
  })

  it.each(['createApiKey', 'createApplication'] as const)(
    'rejects a store that keeps what it has and holds data: %s',
    async (create) => {
      const store = makeStore()
      const other = await startHost({ store })
      const mint = () => mintToken(other.gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
      expect(await mint()).toEqual(expect.any(String))
      await other[create]()
      if (store.volatile) expect(await mint()).toEqual(expect.any(String))
      else await expect(mint()).rejects.toMatchObject({ code: 'ERR_TESTING_REFUSED' })
      await other.close()
    },
  )
})

const mintFor = ({ gatehouse }: Host) =>
  mintToken(gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
const rejected = { code: 'ERR_TESTING_REFUSED', status: 500 }

describeEachStore('mintToken on a store that has been in use', (makeStore) => {
  /** For a store that forgets nothing is ever rejected. */
  const outcome = async (store: Store, host: Host) =>
    store.volatile
      ? expect(await mintFor(host)).toEqual(expect.any(String))
      : expect(mintFor(host)).rejects.toMatchObject(rejected)

  it('creates nothing before it rejects', async () => {
    const store = makeStore()
    const before = await startHost({ store })
    await before.createApiKey()
    await before.gatehouse.close()
    const host = await startHost({ store })
    if (!store.volatile) expect(await store.delete('signing-keys:ring')).toBe(true)
    await outcome(store, host)
    if (!store.volatile) expect(await store.get('signing-keys:ring')).toBeUndefined()
    await Promise.all([before.close(), host.close()])
  })

  it('rejects although every client has been deleted', async () => {
    const store = makeStore()
    const host = await startHost({ store })
    const { client_id } = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(client_id)
    await outcome(store, host)
    await host.close()
  })

  it('works for a host with a registry of its own, until sessions or grants are stored', async () => {
    const store = makeStore()
    const application = {
      kind: 'application',
      clientId: 'app',
      accountId: 'acme',
      name: 'App',
      products: ['invoices'],
      removedOperations: [],
      disabled: false,
      createdAt: 0,
      accessEpoch: 0,
      redirectUris: [CALLBACK],
      postLogoutRedirectUris: [],
      firstParty: false,
    }
    const registry = { find: async () => application, verifySecret: async () => true }
    const host = await startHost({ store, gatehouse: { registry: registry as never } })
    await host.gatehouse.ready()
    expect(await mintFor(host)).toEqual(expect.any(String))
    expect((await host.browser().open(authorizationUrl(host, 'app'))).status).toBe(200)
    await outcome(store, host)
    await host.close()
  })
})

describe('createTestIssuer()', () => {
  const server = createServer()
  const reached: string[] = []
  let audience: string
  let issuer: TestIssuer
  let gateway: ReturnType<typeof createGateway>
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    audience = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
    issuer = await createTestIssuer({ audience })
    gateway = createGateway({ issuer: issuer.issuer, audience, products })
    const app = new Koa()
    app.use(gateway.middleware())
    app.use((ctx) => {
      reached.push(ctx.path)
      ctx.body = ctx.state['auth']
    })
    const handler = app.callback()
    server.on('request', (request, response) => void handler(request, response))
  })
  afterAll(async () => {
    await gateway.close()
    await issuer.close()
    server.closeAllConnections()
    server.close()
  })
  const call = (path: string, token?: string) =>
    fetch(audience + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })

  it('a test issuer mints tokens for an API that has only the gateway', async () => {
    expect((await call('/invoices/list')).status).toBe(401)
    const token = await issuer.mintToken({ accountId: 'alice', scopes: ['invoices:read'] })
    const response = await call('/invoices/list', token)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ mode: 'direct', accountId: 'alice' })
    expect((await call('/payments/list', token)).status).toBe(403)
    const expired = await issuer.mintToken({ accountId: 'alice', scopes: ['invoices:read'], expiresIn: -1 })
    expect((await call('/invoices/list', expired)).status).toBe(401)
    expect(reached).toEqual(['/api/invoices/list'])
  })

  it('a gateway rejects tokens of another test issuer', async () => {
    reached.splice(0)
    const other = await createTestIssuer({ audience })
    const token = await other.mintToken({ accountId: 'alice', scopes: ['invoices:read'] })
    await other.close()
    const response = await call('/invoices/list', token)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(reached).toEqual([])
  })

  it('a closed test issuer can still mint tokens, and the gateway accepts them until it is closed itself', async () => {
    const token = await issuer.mintToken({ accountId: 'alice', scopes: ['invoices:read'] })
    expect((await call('/invoices/list', token)).status).toBe(200)
    await issuer.close()
    await issuer.close()
    const next = await issuer.mintToken({ accountId: 'bob', scopes: ['invoices:read'] })
    expect((await call('/invoices/list', next)).status).toBe(200)
    await gateway.close()
    await gateway.close()
    expect((await call('/invoices/list', next)).status).toBe(503)
  })
})
