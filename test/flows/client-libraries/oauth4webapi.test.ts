import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorize, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

/** Allows http, because the test host serves http on localhost. */
const insecure = { [oauth.allowInsecureRequests]: true }

describeEachStore('oauth4webapi', (makeStore) => {
  let host: Host
  let server: oauth.AuthorizationServer
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    server = await discover('oidc')
  })
  afterAll(() => host.close())

  async function discover(algorithm: 'oidc' | 'oauth2') {
    const issuer = new URL(host.issuer)
    const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
    return oauth.processDiscoveryResponse(issuer, response)
  }

  async function direct() {
    const { client_id, client_secret } = await host.createApiKey()
    const client = { client_id }
    const authentication = oauth.ClientSecretPost(client_secret)
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure)
    return oauth.processClientCredentialsResponse(server, client, response)
  }

  /** Runs the delegated flow with every check of the library. */
  async function delegated({ client_id, client_secret }: Awaited<ReturnType<Host['createApplication']>>) {
    const client = { client_id }
    const authentication = oauth.ClientSecretBasic(client_secret)
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const nonce = oauth.generateRandomNonce()
    const { callback } = await authorize(host, client_id, {
      parameters: {
        scope: 'openid profile invoices:read',
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
    })
    const answer = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      answer,
      CALLBACK,
      verifier,
      insecure,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    return { client, authentication, tokens, response }
  }

  function apiCall(token: string) {
    const headers = { authorization: `Bearer ${token}` }
    return new Request(`${host.audience}/invoices/list`, { headers })
  }

  it('oauth4webapi finds the same service by OpenID Connect Discovery and by RFC 8414', async () => {
    expect(await discover('oauth2')).toEqual(server)
    expect(server).toMatchObject({
      issuer: host.issuer,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: expect.arrayContaining(['openid', 'invoices:read', 'payments:transfer']),
    })
  })

  it('oauth4webapi finds the API by its metadata (RFC 9728)', async () => {
    const audience = new URL(host.audience)
    const response = await oauth.resourceDiscoveryRequest(audience, insecure)
    const resource = await oauth.processResourceDiscoveryResponse(audience, response)
    expect(resource.authorization_servers).toEqual([host.issuer])
  })

  it('oauth4webapi accepts access tokens of both modes as JWT access tokens (RFC 9068)', async () => {
    const { access_token: directToken } = await direct()
    const ofKey = await oauth.validateJwtAccessToken(server, apiCall(directToken), host.audience, insecure)
    expect(ofKey).toMatchObject({ iss: host.issuer, access_mode: 'direct', account_id: 'acme' })

    const application = await host.createApplication()
    const { tokens } = await delegated(application)
    const claims = await oauth.validateJwtAccessToken(
      server,
      apiCall(tokens.access_token),
      host.audience,
      insecure,
    )
    expect(claims).toMatchObject({
      sub: 'alice',
      client_id: application.client_id,
      access_mode: 'delegated',
      scope: 'openid profile invoices:read',
    })
    await expect(
      oauth.validateJwtAccessToken(server, apiCall(tokens.id_token!), host.audience, insecure),
    ).rejects.toThrow(/typ/)
    await expect(
      oauth.validateJwtAccessToken(server, apiCall(directToken), 'https://other.example', insecure),
    ).rejects.toThrow(/aud/)
  })

  it('oauth4webapi gets a direct token that the API accepts', async () => {
    const tokens = await direct()
    expect(tokens.expires_in).toBe(864_000)
    expect((await fetch(apiCall(tokens.access_token))).status).toBe(200)
  })

  it('oauth4webapi gets delegated tokens and verifies the signature of the ID token', async () => {
    const { client, tokens, response } = await delegated(await host.createApplication())
    await oauth.validateApplicationLevelSignature(server, response, insecure)
    const idToken = oauth.getValidatedIdTokenClaims(tokens)
    expect(idToken).toMatchObject({ sub: 'alice', aud: client.client_id, iss: host.issuer })
    expect(idToken).not.toHaveProperty('name')

    const answer = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
    expect(await oauth.processUserInfoResponse(server, client, 'alice', answer)).toEqual({
      sub: 'alice',
      account_id: 'alice',
      name: 'Alice',
    })
    expect((await fetch(apiCall(tokens.access_token))).status).toBe(200)
  })

  it('oauth4webapi refreshes tokens, and a used refresh token is rejected', async () => {
    const { client, authentication, tokens } = await delegated(await host.createApplication())
    const refresh = async () => {
      const token = tokens.refresh_token!
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure)
      return oauth.processRefreshTokenResponse(server, client, response)
    }
    const refreshed = await refresh()
    expect(refreshed.scope).toBe(tokens.scope)
    expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe('alice')
    expect((await fetch(apiCall(refreshed.access_token))).status).toBe(200)
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
  })

  it('oauth4webapi introspects and revokes access tokens and refresh tokens (RFC 7662, RFC 7009)', async () => {
    const { client, authentication, tokens } = await delegated(await host.createApplication())
    const introspect = async (token: string) => {
      const response = await oauth.introspectionRequest(server, client, authentication, token, insecure)
      return oauth.processIntrospectionResponse(server, client, response)
    }
    const revoke = async (token: string) => {
      const response = await oauth.revocationRequest(server, client, authentication, token, insecure)
      await oauth.processRevocationResponse(response)
    }
    const { access_token: token, refresh_token: refreshToken = '' } = tokens
    expect(await introspect(token)).toMatchObject({
      active: true,
      iss: host.issuer,
      sub: 'alice',
      client_id: client.client_id,
      account_id: 'alice',
    })
    expect(await introspect(refreshToken)).toMatchObject({ active: true, client_id: client.client_id })
    await oauth.validateJwtAccessToken(server, apiCall(token), host.audience, insecure)

    await revoke(token)
    expect(await introspect(token)).toEqual({ active: false })
    expect((await fetch(apiCall(token))).status).toBe(401)
    const userInfo = await oauth.userInfoRequest(server, client, token, insecure)
    await expect(oauth.processUserInfoResponse(server, client, 'alice', userInfo)).rejects.toMatchObject({
      cause: [{ parameters: { error: 'invalid_token' } }],
    })
    // The signature of a revoked token stays valid, so a local check alone does not notice the revocation.
    await oauth.validateJwtAccessToken(server, apiCall(token), host.audience, insecure)

    expect(await introspect(refreshToken)).toMatchObject({ active: true })
    await revoke(refreshToken)
    expect(await introspect(refreshToken)).toEqual({ active: false })
    const wrong = oauth.ClientSecretPost('x'.repeat(43))
    const rejected = await oauth.revocationRequest(server, client, wrong, token, insecure)
    await expect(oauth.processRevocationResponse(rejected)).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
    })
  })

  it('oauth4webapi rejects a response with another issuer or state', async () => {
    const { client_id } = await host.createApplication()
    const { callback } = await authorize(host, client_id)
    const validate = (url: URL, state: string) =>
      oauth.validateAuthResponse(server, { client_id }, url, state)
    expect(validate(callback, 'xyz').get('code')).toBe(callback.searchParams.get('code'))
    expect(() => validate(callback, 'other')).toThrow(/state/)
    callback.searchParams.set('iss', 'https://evil.example')
    expect(() => validate(callback, 'xyz')).toThrow(/iss/)
  })
})
