import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('What the service does', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  beforeEach(() => void host.reached.splice(0))
  afterAll(() => host.close())

  it('{auth_url} is the base address of the authorization service.', async () => {
    const address = `${host.issuer}/.well-known/openid-configuration`
    const document = (await (await fetch(address)).json()) as Record<string, unknown>
    expect(document['issuer']).toBe(host.issuer)
    const endpoints = Object.entries(document).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))
    expect(endpoints.length).toBeGreaterThanOrEqual(5)
    for (const [name, endpoint] of endpoints) expect(endpoint, name).toMatch(`${host.issuer}/`)
  })

  it('{base_url} is the base address of the API gateway.', async () => {
    const guarded = await host.call('GET /invoices/list')
    const metadata = /resource_metadata="([^"]+)"/.exec(guarded.headers.get('www-authenticate') ?? '')?.[1]
    const document = await (await fetch(metadata!)).json()
    expect(document).toMatchObject({ resource: host.audience, authorization_servers: [host.issuer] })
    // The gateway passes on requests outside {base_url}.
    expect((await fetch(`${host.origin}/about`)).status).toBe(200)
    expect(host.reached).toEqual(['GET /about'])
  })

  it('The service exposes an HTTP API behind a gateway at {base_url}.', async () => {
    const rejected = await host.call('GET /invoices/list')
    expect(rejected.status).toBe(401)
    expect(rejected.headers.get('www-authenticate')).toContain(`realm="${host.audience}"`)
    expect(host.reached).toEqual([])

    const { body } = await host.requestDirectToken(await host.createApiKey())
    const answered = await host.call('GET /invoices/list', String(body['access_token']))
    expect(answered.status).toBe(200)
    expect(answered.body['reached']).toBe('/api/invoices/list')
    expect(host.reached).toEqual(['GET /api/invoices/list'])
  })

  it('A separate authorization service at {auth_url} issues access tokens in JWT format.', async () => {
    const { status, headers, body } = await host.requestDirectToken(await host.createApiKey())
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('cache-control')).toBe('no-store')
    const token = String(body['access_token'])
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
    expect(decodeJwt(token)).toMatchObject({ iss: host.issuer, aud: host.audience })
  })

  it('Every authenticated API call carries such a token.', async () => {
    const answers = { '': 401, Bearer: 400, 'Bearer no.jwt.atall': 401, 'Basic YWxpY2U6Y29ycmVjdA==': 401 }
    for (const [authorization, status] of Object.entries(answers)) {
      const response = await fetch(`${host.audience}/invoices/list`, { headers: { authorization } })
      expect(response.status, authorization).toBe(status)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
    }
    expect(host.reached).toEqual([])
  })

  it('Direct access: client credentials; acts on the account that owns the API key; 10 days.', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    expect(body['expires_in']).toBe(10 * 24 * 60 * 60)
    const call = await host.call('GET /invoices/list', String(body['access_token']))
    expect(call.status).toBe(200)
    expect(call.body['auth']).toMatchObject({ mode: 'direct', accountId: 'acme', clientId: key.client_id })
  })

  it("Delegated access: authorization code, with refresh tokens; acts on another user's account, limited to what that user authorized; 1 hour.", async () => {
    const application = await host.createApplication()
    const tokens = await connect(host, application, { user: 'bob', untick: ['invoices:create'] })
    expect(tokens.expires_in).toBe(60 * 60)
    expect(tokens.refresh_token).toEqual(expect.any(String))

    const allowed = await host.call('GET /invoices/list', tokens.access_token)
    expect(allowed.status).toBe(200)
    expect(allowed.body['auth']).toMatchObject({
      mode: 'delegated',
      accountId: 'bob',
      clientId: application.client_id,
    })
    const rejected = await host.call('POST /invoices/create', tokens.access_token)
    expect(rejected.status).toBe(403)
    expect(host.reached).toEqual(['GET /api/invoices/list'])
  })

  it('Any standard OAuth 2.0 library may be used to perform the flows.', async () => {
    const { client_id, client_secret } = await host.createApiKey()
    const options = { execute: [oauth.allowInsecureRequests] }
    const issuer = new URL(host.issuer)
    const key = await oauth.discovery(issuer, client_id, client_secret, undefined, options)
    const direct = await oauth.clientCredentialsGrant(key)
    expect((await host.call('GET /invoices/list', direct.access_token)).status).toBe(200)

    const credentials = await host.createApplication()
    const { client_id: id, client_secret: secret } = credentials
    const application = await oauth.discovery(issuer, id, secret, undefined, options)
    const verifier = oauth.randomPKCECodeVerifier()
    const state = oauth.randomState()
    const { searchParams } = oauth.buildAuthorizationUrl(application, {
      redirect_uri: CALLBACK,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const { callback } = await authorize(host, id, { parameters: Object.fromEntries(searchParams) })
    const checks = { expectedState: state, pkceCodeVerifier: verifier }
    const delegated = await oauth.authorizationCodeGrant(application, callback, checks)
    expect((await host.call('GET /invoices/list', delegated.access_token)).status).toBe(200)
    const refreshed = await oauth.refreshTokenGrant(application, delegated.refresh_token!)
    expect(refreshed.refresh_token).not.toBe(delegated.refresh_token)
  })
})
