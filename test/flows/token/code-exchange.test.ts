// Also runs on: Redis
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('the code exchange', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  afterAll(() => host.close())

  /** The status and the error of a response. */
  const outcome = ({ status, body }: Awaited<ReturnType<Host['exchangeCode']>>) => [status, body['error']]

  function pkce(method: 'S256' | 'plain' = 'S256') {
    const code_verifier = randomBytes(32).toString('base64url')
    const hash = createHash('sha256').update(code_verifier).digest('base64url')
    const code_challenge = method === 'S256' ? hash : code_verifier
    return { code_verifier, parameters: { code_challenge, code_challenge_method: method } }
  }

  describe('PKCE (RFC 7636)', () => {
    it('a code exchange with an S256 code verifier succeeds (RFC 7636)', async () => {
      const application = await host.createApplication()
      const { code_verifier, parameters } = pkce()
      const { code } = await authorize(host, application.client_id, { parameters })
      expect((await host.exchangeCode(application, code, { code_verifier })).status).toBe(200)
    })

    it('a code exchange with a wrong or missing code verifier is answered with invalid_grant, and the code stays usable (RFC 7636)', async () => {
      const application = await host.createApplication()
      const { code_verifier, parameters } = pkce()
      const { code } = await authorize(host, application.client_id, { parameters })
      const wrong = pkce().code_verifier
      expect(outcome(await host.exchangeCode(application, code, { code_verifier: wrong }))).toEqual([
        400,
        'invalid_grant',
      ])
      expect(outcome(await host.exchangeCode(application, code))).toEqual([400, 'invalid_grant'])
      expect((await host.exchangeCode(application, code, { code_verifier })).status).toBe(200)
    })

    it('a code verifier without a code challenge is answered with invalid_grant, and the code stays usable (RFC 9700 2.1.1)', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      const { code_verifier } = pkce()
      const answer = await host.exchangeCode(application, code, { code_verifier })
      expect(outcome(answer)).toEqual([400, 'invalid_grant'])
      expect(answer.body['error_description']).toBe(
        'code_verifier was sent, but the authorization request had no code_challenge',
      )
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('reusing a code with the right code verifier revokes the whole grant, and reusing a code with a wrong code verifier revokes nothing', async () => {
      const application = await host.createApplication()
      const { code_verifier, parameters } = pkce()
      const { code } = await authorize(host, application.client_id, { parameters })
      const { body } = await host.exchangeCode(application, code, { code_verifier })
      const refresh = (token: unknown) => host.refresh(application, token)
      for (const wrong of [{}, { code_verifier: pkce().code_verifier }]) {
        expect(outcome(await host.exchangeCode(application, code, wrong))).toEqual([400, 'invalid_grant'])
      }
      const refreshed = await refresh(body['refresh_token'])
      expect(refreshed.status).toBe(200)
      expect(outcome(await host.exchangeCode(application, code, { code_verifier }))).toEqual([
        400,
        'invalid_grant',
      ])
      expect(outcome(await refresh(refreshed.body['refresh_token']))).toEqual([400, 'invalid_grant'])
    })

    it.each(['plain', ''])(
      'the code challenge method %j is answered with invalid_request, because only S256 is allowed',
      async (method) => {
        const { client_id } = await host.createApplication()
        const { parameters } = pkce('plain')
        const url = authorizationUrl(host, client_id, { ...parameters, code_challenge_method: method })
        const { searchParams } = (await host.browser().open(url)).url
        expect(Object.fromEntries(searchParams)).toMatchObject({
          error: 'invalid_request',
          state: 'xyz',
          iss: host.issuer,
        })
        expect(searchParams.get('code')).toBeNull()
      },
    )

    it('with requirePkce, an authorization request without a code challenge is answered with invalid_request', async () => {
      const strict = await startHost({ store: makeStore(), gatehouse: { requirePkce: true } })
      const application = await strict.createApplication()
      const { url } = await strict.browser().open(authorizationUrl(strict, application.client_id))
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'invalid_request', state: 'xyz' })
      expect(url.searchParams.get('error_description')).toContain('PKCE')
      const { code_verifier, parameters } = pkce()
      const { code } = await authorize(strict, application.client_id, { parameters })
      const answer = await strict.token({
        ...application,
        grant_type: 'authorization_code',
        code,
        code_verifier,
      })
      expect(answer.status).toBe(200)
      await strict.close()
    })
  })

  describe('redirect_uri', () => {
    const SECOND = 'http://localhost:9/second'

    it('an application with one registered redirect URI may omit redirect_uri at the code exchange', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('an application with several registered redirect URIs may omit redirect_uri at the code exchange', async () => {
      const application = await host.createApplication({ redirectUris: [SECOND, CALLBACK] })
      const { code, callback } = await authorize(host, application.client_id)
      expect(callback.pathname).toBe('/callback')
      expect(outcome(await host.exchangeCode(application, 'unknown'))).toEqual([400, 'invalid_grant'])
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('redirect_uri at the code exchange must equal redirect_uri of the authorization request, and after a mismatch the code stays usable', async () => {
      const application = await host.createApplication({ redirectUris: [CALLBACK, SECOND] })
      const { code } = await authorize(host, application.client_id)
      const wrong = [SECOND, `${CALLBACK}/`, CALLBACK.toUpperCase(), 'https://evil.example/']
      for (const redirect_uri of wrong) {
        expect(outcome(await host.exchangeCode(application, code, { redirect_uri }))).toEqual([
          400,
          'invalid_grant',
        ])
      }
      expect((await host.exchangeCode(application, code, { redirect_uri: CALLBACK })).status).toBe(200)
    })

    it('an application with one registered redirect URI may omit redirect_uri at the authorization request', async () => {
      const application = await host.createApplication()
      const { code, callback } = await authorize(host, application.client_id, {
        parameters: { redirect_uri: '' },
      })
      expect(callback.href).toMatch(`${CALLBACK}?`)
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it.each([
      `${CALLBACK}/`,
      `${CALLBACK}?x=1`,
      'http://localhost:10/callback',
      'http://localhost:9/Callback',
      'http://localhost:9/%63allback',
      'http://127.0.0.1:9/callback',
      'https://evil.example/callback',
      'javascript:alert(1)',
    ])(
      'the unregistered redirect_uri %s leads to the error page, and never to a redirect',
      async (redirect_uri) => {
        const { client_id } = await host.createApplication()
        const page = await host.browser().request(authorizationUrl(host, client_id, { redirect_uri }))
        expect(page.status).toBe(400)
        expect(page.headers.get('location')).toBeNull()
        expect(page.headers.get('content-type')).toMatch(/^text\/html/)
        expect(page.headers.get('x-frame-options')).toBe('DENY')
      },
    )
  })

  it('a code of another application is answered with invalid_grant, and that other application can still use the code', async () => {
    const [application, other] = [await host.createApplication(), await host.createApplication()]
    const { code } = await authorize(host, application.client_id)
    expect(outcome(await host.exchangeCode(other, code))).toEqual([400, 'invalid_grant'])
    expect((await host.exchangeCode(application, code)).status).toBe(200)
  })
})
