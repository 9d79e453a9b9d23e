import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

type Client = { client_id: string; client_secret: string }

const INACTIVE = { active: false }
const PARAMETERS = { scope: 'openid invoices:read' }

describeEachStore('POST {auth_url}/oauth2/introspect (RFC 7662)', (makeStore) => {
  let host: Host
  let key: Client
  let application: Client
  let resourceServer: Client
  let writes: string[]
  const failures: unknown[] = []
  const accounts = new Map<string, Account>([
    ['alice', { id: 'alice', kycLevel: 'basic' }],
    ['acme', { id: 'acme', kycLevel: 'verified' }],
    ['shop', { id: 'shop', kycLevel: 'verified' }],
  ])
  beforeAll(async () => {
    const watched = watchWrites(makeStore(randomUUID()))
    writes = watched.writes
    host = await startHost({ store: watched.store, accounts, gatehouse: { refreshTokenGraceSeconds: 60 } })
    await host.gatehouse.ready()
    host.gatehouse.on('error', ({ error }) => failures.push(error))
    key = await host.createApiKey()
    application = await host.createApplication()
    resourceServer = await createResourceServer()
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(async () => {
    expect(failures).toEqual([])
    await host.close()
  })

  async function createResourceServer(): Promise<Client> {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'shop',
      name: 'An API',
      resourceServer: true,
    })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }

  async function introspect(client: Client, token: string, more: Record<string, string> = {}) {
    const answer = await host.post('/oauth2/introspect', { ...client, token, ...more })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.text).not.toContain(token)
    return answer.body
  }

  async function direct(client = key): Promise<string> {
    const { body } = await host.token({ ...client, grant_type: 'client_credentials', scope: 'invoices:read' })
    return String(body['access_token'])
  }

  async function refresh(token: string): Promise<Tokens> {
    const { status, body } = await host.token({
      ...application,
      grant_type: 'refresh_token',
      refresh_token: token,
    })
    expect(status).toBe(200)
    return body as unknown as Tokens
  }

  it('tells an API key about its own token', async () => {
    const token = await direct()
    const { iat, exp, jti } = decodeJwt(token)
    expect(await introspect(key, token)).toEqual({
      active: true,
      iss: host.issuer,
      aud: host.audience,
      sub: key.client_id,
      client_id: key.client_id,
      scope: 'invoices:read',
      token_type: 'Bearer',
      iat,
      exp,
      jti,
      access_mode: 'direct',
      account_id: 'acme',
    })
  })

  it('tells an application about its own tokens', async () => {
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const { iat, exp, jti, grant_id } = decodeJwt(tokens.access_token)
    const shared = { iss: host.issuer, client_id: application.client_id, scope: 'openid invoices:read' }
    expect(await introspect(application, tokens.access_token)).toEqual({
      active: true,
      ...shared,
      aud: host.audience,
      sub: 'alice',
      token_type: 'Bearer',
      iat,
      exp,
      jti,
      access_mode: 'delegated',
      account_id: 'alice',
      grant_id,
    })
    const ofRefreshToken = await introspect(application, tokens.refresh_token)
    expect(ofRefreshToken).toEqual({
      active: true,
      ...shared,
      sub: 'alice',
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(Number(ofRefreshToken['exp']) - Number(ofRefreshToken['iat'])).toBe(2_592_000)
  })

  it('tells a resource server, which has no product, about every access token, and nothing else', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    expect(await introspect(resourceServer, token)).toEqual(await introspect(key, token))
    expect(await introspect(resourceServer, tokens.access_token)).toEqual(
      await introspect(application, tokens.access_token),
    )
    for (const hint of ['access_token', 'refresh_token', 'x']) {
      const more = { token_type_hint: hint }
      expect(await introspect(resourceServer, token, more)).toMatchObject({ active: true })
      expect(await introspect(resourceServer, tokens.refresh_token, more)).toEqual(INACTIVE)
    }
    expect(await introspect(resourceServer, String(tokens.id_token))).toEqual(INACTIVE)
  })

  it('tells nobody else: others hear the same as about an unknown token', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const others = [await host.createApiKey(), await host.createApplication()]
    for (const client of others) {
      for (const theirs of [token, tokens.access_token, tokens.refresh_token, 'nothing']) {
        expect(await introspect(client, theirs)).toEqual(INACTIVE)
      }
    }
    expect(await introspect(application, token)).toEqual(INACTIVE)
    expect(await introspect(key, tokens.access_token)).toEqual(INACTIVE)
  })

  it('tells it no longer once the mark is taken off', async () => {
    const former = await createResourceServer()
    const token = await direct()
    expect(await introspect(former, token)).toMatchObject({ active: true })
    await host.gatehouse.apiKeys.setResourceServer(former.client_id, false)
    expect(await introspect(former, token)).toEqual(INACTIVE)
  })

  it('is not deceived by what is no token of ours', async () => {
    const token = await direct()
    const { id_token: idToken } = await connect(host, application, { parameters: PARAMETERS })
    const [header, payload, signature = ''] = token.split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    for (const client of [key, application, resourceServer]) {
      for (const value of [
        'nothing',
        'a.b.c',
        String(idToken),
        `token:${token}`,
        `${header}.${payload}.${signature.toUpperCase()}`,
        `${none}.${payload}.`,
        'x'.repeat(10_000),
      ]) {
        expect(await introspect(client, value)).toEqual(INACTIVE)
      }
    }
  })

  it('is truthful about tokens that have expired', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now + 3_601_000 })
    expect(await introspect(application, tokens.access_token)).toEqual(INACTIVE)
    expect(await introspect(application, tokens.refresh_token)).toMatchObject({ active: true })
    expect(await introspect(resourceServer, token)).toMatchObject({ active: true })
    vi.setSystemTime(now + 864_001_000)
    expect(await introspect(resourceServer, token)).toEqual(INACTIVE)
    expect(await introspect(key, token)).toEqual(INACTIVE)
    vi.setSystemTime(now + 2_592_001_000)
    expect(await introspect(application, tokens.refresh_token)).toEqual(INACTIVE)
  })

  it('never counts as a use: of a refresh token neither the current one nor a used one is touched', async () => {
    const first = await connect(host, application, { parameters: PARAMETERS })
    const reused = vi.fn()
    host.gatehouse.on('refresh_token.reused', reused)
    const before = writes.length
    for (let round = 0; round < 3; round += 1) {
      expect(await introspect(application, first.refresh_token)).toMatchObject({ active: true })
    }
    expect(writes.slice(before)).toEqual([])
    const second = await refresh(first.refresh_token)
    const after = writes.length
    // Although it could be sent again for a minute, which is for a client that lost the answer.
    for (let round = 0; round < 3; round += 1) {
      expect(await introspect(application, first.refresh_token)).toEqual(INACTIVE)
    }
    expect(writes.slice(after)).toEqual([])
    expect(reused).not.toHaveBeenCalled()
    expect(await introspect(application, second.refresh_token)).toMatchObject({ active: true })
    expect((await refresh(second.refresh_token)).access_token).toEqual(expect.any(String))
    host.gatehouse.off('refresh_token.reused', reused)
  })

  it('is truthful about a client that was disabled or deleted meanwhile', async () => {
    const doomed = await host.createApiKey()
    const app = await host.createApplication()
    const token = await direct(doomed)
    const { access_token: delegated } = await connect(host, app, { parameters: PARAMETERS })
    for (const one of [token, delegated])
      expect(await introspect(resourceServer, one)).toMatchObject({ active: true })
    await host.gatehouse.apiKeys.disable(doomed.client_id)
    await host.gatehouse.applications.delete(app.client_id)
    for (const one of [token, delegated]) expect(await introspect(resourceServer, one)).toEqual(INACTIVE)
  })

  it('is truthful about an account that is gone: that of the user, and that of the API key', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const everybody = new Map(accounts)
    try {
      accounts.delete('alice')
      expect(await introspect(resourceServer, tokens.access_token)).toEqual(INACTIVE)
      expect(await introspect(application, tokens.refresh_token)).toEqual(INACTIVE)
      expect(await introspect(resourceServer, token)).toMatchObject({ active: true })
      accounts.delete('acme')
      expect(await introspect(resourceServer, token)).toEqual(INACTIVE)
    } finally {
      for (const [id, account] of everybody) accounts.set(id, account)
    }
  })
})

