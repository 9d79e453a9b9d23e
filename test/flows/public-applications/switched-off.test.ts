import { afterAll, beforeAll, expect, it } from 'vitest'
import { asParameters, createClientKey, signAssertion } from '../../support/client-keys.ts'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { connectPublic, createPkce, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('without the options publicApplications and privateKeyJwt', (makeStore) => {
  let on: Host
  let off: Host
  beforeAll(async () => {
    on = await startHost({
      store: makeStore('shared'),
      gatehouse: { publicApplications: true, privateKeyJwt: true },
    })
    const { issuer, audience } = on
    off = await startHost({ store: makeStore('shared'), gatehouse: { issuer, audience } })
  })
  afterAll(async () => {
    await on.close()
    await off.close()
  })

  it('no public application and no client with keys can be created', async () => {
    const { applications, apiKeys } = off.gatehouse
    const input = { accountId: 'acme', name: 'New', products: ['invoices'] }
    const { jwk } = await createClientKey()
    await expect(applications.create({ ...input, isPublic: true })).rejects.toMatchObject({
      problems: [{ path: 'isPublic', code: 'not-allowed' }],
    })
    await expect(apiKeys.create({ ...input, jwks: { keys: [jwk] } })).rejects.toMatchObject({
      problems: [{ path: 'jwks.keys[0]', code: 'not-allowed' }],
    })
    const { client_id } = await off.createApiKey()
    await expect(apiKeys.addKey(client_id, jwk)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    expect(await apiKeys.listKeys(client_id)).toEqual([])
  })

  it('a public application of another process gets nothing: no page, no token, no answer to a preflight', async () => {
    const origin = 'https://spa.example.com'
    const client_id = await createPublicApplication(on, { redirectUris: [`${origin}/callback`] })
    const redirect_uri = `${origin}/callback`
    const { refresh_token } = await connectPublic(on, client_id, { redirect_uri })
    const parameters = { redirect_uri, ...createPkce().challenge }
    expect((await off.browser().open(authorizationUrl(off, client_id, parameters))).status).toBe(400)
    const answer = await off.token({ client_id, grant_type: 'refresh_token', refresh_token })
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client'])
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await fetch(`http://localhost:${off.port}/auth/oauth2/token`, {
      method: 'OPTIONS',
      headers,
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
    // The refresh token was not used up.
    expect((await on.token({ client_id, grant_type: 'refresh_token', refresh_token })).status).toBe(200)
  })

  it('an assertion counts as no credentials', async () => {
    const key = await createClientKey()
    const { apiKey } = await on.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Export',
      products: ['invoices'],
      jwks: { keys: [key.jwk] },
    })
    const assertion = await signAssertion(key, apiKey.clientId, on.issuer)
    const form = { ...asParameters(assertion), client_id: apiKey.clientId, grant_type: 'client_credentials' }
    expect((await off.token(form)).status).toBe(401)
    expect((await on.token(form)).status).toBe(200)
  })

  it('the metadata is what it always was', async () => {
    const metadata = async ({ port }: Host) =>
      (await fetch(`http://localhost:${port}/auth/.well-known/openid-configuration`)).text()
    const text = await metadata(off)
    expect(text).not.toMatch(
      /private_key_jwt|"none"[^,]*,?"?\]|signing_alg_values_supported":\["ES256","RS256","PS256"/,
    )
    const document = JSON.parse(text) as Record<string, unknown>
    const methods = ['client_secret_basic', 'client_secret_post']
    expect(document['token_endpoint_auth_methods_supported']).toEqual(methods)
    expect(document['revocation_endpoint_auth_methods_supported']).toEqual(methods)
    expect(document['introspection_endpoint_auth_methods_supported']).toEqual(methods)
    expect(JSON.parse(await metadata(on))).toMatchObject({
      token_endpoint_auth_methods_supported: [...methods, 'private_key_jwt', 'none'],
      revocation_endpoint_auth_methods_supported: [...methods, 'private_key_jwt', 'none'],
      introspection_endpoint_auth_methods_supported: [...methods, 'private_key_jwt'],
      code_challenge_methods_supported: ['S256'],
    })
  })
})
