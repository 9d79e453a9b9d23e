import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { createGateway } from 'koa-gatehouse/gateway'
import { createTestIssuer, mintToken, type MintedToken, type TestIssuer } from 'koa-gatehouse/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kycLevels, products } from '../../fixtures/products.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('mintToken()', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  afterAll(() => host.close())

  const mint = (token: Partial<MintedToken>) =>
    mintToken(
      host.gatehouse,
      { accountId: 'alice', scopes: ['invoices:read'], ...token },
      { allowPersistentStore: true },
    )

  it('the gateway accepts a token of mintToken(), and the token has direct access by default', async () => {
    const { status, body } = await host.call('GET /invoices/list', await mint({}))
    expect(status).toBe(200)
    expect(body['auth']).toMatchObject({ mode: 'direct', accountId: 'alice', scopes: ['invoices:read'] })
  })

  it('mintToken() can make tokens for delegated access', async () => {
    const token = await mint({ mode: 'delegated', userId: 'anna', clientId: 'app' })
    expect((await host.call('GET /invoices/list', token)).body['auth']).toMatchObject({
      mode: 'delegated',
      accountId: 'alice',
      userId: 'anna',
      clientId: 'app',
    })
  })

  it('mintToken() can make tokens that lack a scope or have expired', async () => {
    host.reached.splice(0)
    const narrow = await mint({ scopes: ['payments:list'] })
    expect((await host.call('GET /invoices/list', narrow)).status).toBe(403)
    const expired = await mint({ expiresIn: -1 })
    const call = await host.call('GET /invoices/list', expired)
    expect(call.status).toBe(401)
    expect(call.headers.get('www-authenticate')).toContain('expired')
    expect(host.reached).toEqual([])
  })

  it('mintToken() rejects each scope that no operation has, and names it', async () => {
    await expect(mint({ scopes: ['invoices:read', 'invoices:raed', 'openid'] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [
        { path: 'scopes[1]', code: 'not-found', message: 'no operation has the scope invoices:raed' },
        { path: 'scopes[2]', code: 'not-found', message: 'no operation has the scope openid' },
      ],
    })
    await expect(mint({ scopes: undefined as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [{ path: 'scopes', code: 'required' }],
    })
    await expect(mint({ scopes: [] })).resolves.toEqual(expect.any(String))
  })

  it('mintToken() rejects an argument that is not a gatehouse', async () => {
    await expect(mintToken({} as never, { accountId: 'alice', scopes: [] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
  })

  it('without allowPersistentStore, mintToken() rejects a persistent store, and creates no signing keys', async () => {
    const store = makeStore()
    const gatehouse = createGatehouse({
      issuer: 'http://localhost:3000/auth',
      audience: 'http://localhost:3000/api',
      secret: 'a secret for tests, long enough to be one',
      accounts: { find: (accountId: string) => ({ id: accountId }) },
      products,
      kycLevels,
      store,
    })
    const minting = mintToken(gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
    if (store.volatile) {
      expect(await minting).toEqual(expect.any(String))
    } else {
      await expect(minting).rejects.toMatchObject({ code: 'ERR_PERSISTENT_STORE', status: 500 })
      expect(await store.get('signing-keys:ring')).toBeUndefined()
    }
    await gatehouse.close()
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

  it('a gateway in a process without a gatehouse accepts the tokens of a test issuer', async () => {
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

  it('a closed test issuer can still make tokens, and the gateway accepts these tokens until the gateway is closed', async () => {
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
