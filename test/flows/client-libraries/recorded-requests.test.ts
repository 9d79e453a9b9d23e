import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorize, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { basic } from '../../support/host-requests.ts'
import { authorizePublic, createPkce, createPublicApplication } from '../../support/public-application.ts'
import { json, send } from '../../support/raw-request.ts'

const FORM = 'application/x-www-form-urlencoded'
const PAGE = 'http://localhost:5173'
const REDIRECT_URI = `${PAGE}/callback`

/** What Chromium adds to the requests of a page. */
const FROM_PAGE = {
  Origin: PAGE,
  Referer: `${PAGE}/`,
  'Sec-Fetch-Site': 'same-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-US,en;q=0.9',
}

// The requests were recorded from the wire: headers (without User-Agent), fields, and the order of the fields.
describe('recorded requests of client programs', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ gatehouse: { publicApplications: true } })
  })
  afterAll(() => host.close())

  type Headers = Record<string, string>
  const toEndpoint = (name: string, method: string, headers: Headers, body?: string) => {
    const { port, pathname } = new URL(`${host.issuer}/oauth2/${name}`)
    return send(Number(port), { method, target: pathname, headers, body })
  }
  /** Sends a form with these fields, in this order. */
  async function post(name: string, headers: Headers, fields: string, values: Record<string, unknown>) {
    const form = new URLSearchParams(
      fields.split(' ').map((field): [string, string] => [field, String(values[field])]),
    )
    const answer = await toEndpoint(name, 'POST', headers, form.toString())
    return { ...answer, body: answer.text.startsWith('{') ? json(answer) : {} }
  }
  const statusOfCall = async (token: unknown) => (await host.call('GET /invoices/list', String(token))).status

  const ANGULAR = { Accept: 'application/json, text/plain, */*', 'Content-Type': FORM, ...FROM_PAGE }
  const SWAGGER = { 'X-Requested-With': 'XMLHttpRequest', ...ANGULAR }
  const SCALAR = { 'Content-Type': FORM, Accept: '*/*', ...FROM_PAGE }
  const EXCHANGE_OF_SWAGGER = 'grant_type code client_id redirect_uri code_verifier'

  it.each<{
    program: string
    headers: Headers
    fields: string
    isBasic?: true
    preflight?: string
    asks?: Headers
  }>([
    {
      program: 'oidc-client-ts 3.5 in a pop-up',
      headers: { Accept: 'application/json', 'Content-Type': FORM, ...FROM_PAGE },
      fields: 'grant_type redirect_uri code code_verifier client_id',
      asks: { scope: 'openid profile invoices:read', display: 'popup' },
    },
    {
      program: 'Swagger UI 5.35',
      headers: SWAGGER,
      fields: EXCHANGE_OF_SWAGGER,
      preflight: 'x-requested-with',
      asks: { state: 'U3VuIE5vdiAyOSAyMDI2IDA3OjM4OjI4IEdNVCswMDAwIChDb29yZGluYXRlZCBVbml2ZXJzYWwgVGltZSk=' },
    },
    {
      program: 'Swagger UI 5.35 with HTTP Basic',
      headers: SWAGGER,
      isBasic: true,
      fields: EXCHANGE_OF_SWAGGER,
      preflight: 'authorization,x-requested-with',
    },
    {
      program: 'Scalar 1.46',
      headers: SCALAR,
      isBasic: true,
      fields: 'redirect_uri code grant_type code_verifier',
      preflight: 'authorization',
    },
    {
      program: 'Scalar 1.46 with credentials in the body',
      headers: SCALAR,
      fields: 'client_id client_secret redirect_uri code grant_type code_verifier',
    },
  ])('a page with $program gets tokens', async ({ headers, fields, isBasic, preflight, asks = {} }) => {
    const client_id = await createPage()
    const parameters = { scope: 'invoices:read', ...asks }
    const { exchange } = await authorizePublic(host, client_id, { redirect_uri: REDIRECT_URI, parameters })
    if (preflight !== undefined) {
      const { status, headers: allows } = await toEndpoint('token', 'OPTIONS', {
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': preflight,
        ...FROM_PAGE,
      })
      expect([status, allows.get('access-control-allow-headers')]).toEqual([204, preflight])
    }
    const client = { client_id, client_secret: '' }
    const all = { ...headers, ...(isBasic && { Authorization: basic(client).authorization }) }
    const answer = await post('token', all, fields, { ...exchange, ...client })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PAGE])
    expect(await statusOfCall(answer.body['access_token'])).toBe(200)
  })

  it('a page with angular-auth-oidc-client 22 keeps its session after each refresh, and revokes its tokens', async () => {
    const client_id = await createPage()
    const { exchange } = await authorizePublic(host, client_id, {
      redirect_uri: REDIRECT_URI,
      parameters: { scope: 'openid profile invoices:read', nonce: 'n-0' },
    })
    const fields = 'grant_type client_id code_verifier code redirect_uri'
    let { body } = await post('token', ANGULAR, fields, exchange)
    expect(decodeJwt(String(body['id_token']))).toMatchObject({ sub: 'alice', nonce: 'n-0' })
    for (let i = 0; i < 2; i++) {
      const values = { client_id, grant_type: 'refresh_token', refresh_token: body['refresh_token'] }
      ;({ body } = await post('token', ANGULAR, 'grant_type client_id refresh_token', values))
      const claims = decodeJwt(String(body['id_token']))
      expect(claims).toMatchObject({ sub: 'alice', iss: host.issuer, aud: client_id })
      // The program ends the session of a user whose ID token of a refresh has a nonce.
      expect(claims).not.toHaveProperty('nonce')
    }
    expect(await statusOfCall(body['access_token'])).toBe(200)
    const token_type_hint = 'refresh_token'
    const values = { client_id, token: body['refresh_token'], token_type_hint }
    expect((await post('revoke', ANGULAR, 'client_id token token_type_hint', values)).status).toBe(200)
    expect(await statusOfCall(body['access_token'])).toBe(401)
  })

  const N8N = {
    Accept: 'application/json, application/x-www-form-urlencoded',
    'Content-Type': FORM,
    'Accept-Encoding': 'gzip, compress, deflate, br',
  }

  it.each([
    {
      program: 'openid-client 5.7 by HTTP Basic',
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', 'content-type': FORM },
      fields: 'grant_type code redirect_uri code_verifier',
      refreshes: 'grant_type refresh_token',
      isBasic: true,
    },
    {
      program: "n8n's client by HTTP Basic",
      headers: N8N,
      fields: 'code grant_type redirect_uri code_verifier',
      refreshes: 'refresh_token grant_type',
      isBasic: true,
    },
    {
      program: "n8n's client with the secret in the body",
      headers: N8N,
      fields: 'code grant_type redirect_uri client_id client_secret',
      refreshes: 'refresh_token grant_type client_id client_secret',
      isBasic: false,
    },
  ])('$program gets tokens and refreshes them', async ({ headers, fields, refreshes, isBasic }) => {
    const client = await host.createApplication()
    const { verifier, challenge } = createPkce()
    const parameters = {
      state: 'eyJ0b2tlbiI6IngifQ==',
      ...(fields.includes('code_verifier') && challenge),
    }
    const { code } = await authorize(host, client.client_id, { parameters })
    const all = { ...headers, ...(isBasic && { Authorization: basic(client).authorization }) }
    const exchange = { code, grant_type: 'authorization_code', redirect_uri: CALLBACK }
    const first = await post('token', all, fields, { ...client, ...exchange, code_verifier: verifier })
    expect(first.status).toBe(200)

    const refresh = { grant_type: 'refresh_token', refresh_token: first.body['refresh_token'] }
    const second = await post('token', all, refreshes, { ...client, ...refresh })
    expect(await statusOfCall(second.body['access_token'])).toBe(200)
    // The client of n8n cannot revoke tokens.
    if (headers === N8N) return
    expect((await post('revoke', all, 'token', { token: second.body['refresh_token'] })).status).toBe(200)
    expect(await statusOfCall(second.body['access_token'])).toBe(401)
  })

  function createPage(): Promise<string> {
    return createPublicApplication(host, { redirectUris: ['http://localhost/callback'], origins: [PAGE] })
  }
})
