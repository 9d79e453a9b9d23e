import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeJwt } from 'jose'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { json, send } from '../../support/raw-request.ts'

const REGISTERED = 'https://ledger.example/oauth/callback?tenant=7'

describe('attacks on the authorization request', () => {
  let host: Host
  let application: { client_id: string; client_secret: string }
  beforeAll(async () => {
    host = await startHost({
      mount(app, gatehouse) {
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        // The host itself answers no request.
        app.use(() => {})
      },
    })
    await host.gatehouse.ready()
    application = await host.createApplication({ redirectUris: [CALLBACK, REGISTERED] })
  })
  afterAll(() => host.close())

  /** Sends one authorization request without cookies, and does not follow redirects. */
  const ask = (query: URLSearchParams | string) =>
    send(host.port, { target: `/auth/oauth2/authorize?${String(query)}`, headers: { accept: 'text/html' } })

  const parametersWith = (changes: Record<string, string>) =>
    authorizationUrl(host, application.client_id, changes).searchParams

  describe('the redirect URI', () => {
    it('gatehouse never redirects to a URI that differs from the registered redirect URI', async () => {
      const other = [
        'https://ledger.example/oauth/callback?tenant=8',
        'https://ledger.example/oauth/callback',
        'https://ledger.example/oauth/callback?tenant=7&x=1',
        'https://ledger.example/oauth/callback/?tenant=7',
        'https://ledger.example:443/oauth/callback?tenant=7',
        'https://LEDGER.example/oauth/callback?tenant=7',
        'https://ledger.example/oauth/%63allback?tenant=7',
        'https://ledger.example/oauth/../oauth/callback?tenant=7',
        'https://ledger.example/oauth/callback?tenant=7#',
        'https://user@ledger.example/oauth/callback?tenant=7',
        'https://ledger.example@evil.example/oauth/callback?tenant=7',
        'https://ledger.example.evil.example/oauth/callback?tenant=7',
        'https://ledger.example\\@evil.example/',
        'http://ledger.example/oauth/callback?tenant=7',
        '//ledger.example/oauth/callback?tenant=7',
        ' https://ledger.example/oauth/callback?tenant=7',
        'https://ledger.example/oauth/callback?tenant=7\n',
        'http://localhost:10/callback',
        'http://127.0.0.1:9/callback',
        'http://localhost:9/callback/',
        'javascript:alert(1)',
        'data:text/html,x',
        '/callback',
      ]
      const wrong: unknown[] = []
      for (const redirect_uri of other) {
        // Apart from its redirect URI, the request is valid or has one more error.
        for (const more of [{}, { response_type: 'token' }]) {
          const { status, headers, text } = await ask(parametersWith({ redirect_uri, ...more }))
          const isRejected = status === 400 && text.includes('invalid_redirect_uri')
          const isSafe = !headers.has('location') && !text.includes('http-equiv')
          if (!isRejected || !isSafe || headers.get('cache-control') !== 'no-store') {
            wrong.push([redirect_uri, more, status])
          }
        }
      }
      expect(wrong).toEqual([])
    })

    it('a registered redirect URI with a query gets the redirect, and keeps its query', async () => {
      const answer = await ask(parametersWith({ redirect_uri: REGISTERED, prompt: 'none' }))
      expect(answer.status).toBe(303)
      const location = new URL(answer.headers.get('location')!)
      expect(location.href).toMatch(/^https:\/\/ledger\.example\/oauth\/callback\?tenant=7&/)
      expect(location.searchParams.get('error')).toBe('login_required')
    })

    it('a request with two redirect URIs is rejected, whichever URI is first', async () => {
      for (const pair of [
        [CALLBACK, 'https://evil.example/'],
        ['https://evil.example/', CALLBACK],
        [CALLBACK, CALLBACK],
      ]) {
        const parameters = parametersWith({ redirect_uri: '' })
        for (const uri of pair) parameters.append('redirect_uri', uri)
        const answer = await ask(parameters)
        expect(answer.status).toBe(400)
        expect(answer.headers.get('location')).toBeNull()
      }
    })
  })

  describe('state and iss', () => {
    it('each wrong request is answered with its error, state and iss', async () => {
      const wrong: Record<string, Record<string, string>[]> = {
        unsupported_response_type: [
          { response_type: 'token' },
          { response_type: 'id_token', nonce: 'n' },
          { response_type: 'none' },
          { response_type: 'code token' },
          { response_type: '__proto__' },
          { response_mode: 'fragment', response_type: 'token' },
        ],
        unsupported_response_mode: [
          { response_mode: 'form_post' },
          { response_mode: 'fragment' },
          { response_mode: 'fragment', scope: 'unknown' },
          { response_mode: 'jwt' },
          { response_mode: 'constructor' },
        ],
        invalid_request: [
          { response_type: '' },
          { response_mode: 'query', response_type: 'token' },
          { prompt: 'none login' },
          { prompt: 'unknown' },
          { prompt: '__proto__' },
          { prompt: 'create' },
          { max_age: '-1' },
          { max_age: 'x' },
          { max_age: '9'.repeat(400) },
          { max_age: '1e3' },
          { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
          { code_challenge: 'short' },
          { code_challenge_method: 'S256' },
          { id_token_hint: 'x' },
        ],
        request_not_supported: [{ request: 'eyJhbGciOiJub25lIn0.eyJzY29wZSI6Im9wZW5pZCJ9.' }],
        request_uri_not_supported: [
          { request_uri: 'https://evil.example/request' },
          { request_uri: 'http://127.0.0.1:1/' },
        ],
        registration_not_supported: [{ registration: '{"redirect_uris":["https://evil.example/"]}' }],
        login_required: [{ prompt: 'none' }],
        invalid_scope: [
          { scope: 'unknown' },
          { scope: '__proto__' },
          { scope: 'a"b' },
          { scope: '<script>' },
          { scope: 'line\r\nSet-Cookie: evil=1' },
          { scope: 'ünknown' },
        ],
        invalid_target: [{ resource: 'https://evil.example/' }, { resource: '__proto__' }],
      }
      const state = 'a b&c=d#e%"<>\r\nSet-Cookie: evil=1;ü😀'
      for (const [error, requests] of Object.entries(wrong)) {
        for (const parameters of requests) {
          const what = `${error}: ${JSON.stringify(parameters)}`
          const answer = await ask(parametersWith({ state, ...parameters }))
          expect(answer.headers.get('set-cookie') ?? '', what).not.toContain('evil=')
          expect(answer.status, what).toBe(303)
          expect(answer.text, what).not.toContain('<script')
          const { origin, pathname, hash, searchParams } = new URL(answer.headers.get('location')!)
          // The response mode is always query.
          expect([origin + pathname, hash], what).toEqual([CALLBACK, ''])
          expect(Object.fromEntries(searchParams), what).toMatchObject({ error, state, iss: host.issuer })
          expect(searchParams.get('code'), what).toBeNull()
          // RFC 6749 4.1.2.1
          const description = searchParams.get('error_description') ?? ''
          expect(description, what).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/)
        }
      }
    })

    it('the response with the code contains state and iss', async () => {
      const state = 'a b&c=d#e%"<>ü😀'
      const { callback } = await authorize(host, application.client_id, { parameters: { state } })
      expect(callback.searchParams.get('code')).toMatch(/^[\w-]{43,}$/)
      expect(callback.searchParams.get('state')).toBe(state)
      expect(callback.searchParams.get('iss')).toBe(host.issuer)
      expect(callback.hash).toBe('')
    })

    it('the response contains state and iss when the user denies consent', async () => {
      const { callback } = await authorize(host, application.client_id, {
        deny: true,
        parameters: { prompt: 'consent' },
      })
      expect(Object.fromEntries(callback.searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'xyz',
        iss: host.issuer,
      })
    })
  })

  it('a request that repeats a parameter is rejected', async () => {
    for (const name of [
      'client_id',
      'scope',
      'state',
      'response_type',
      'prompt',
      'nonce',
      'code_challenge',
    ]) {
      const parameters = parametersWith({
        scope: 'invoices:read',
        prompt: 'login',
        nonce: 'n',
        code_challenge: 'E9Melhoa2OwvFrEMTJGuCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      })
      parameters.append(name, parameters.get(name)!)
      const { headers } = await host.post('/oauth2/authorize', [...parameters])
      for (const query of [parameters, new URL(headers.get('location')!).searchParams]) {
        const answer = await ask(query)
        const location = answer.headers.get('location')
        const error = location === null ? answer.text : new URL(location).searchParams.get('error')
        expect(error, name).toContain('invalid_request')
        expect(location ?? '', name).not.toContain('/interaction/')
        if (name === 'client_id') expect(location).toBeNull()
      }
    }
  })

  it('claims, acr_values and unknown parameters add no claim to tokens or user info', async () => {
    const claims = JSON.stringify({ userinfo: { email: { essential: true } }, id_token: { email: null } })
    const parameters = {
      scope: 'openid invoices:read',
      claims,
      acr_values: 'x',
      __proto__x: 'y',
      constructor: 'z',
    }
    const { id_token, access_token } = await connect(host, application, { parameters })
    expect(decodeJwt(id_token!)).not.toHaveProperty('email')
    const headers = { authorization: `Bearer ${access_token}` }
    const answer = await send(host.port, { target: '/auth/oauth2/userinfo', headers })
    expect(json(answer)).toEqual({ sub: 'alice', account_id: 'alice' })
  })

  it('gatehouse ignores dpop_jkt and the DPoP header, and issues a Bearer token without cnf', async () => {
    const { code } = await authorize(host, application.client_id, {
      parameters: { dpop_jkt: 'x'.repeat(43) },
    })
    const { body } = await host.token(
      { ...application, grant_type: 'authorization_code', code },
      { dpop: 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.x' },
    )
    expect(body['token_type']).toBe('Bearer')
    expect(decodeJwt(String(body['access_token']))).not.toHaveProperty('cnf')
    const direct = await host.token(
      { ...(await host.createApiKey()), grant_type: 'client_credentials' },
      { dpop: 'x' },
    )
    expect(direct.status).toBe(200)
    expect(decodeJwt(String(direct.body['access_token']))).not.toHaveProperty('cnf')
  })

  it('whatever the parameters are, the address of an interaction answers 400 to a browser without the cookie of the interaction', async () => {
    for (const { client_id } of [application, await host.createApiKey()]) {
      for (const query of [
        '',
        `?client_id=${client_id}`,
        `?client_id=${client_id}&redirect_uri=x&scope=openid`,
      ]) {
        const target = `/auth/oauth2/authorize/unknown${query}`
        expect((await send(host.port, { method: 'GET', target })).status, target).toBe(400)
      }
    }
    expect(host.errors).toEqual([])
  })

  it('each path of an endpoint of oidc-provider that gatehouse does not offer answers 404', async () => {
    const paths = `/oauth2/request /oauth2/par /request /oauth2/register /oauth2/reg /reg /reg/app_x
      /oauth2/introspection /token/introspection /oauth2/revocation /token/revocation /oauth2/device /device/auth
      /device /oauth2/backchannel /backchannel /oauth2/challenge /auth /token /me /jwks /session/end
      /.well-known/webfinger /oauth2/authorize/a/b /oauth2 /__proto__ /oauth2/constructor`.split(/\s+/)
    const answered: unknown[] = []
    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await send(host.port, { method, target: `/auth${path}` })
        if (status !== 404 || text !== 'Not Found') answered.push([method, path, status, text])
      }
    }
    expect(answered).toEqual([])
  })

  it('the discovery document names no endpoint, grant, algorithm or method that gatehouse does not offer', async () => {
    const document = json(await send(host.port, { target: '/auth/.well-known/openid-configuration' }))
    expect(
      Object.keys(document)
        .filter((name) => name.endsWith('_endpoint'))
        .toSorted(),
    ).toEqual([
      'authorization_endpoint',
      'end_session_endpoint',
      'introspection_endpoint',
      'revocation_endpoint',
      'token_endpoint',
      'userinfo_endpoint',
    ])
    expect(document).toMatchObject({
      grant_types_supported: expect.not.arrayContaining(['implicit', 'password']),
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      request_uri_parameter_supported: false,
    })
    const { prompt_values_supported: _, ...rest } = document
    expect(JSON.stringify(rest)).not.toMatch(/dpop|HS256|"none"|form_post/)
  })
})
