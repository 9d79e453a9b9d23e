import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { basic, type Client } from '../../support/host-requests.ts'
import { connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

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
    const { body } = await host.requestDirectToken(client, { scope: 'invoices:read' })
    return String(body['access_token'])
  }

  async function refresh(token: string): Promise<Tokens> {
    const { status, body } = await host.refresh(application, token)
    expect(status).toBe(200)
    return body as unknown as Tokens
  }

  it('an API key can introspect its own token', async () => {
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

  it('an application can introspect its own access tokens and refresh tokens', async () => {
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

  it('a resource server without a product can introspect every access token, but no refresh token and no ID token', async () => {
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

  it('introspection gives the same response for a token of another client as for an unknown token', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const others = [await host.createApiKey(), await host.createApplication()]
    for (const client of others) {
      for (const value of [token, tokens.access_token, tokens.refresh_token, 'nothing']) {
        expect(await introspect(client, value)).toEqual(INACTIVE)
      }
    }
    expect(await introspect(application, token)).toEqual(INACTIVE)
    expect(await introspect(key, tokens.access_token)).toEqual(INACTIVE)
  })

  it('a client that is no longer a resource server cannot introspect the tokens of other clients', async () => {
    const former = await createResourceServer()
    const token = await direct()
    expect(await introspect(former, token)).toMatchObject({ active: true })
    await host.gatehouse.apiKeys.setResourceServer(former.client_id, false)
    expect(await introspect(former, token)).toEqual(INACTIVE)
  })

  it('introspection answers inactive for unknown, malformed and forged tokens, and for ID tokens', async () => {
    const token = await direct()
    const { id_token: idToken } = await connect(host, application, { parameters: PARAMETERS })
    const [header, payload = '', signature = ''] = token.split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    for (const client of [key, application, resourceServer]) {
      for (const value of [
        'nothing',
        'a.b.c',
        String(idToken),
        `token:${token}`,
        `${header}.${payload}.${signature.toUpperCase()}`,
        `${none}.${payload}.`,
        // Fixed bug: a letter with the same low byte counted as the letter, and the answer was 500.
        `${header}.${payload.replace('e', '\u0165')}.${signature}`,
        'x'.repeat(10_000),
      ]) {
        expect(await introspect(client, value)).toEqual(INACTIVE)
      }
    }
  })

  it('introspection answers inactive for expired tokens', async () => {
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

  it('introspection of a current or used refresh token does not count as a use of the token', async () => {
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
    // The grace period is a minute. In this time a client that lost the response may send the used token
    // again, and introspection must not count as this second use.
    for (let round = 0; round < 3; round += 1) {
      expect(await introspect(application, first.refresh_token)).toEqual(INACTIVE)
    }
    expect(writes.slice(after)).toEqual([])
    expect(reused).not.toHaveBeenCalled()
    expect(await introspect(application, second.refresh_token)).toMatchObject({ active: true })
    expect((await refresh(second.refresh_token)).access_token).toEqual(expect.any(String))
    host.gatehouse.off('refresh_token.reused', reused)
  })

  it('introspection answers inactive for the tokens of a disabled or deleted client', async () => {
    const disabled = await host.createApiKey()
    const app = await host.createApplication()
    const token = await direct(disabled)
    const { access_token: delegated } = await connect(host, app, { parameters: PARAMETERS })
    for (const one of [token, delegated])
      expect(await introspect(resourceServer, one)).toMatchObject({ active: true })
    await host.gatehouse.apiKeys.disable(disabled.client_id)
    await host.gatehouse.applications.delete(app.client_id)
    for (const one of [token, delegated]) expect(await introspect(resourceServer, one)).toEqual(INACTIVE)
  })

  it('introspection answers inactive for the delegated and direct tokens of a deleted account', async () => {
    const token = await direct()
    const tokens = await connect(host, application, { parameters: PARAMETERS })
    const allAccounts = new Map(accounts)
    try {
      accounts.delete('alice')
      expect(await introspect(resourceServer, tokens.access_token)).toEqual(INACTIVE)
      expect(await introspect(application, tokens.refresh_token)).toEqual(INACTIVE)
      expect(await introspect(resourceServer, token)).toMatchObject({ active: true })
      accounts.delete('acme')
      expect(await introspect(resourceServer, token)).toEqual(INACTIVE)
    } finally {
      for (const [id, account] of allAccounts) accounts.set(id, account)
    }
  })
})

describe('introspection for accounts with several users', () => {
  it('introspection checks the user who authorized the application, for access tokens and refresh tokens', async () => {
    const deletedUsers = new Set<string>()
    const host = await startHost({
      gatehouse: {
        accounts: {
          find: (id: string, userId = '') =>
            deletedUsers.has(userId) ? undefined : { id, kycLevel: 'verified' },
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
    deletedUsers.add('shop-2')
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
    token = String((await host.requestDirectToken(key)).body['access_token'])
  })
  afterAll(() => host.close())

  const introspect = (body: Record<string, string>, headers = {}) =>
    host.post('/oauth2/introspect', body, headers)

  it('introspection accepts the client secret in the Basic header', async () => {
    const { body } = await introspect({ token }, basic(key))
    expect(body['active']).toBe(true)
  })

  it('introspection rejects invalid requests with an error in JSON', async () => {
    const unknown = { client_id: 'unknown', client_secret: 'x', token }
    const answers: [string, number, Awaited<ReturnType<typeof introspect>>][] = [
      ['a wrong secret', 401, await introspect({ ...key, client_secret: 'x'.repeat(43), token })],
      ['an access token and no client', 401, await introspect({ token })],
      ['a browser that accepts HTML', 401, await introspect(unknown, { accept: 'text/html' })],
      ['the access token alone', 400, await introspect({ token }, { authorization: `Bearer ${token}` })],
      ['no token', 400, await introspect(key)],
      ['a browser', 400, await introspect({ ...key, token }, { origin: 'null' })],
    ]
    for (const [name, expected, { status, body, headers, text }] of answers) {
      const error = expected === 401 ? 'invalid_client' : 'invalid_request'
      expect([name, status, body['error']]).toEqual([name, expected, error])
      expect(body).not.toHaveProperty('active')
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).not.toContain(token)
    }
    for (const method of ['GET', 'PUT']) {
      const { status, headers } = await fetch(`${host.issuer}/oauth2/introspect`, { method })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS'])
    }
  })

  it('the metadata lists introspection and revocation with their authentication methods (RFC 8414 2)', async () => {
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