describe('introspection where accounts have several members', () => {
  it('goes by the member who authorized the application, for tokens of both kinds', async () => {
    const gone = new Set<string>()
    const host = await startHost({
      gatehouse: {
        accounts: {
          find: (id: string, userId = '') => (gone.has(userId) ? undefined : { id, kycLevel: 'verified' }),
          current: () => ({ accountId: 'shop', userId: 'shop-2' }),
          signInUrl: () => '/login',
        },
      },
    })
    const client = await host.createApplication()
    const tokens = await connect(host, client)
    const ask = async (token: string) => (await host.post('/oauth2/introspect', { ...client, token })).body
    expect(await ask(tokens.access_token)).toMatchObject({ active: true, user_id: 'shop-2' })
    expect(await ask(tokens.refresh_token)).toMatchObject({ active: true })
    gone.add('shop-2')
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect(await ask(token)).toEqual(INACTIVE)
    await host.close()
  })
})

describe('POST {auth_url}/oauth2/introspect', () => {
  let host: Host
  let key: Client
  let token: string
  beforeAll(async () => {
    host = await startHost()
    key = await host.createApiKey()
    token = String((await host.token({ ...key, grant_type: 'client_credentials' })).body['access_token'])
  })
  afterAll(() => host.close())

  const introspect = (body: Record<string, string>, headers = {}) =>
    host.post('/oauth2/introspect', body, headers)

  it('knows the client by its secret in the Basic header, too', async () => {
    const credentials = Buffer.from(`${key.client_id}:${key.client_secret}`).toString('base64')
    const { body } = await introspect({ token }, { authorization: `Basic ${credentials}` })
    expect(body['active']).toBe(true)
  })

  it.each<[string, () => ReturnType<Host['post']>, number, string]>([
    [
      'a wrong secret',
      () => introspect({ ...key, client_secret: 'x'.repeat(43), token }),
      401,
      'invalid_client',
    ],
    ['no secret', () => introspect({ client_id: key.client_id, token }), 401, 'invalid_client'],
    ['no client, but an access token', () => introspect({ token }), 401, 'invalid_client'],
    [
      'the access token as authorization',
      () => introspect({ token }, { authorization: `Bearer ${token}` }),
      400,
      'invalid_request',
    ],
    ['no token', () => introspect(key), 400, 'invalid_request'],
    ['a browser', () => introspect({ ...key, token }, { origin: 'null' }), 400, 'invalid_request'],
    [
      'a browser that wants a page',
      () => introspect({ client_id: 'nobody', client_secret: 'x', token }, { accept: 'text/html' }),
      401,
      'invalid_client',
    ],
  ])('rejects %s in JSON', async (_name, ask, status, error) => {
    const answer = await ask()
    expect([answer.status, answer.body['error']]).toEqual([status, error])
    expect(answer.body).not.toHaveProperty('active')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).not.toContain(token)
  })

  it.each(['GET', 'PUT'])('answers 405 to %s', async (method) => {
    const response = await fetch(`${host.issuer}/oauth2/introspect`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it('stands in the metadata, as revocation does, with how clients are authenticated there (RFC 8414 2)', async () => {
    const addresses = [
      `${host.issuer}/.well-known/openid-configuration`,
      `${host.origin}/.well-known/oauth-authorization-server/auth`,
    ]
    for (const address of addresses) {
      expect(await (await fetch(address)).json()).toMatchObject({
        introspection_endpoint: `${host.issuer}/oauth2/introspect`,
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        revocation_endpoint: `${host.issuer}/oauth2/revoke`,
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      })
    }
  })
})
