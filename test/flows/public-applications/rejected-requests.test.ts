import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import {
  authorizePublic,
  connectPublic,
  createPkce,
  createPublicApplication,
  LOOPBACK,
} from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('requests of public applications', (makeStore) => {
  let host: Host
  let client_id: string
  beforeAll(async () => {
    host = await startHost({ store: makeStore(), gatehouse: { publicApplications: true } })
  })
  beforeEach(async () => {
    client_id = await createPublicApplication(host)
  })
  afterAll(() => host.close())

  const problemOf = ({ status, body }: Awaited<ReturnType<Host['token']>>) => [status, body['error']]

  it('a public application gets tokens with PKCE and without a secret, refreshes them, and revokes its own token', async () => {
    const tokens = await connectPublic(host, client_id, { parameters: { scope: 'invoices:read' } })
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'invoices:read', expires_in: 3600 })
    const { refresh_token } = tokens
    const refreshed = await host.token({ client_id, grant_type: 'refresh_token', refresh_token })
    expect(refreshed.status).toBe(200)
    expect(refreshed.body['refresh_token']).not.toBe(refresh_token)
    const token = String(refreshed.body['access_token'])
    expect((await host.call('GET /invoices/1', token)).status).toBe(200)
    expect((await host.post('/oauth2/revoke', { client_id, token })).status).toBe(200)
    expect((await host.call('GET /invoices/1', token)).status).toBe(401)
  })

  it('a public application that sends a secret, in the body or by HTTP Basic, is told that it has none', async () => {
    const { refresh_token } = await connectPublic(host, client_id)
    const grant = { grant_type: 'refresh_token', refresh_token }
    const answers = [
      await host.token({ ...grant, client_id, client_secret: 'x'.repeat(40) }),
      await host.token(grant, { authorization: `Basic ${btoa(`${client_id}:${'x'.repeat(40)}`)}` }),
      await host.post('/oauth2/revoke', { client_id, client_secret: 'x'.repeat(40), token: refresh_token }),
    ]
    for (const answer of answers) {
      expect(problemOf(answer)).toEqual([401, 'invalid_client'])
      expect(answer.body['error_description']).toContain('it has no secret')
    }
    // The refresh token was not used up, and not revoked.
    expect((await host.token({ ...grant, client_id })).status).toBe(200)
  })

  it('an empty secret counts as none, because some libraries send one', async () => {
    const { refresh_token } = await connectPublic(host, client_id)
    const answer = await host.token({
      client_id,
      client_secret: '',
      grant_type: 'refresh_token',
      refresh_token,
    })
    expect(answer.status).toBe(200)
  })

  it('HTTP Basic with an empty secret counts as no secret, and only a public application goes without one', async () => {
    const { refresh_token, access_token } = await connectPublic(host, client_id)
    const empty = (id: string) => ({ authorization: `Basic ${btoa(`${id}:`)}` })
    const refresh = { grant_type: 'refresh_token', refresh_token }
    const revoked = await host.post('/oauth2/revoke', { token: access_token }, empty(client_id))
    expect(revoked.status).toBe(200)
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(401)
    // Another id, or a secret, in the form.
    for (const more of [{ client_id: 'app_other' }, { client_secret: 'x'.repeat(40) }]) {
      const answer = await host.token({ ...refresh, ...more }, empty(client_id))
      expect(problemOf(answer)).toEqual([400, 'invalid_request'])
    }
    const { client_id: confidential } = await host.createApplication()
    const { client_id: key } = await host.createApiKey()
    for (const id of [confidential, key, 'app_unknown']) {
      for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
        const answer = await host.post(path, { ...refresh, token: 'x' }, empty(id))
        expect([id, path, ...problemOf(answer)]).toEqual([id, path, 401, 'invalid_client'])
        expect(answer.body['error_description']).toContain('client_secret is missing')
        expect(answer.headers.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
      }
    }
    expect((await host.token(refresh, empty(client_id))).status).toBe(200)
  })

  it('a disabled public application gets the text of every disabled client, and its page no Basic challenge', async () => {
    const origin = 'https://spa.example'
    const id = await createPublicApplication(host, { redirectUris: [`${origin}/callback`] })
    await host.gatehouse.applications.disable(id)
    await host.gatehouse.audit.list({ limit: 1 })
    const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', client_id: id }
    for (const path of ['/oauth2/token', '/oauth2/revoke']) {
      const [ofPage, ofProgram] = await Promise.all([
        host.post(path, form, { origin }),
        host.post(path, form),
      ])
      for (const answer of [ofPage, ofProgram]) {
        expect([path, ...problemOf(answer)]).toEqual([path, 401, 'invalid_client'])
        expect(answer.body['error_description']).toBe('client authentication failed')
      }
      // With a challenge, the browser would ask the person for a password.
      expect(ofPage.headers.get('www-authenticate')).toBeNull()
      expect(ofProgram.headers.get('www-authenticate')).toContain('Basic')
    }
  })

  it('a client credentials request gets unauthorized_client', async () => {
    const answer = await host.token({ client_id, grant_type: 'client_credentials' })
    expect(problemOf(answer)).toEqual([400, 'unauthorized_client'])
    expect(answer.text).not.toContain('access_token')
  })

  it('introspection gets 401, also for its own token', async () => {
    const { access_token } = await connectPublic(host, client_id)
    const answer = await host.post('/oauth2/introspect', { client_id, token: access_token })
    expect(problemOf(answer)).toEqual([401, 'invalid_client'])
    expect(answer.body['error_description']).toContain('A public application cannot introspect tokens')
    expect(answer.body).not.toHaveProperty('active')
  })

  it('a confidential application, an API key and an unknown client cannot go without a secret', async () => {
    const application = await host.createApplication()
    const apiKey = await host.createApiKey()
    for (const id of [application.client_id, apiKey.client_id, 'app_unknown']) {
      for (const path of ['/oauth2/token', '/oauth2/revoke', '/oauth2/introspect']) {
        const answer = await host.post(path, { client_id: id, grant_type: 'client_credentials', token: 'x' })
        expect([path, ...problemOf(answer)]).toEqual([path, 401, 'invalid_client'])
        expect(answer.headers.get('www-authenticate')).toContain('Basic')
      }
    }
  })

  it('a public application cannot revoke the token of another client', async () => {
    const other = await createPublicApplication(host)
    const { access_token } = await connectPublic(host, other)
    expect((await host.post('/oauth2/revoke', { client_id, token: access_token })).status).toBe(200)
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(200)
  })

  it('authorization requests without a code challenge for S256 get invalid_request, with the issuer', async () => {
    const { challenge } = createPkce()
    for (const parameters of [
      {},
      { ...challenge, code_challenge_method: 'plain' },
      // Without a method, which means plain.
      { code_challenge: challenge.code_challenge },
    ]) {
      const redirect_uri = 'http://127.0.0.1:51004/callback'
      const page = await host
        .browser()
        .open(authorizationUrl(host, client_id, { redirect_uri, ...parameters }))
      expect(page.url.href).toMatch(/^http:\/\/127\.0\.0\.1:51004\/callback\?/)
      const query = Object.fromEntries(page.url.searchParams)
      expect(query).toMatchObject({ error: 'invalid_request', state: 'xyz', iss: host.issuer })
    }
  })

  it('a stolen code gets no token without its verifier, or with another redirect URI', async () => {
    const { exchange } = await authorizePublic(host, client_id)
    for (const change of [
      { code_verifier: '' },
      { code_verifier: createPkce().verifier },
      { redirect_uri: 'http://127.0.0.1:51005/callback' },
      // The registered redirect URI in place of the one of the request.
      { redirect_uri: LOOPBACK },
    ]) {
      const answer = await host.token({ ...exchange, ...change })
      expect([change, ...problemOf(answer)]).toEqual([change, 400, 'invalid_grant'])
      expect(answer.text).not.toContain('access_token')
    }
    expect((await host.token(exchange)).status).toBe(200)
  })

  it('a stolen code cannot be exchanged by another public application', async () => {
    const { exchange } = await authorizePublic(host, client_id)
    const other = await createPublicApplication(host)
    expect(problemOf(await host.token({ ...exchange, client_id: other }))).toEqual([400, 'invalid_grant'])
    expect((await host.token(exchange)).status).toBe(200)
  })

  it('the redirect URI may be left out in the exchange, whatever the port was', async () => {
    const { exchange } = await authorizePublic(host, client_id)
    const { redirect_uri: _, ...others } = exchange
    expect((await host.token(others)).status).toBe(200)
  })

  it('a refresh token of a public application is useless with the id of another client', async () => {
    const { refresh_token } = await connectPublic(host, client_id)
    const other = await createPublicApplication(host)
    const answer = await host.token({ client_id: other, grant_type: 'refresh_token', refresh_token })
    expect(problemOf(answer)).toEqual([400, 'invalid_grant'])
    expect(answer.body['error_description']).toBe('refresh token not found')
  })
})
