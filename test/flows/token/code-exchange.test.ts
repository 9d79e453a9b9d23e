// Also runs on: Redis
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const INVALID_GRANT = [400, 'invalid_grant']

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
      expect(outcome(await host.exchangeCode(application, code, { code_verifier: wrong }))).toEqual(
        INVALID_GRANT,
      )
      expect(outcome(await host.exchangeCode(application, code))).toEqual(INVALID_GRANT)
      expect((await host.exchangeCode(application, code, { code_verifier })).status).toBe(200)
    })

    it('a code verifier without a code challenge is answered with invalid_grant, and the code stays usable (RFC 9700 2.1.1)', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      const { code_verifier } = pkce()
      const answer = await host.exchangeCode(application, code, { code_verifier })
      expect(outcome(answer)).toEqual(INVALID_GRANT)
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
        expect(outcome(await host.exchangeCode(application, code, wrong))).toEqual(INVALID_GRANT)
      }
      const refreshed = await refresh(body['refresh_token'])
      expect(refreshed.status).toBe(200)
      expect(outcome(await host.exchangeCode(application, code, { code_verifier }))).toEqual(INVALID_GRANT)
      expect(outcome(await refresh(refreshed.body['refresh_token']))).toEqual(INVALID_GRANT)
    })

    it('a code challenge method other than S256 is answered with invalid_request', async () => {
      const { client_id } = await host.createApplication()
      for (const method of ['plain', '']) {
        const { parameters } = pkce('plain')
        const url = authorizationUrl(host, client_id, { ...parameters, code_challenge_method: method })
        const { searchParams } = (await host.browser().open(url)).url
        expect(Object.fromEntries(searchParams)).toMatchObject({
          error: 'invalid_request',
          state: 'xyz',
          iss: host.issuer,
        })
        expect(searchParams.get('code')).toBeNull()
      }
    })

    it('with requirePkce, an authorization request without a code challenge is answered with invalid_request', async () => {
      const strict = await startHost({ store: makeStore(), gatehouse: { requirePkce: true } })
      const application = await strict.createApplication()
      const { url } = await strict.browser().open(authorizationUrl(strict, application.client_id))
      expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'invalid_request', state: 'xyz' })
      expect(url.searchParams.get('error_description')).toContain('PKCE')
      const { code_verifier, parameters } = pkce()
      const { code } = await authorize(strict, application.client_id, { parameters })
      expect((await strict.exchangeCode(application, code, { code_verifier })).status).toBe(200)
      await strict.close()
    })
  })

  describe('redirect_uri', () => {
    const SECOND = 'http://localhost:9/second'

    it('an application may omit redirect_uri at the code exchange, also if several redirect URIs are registered', async () => {
      const application = await host.createApplication({ redirectUris: [SECOND, CALLBACK] })
      const { code, callback } = await authorize(host, application.client_id)
      expect(callback.pathname).toBe('/callback')
      expect(outcome(await host.exchangeCode(application, 'unknown'))).toEqual(INVALID_GRANT)
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('redirect_uri at the code exchange must equal redirect_uri of the authorization request, and after a mismatch the code stays usable', async () => {
      const application = await host.createApplication({ redirectUris: [CALLBACK, SECOND] })
      const { code } = await authorize(host, application.client_id)
      const wrong = [SECOND, `${CALLBACK}/`, CALLBACK.toUpperCase(), 'https://evil.example/']
      for (const redirect_uri of wrong) {
        expect(outcome(await host.exchangeCode(application, code, { redirect_uri }))).toEqual(INVALID_GRANT)
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

    it('an unregistered redirect_uri leads to the error page, and never to a redirect', async () => {
      const { client_id } = await host.createApplication()
      for (const redirect_uri of [
        `${CALLBACK}/`,
        `${CALLBACK}?x=1`,
        'http://localhost:10/callback',
        'http://localhost:9/Callback',
        'http://localhost:9/%63allback',
        'http://127.0.0.1:9/callback',
        'https://evil.example/callback',
        'javascript:alert(1)',
      ]) {
        const page = await host.browser().request(authorizationUrl(host, client_id, { redirect_uri }))
        expect([redirect_uri, page.status, page.headers.get('location')]).toEqual([redirect_uri, 400, null])
        expect(page.headers.get('content-type')).toMatch(/^text\/html/)
        expect(page.headers.get('x-frame-options')).toBe('DENY')
      }
    })
  })
})
