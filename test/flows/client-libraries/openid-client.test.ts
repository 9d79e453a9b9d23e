import * as oauth from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../support/host-requests.ts'
import { authorize, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('openid-client', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  afterAll(() => host.close())

  /** Discovers the service as an application does. Allows http, because the test host runs on localhost. */
  function discover(
    { client_id, client_secret }: Client,
    authentication?: oauth.ClientAuth,
    algorithm: 'oidc' | 'oauth2' = 'oidc',
  ) {
    return oauth.discovery(new URL(host.issuer), client_id, client_secret, authentication, {
      algorithm,
      execute: [oauth.allowInsecureRequests],
    })
  }

  /** Runs the delegated flow with all checks of the library: state, iss, PKCE, nonce, ID token. */
  async function connect(config: oauth.Configuration, scope: string, browser = host.browser()) {
    const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
    const expectedState = oauth.randomState()
    const expectedNonce = scope.includes('openid') ? oauth.randomNonce() : undefined
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope,
      state: expectedState,
      code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...(expectedNonce !== undefined && { nonce: expectedNonce }),
    })
    const parameters = Object.fromEntries(url.searchParams)
    const { callback } = await authorize(host, config.clientMetadata().client_id, { parameters, browser })
    return oauth.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier,
      expectedState,
      ...(expectedNonce !== undefined && { expectedNonce }),
    })
  }

  it.each(['oidc', 'oauth2'] as const)(
    'openid-client finds the service by %s discovery',
    async (algorithm) => {
      const config = await discover(await host.createApiKey(), undefined, algorithm)
      const metadata = config.serverMetadata()
      expect(metadata.issuer).toBe(host.issuer)
      expect(metadata.token_endpoint).toBe(`${host.issuer}/oauth2/token`)
      expect(metadata.supportsPKCE()).toBe(true)
      const { scope } = await oauth.clientCredentialsGrant(config)
      expect(scope).toBe('invoices:read invoices:create payments:list payments:transfer')
    },
  )

  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ])('openid-client gets direct access with %s', async (_name, authenticate) => {
    const key = await host.createApiKey(['invoices'])
    const config = await discover(key, authenticate(key.client_secret))
    const tokens = await oauth.clientCredentialsGrant(config, { scope: 'invoices:read' })
    expect(tokens).toMatchObject({ scope: 'invoices:read', expires_in: 864_000, token_type: 'bearer' })
    const url = new URL(`${host.audience}/invoices/list`)
    const response = await oauth.fetchProtectedResource(config, tokens.access_token, url, 'GET')
    expect(response.status).toBe(200)
  })

  it('openid-client gets delegated tokens, refreshes them and reads user info', async () => {
    const config = await discover(await host.createApplication())
    const tokens = await connect(config, 'openid profile email invoices:read')
    expect(tokens.claims()).toMatchObject({ iss: host.issuer, sub: 'alice' })
    expect(tokens.expires_in).toBe(3600)

    const user = await oauth.fetchUserInfo(config, tokens.access_token, 'alice')
    expect(user).toEqual({ sub: 'alice', account_id: 'alice', name: 'Alice', email: 'alice@example.com' })

    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    expect(refreshed.claims()?.sub).toBe('alice')
    expect((await host.call('GET /invoices/list', refreshed.access_token)).status).toBe(200)
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ])('openid-client introspects and revokes tokens with %s', async (_name, authenticate) => {
    const application = await host.createApplication()
    const config = await discover(application, authenticate(application.client_secret))
    const tokens = await connect(config, 'openid profile invoices:read')
    const call = () => host.call('GET /invoices/list', tokens.access_token)
    expect(await oauth.fetchUserInfo(config, tokens.access_token, 'alice')).toMatchObject({ name: 'Alice' })
    expect(await oauth.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      iss: host.issuer,
      aud: host.audience,
      sub: 'alice',
      client_id: application.client_id,
      scope: 'openid profile invoices:read',
      token_type: 'Bearer',
      access_mode: 'delegated',
    })
    expect((await call()).status).toBe(200)

    await oauth.tokenRevocation(config, tokens.access_token)
    expect(await oauth.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
    expect((await call()).status).toBe(401)
    await expect(oauth.fetchUserInfo(config, tokens.access_token, 'alice')).rejects.toMatchObject({
      cause: [{ parameters: { error: 'invalid_token' } }],
    })

    const hint = { token_type_hint: 'refresh_token' }
    expect(await oauth.tokenIntrospection(config, tokens.refresh_token!, hint)).toMatchObject({
      active: true,
    })
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    await oauth.tokenRevocation(config, refreshed.refresh_token!, hint)
    expect(await oauth.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false })
    await expect(oauth.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('openid-client introspects a direct token as its owner and as a resource server, and revokes the token as its owner', async () => {
    const key = await host.createApiKey(['invoices'])
    const config = await discover(key)
    const { access_token: token } = await oauth.clientCredentialsGrant(config)
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'An API',
      resourceServer: true,
    })
    const resourceServer = await discover({ client_id: apiKey.clientId, client_secret: clientSecret })
    const answer = await oauth.tokenIntrospection(config, token)
    expect(answer).toMatchObject({ active: true, access_mode: 'direct', account_id: 'acme' })
    expect(await oauth.tokenIntrospection(resourceServer, token)).toEqual(answer)
    // If a client tries to revoke a token of another client, it gets 200, and the token stays valid (RFC 7009
    // 2.1).
    await oauth.tokenRevocation(resourceServer, token)
    expect(await oauth.tokenIntrospection(config, token)).toEqual(answer)
    await oauth.tokenRevocation(config, token)
    expect(await oauth.tokenIntrospection(resourceServer, token)).toEqual({ active: false })
  })

  it('openid-client works without OpenID Connect and without a scope', async () => {
    const config = await discover(await host.createApplication())
    const tokens = await connect(config, 'payments:list')
    expect(tokens.scope).toBe('payments:list')
    expect(tokens.id_token).toBeUndefined()
    const all = await connect(config, '')
    expect(all.scope).toBe('invoices:read invoices:create payments:list payments:transfer')
  })

  it('openid-client gets access_denied with state and iss when the user denies consent', async () => {
    const application = await host.createApplication()
    const config = await discover(application)
    const expectedState = oauth.randomState()
    const { callback } = await authorize(host, application.client_id, {
      parameters: { state: expectedState },
      deny: true,
    })
    await expect(oauth.authorizationCodeGrant(config, callback, { expectedState })).rejects.toMatchObject({
      name: 'AuthorizationResponseError',
      error: 'access_denied',
    })
  })

  it('openid-client rejects a response with another issuer (RFC 9207)', async () => {
    const application = await host.createApplication()
    const config = await discover(application)
    const { callback } = await authorize(host, application.client_id)
    callback.searchParams.set('iss', 'https://evil.example')
    const because = (message: string) => ({ cause: { message: expect.stringContaining(message) } })
    const exchange = () => oauth.authorizationCodeGrant(config, callback, { expectedState: 'xyz' })
    await expect(exchange()).rejects.toMatchObject(because('unexpected "iss"'))
    callback.searchParams.delete('iss')
    await expect(exchange()).rejects.toMatchObject(because('"iss" (issuer) missing'))
    callback.searchParams.set('iss', host.issuer)
    expect((await exchange()).access_token).toEqual(expect.any(String))
  })

  it('openid-client signs the user out (RP-initiated logout)', async () => {
    const redirectUri = 'http://localhost:9/bye'
    const application = await host.createApplication({ postLogoutRedirectUris: [redirectUri] })
    const config = await discover(application)
    const browser = host.browser()
    const { id_token, refresh_token } = await connect(config, 'openid invoices:read', browser)
    const url = oauth.buildEndSessionUrl(config, {
      id_token_hint: id_token!,
      post_logout_redirect_uri: redirectUri,
      state: 'out',
    })
    const page = await browser.open(url)
    expect(page.status).toBe(200)
    const end = await browser.submit(page, { button: ['logout', 'yes'] })
    expect(end.url.href).toBe(`${redirectUri}?state=out`)

    const silent = await authorize(host, application.client_id, { browser, parameters: { prompt: 'none' } })
    expect(silent.callback.searchParams.get('error')).toBe('login_required')
    // A sign-out ends the session. The grant of the application stays valid.
    expect((await oauth.refreshTokenGrant(config, refresh_token!)).access_token).toEqual(expect.any(String))
  })
})
