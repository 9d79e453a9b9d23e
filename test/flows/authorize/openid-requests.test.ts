import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { isAt } from '../../support/browser.ts'
import {
  asksFor,
  authorizationUrl,
  authorize,
  CALLBACK,
  connect,
  signInAs,
  startHost,
  type Host,
} from '../../support/host.ts'

/** Every claim of the standard scopes (OpenID Connect Core 5.4). */
const CLAIMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  profile: {
    name: 'Carol Carter',
    family_name: 'Carter',
    given_name: 'Carol',
    middle_name: 'C',
    nickname: 'Caz',
    preferred_username: 'carol',
    profile: 'https://carol.example/',
    picture: 'https://carol.example/picture.png',
    website: 'https://carol.example/blog',
    gender: 'female',
    birthdate: '1990-05-04',
    zoneinfo: 'Europe/London',
    locale: 'en-GB',
    updated_at: 1_700_000_000,
  },
  email: { email: 'carol@example.com', email_verified: true },
  address: { address: { locality: 'Oxford', country: 'GB' } },
  phone: { phone_number: '+44 20 7946 0000', phone_number_verified: false },
}

describe('an authorization request of OpenID Connect', () => {
  let host: Host
  let application: Awaited<ReturnType<Host['createApplication']>>
  beforeAll(async () => {
    host = await startHost({
      store: memoryStore(),
      gatehouse: {
        claims: Object.fromEntries(
          Object.entries(CLAIMS).map(([scope, claims]) => [scope, Object.keys(claims)]),
        ),
      },
    })
    host.accounts.set('carol', { id: 'carol', claims: Object.assign({}, ...Object.values(CLAIMS)) })
    application = await host.createApplication()
  })
  afterAll(() => host.close())

  const signIn = (parameters: Record<string, string>, browser = host.browser()) =>
    connect(host, application, { parameters, browser, user: 'carol' })
  async function userInfo(accessToken: string) {
    const { status, body } = await host.userInfo(accessToken)
    expect(status).toBe(200)
    return body
  }

  it('user info has every claim of the scopes that the account has, and no other claim of the account', async () => {
    for (const scopes of [...Object.keys(CLAIMS), 'profile email address phone']) {
      const { access_token, scope } = await signIn({ scope: `openid ${scopes}` })
      expect(scope).toBe(`openid ${scopes}`)
      const claims = Object.assign({}, ...scopes.split(' ').map((name) => CLAIMS[name])) as object
      expect(await userInfo(access_token)).toEqual({ sub: 'carol', account_id: 'carol', ...claims })
    }
  })

  it('parameters that do not change the answer, their order, and a missing nonce are accepted, and the parameter claims is ignored', async () => {
    for (const parameters of [
      { scope: 'openid email', nonce: 'n', display: 'popup', login_hint: 'carol', ui_locales: 'de' },
      { extra: 'foobar', scope: 'email openid', display: 'page', ui_locales: 'se', acr_values: '1 2' },
    ]) {
      const { pages, code } = await authorize(host, application.client_id, {
        user: 'carol',
        parameters,
      })
      expect(asksFor(pages[0]!)).toBe('sign-in')
      expect(pages[0]!.headers.get('content-language')).toBe(parameters.ui_locales === 'de' ? 'de' : 'en')
      const { status, body } = await host.exchangeCode(application, code)
      expect(status).toBe(200)
      const claims = decodeJwt(String(body['id_token']))
      expect(claims.sub).toBe('carol')
      expect(claims['nonce']).toBe('nonce' in parameters ? 'n' : undefined)
      expect(claims).not.toHaveProperty('acr')
    }
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
    const { access_token, id_token } = await signIn({ scope: 'openid', claims })
    expect(await userInfo(access_token)).toEqual({ sub: 'carol', account_id: 'carol' })
    expect(decodeJwt(String(id_token))).not.toHaveProperty('name')
  })

  it('an ID token has the nonce of its authorization request, but the ID token of a refresh has none (OpenID Connect Core 12.2)', async () => {
    const first = await signIn({ scope: 'openid', nonce: 'n-0' })
    expect(decodeJwt(String(first.id_token))['nonce']).toBe('n-0')
    const { body } = await host.refresh(application, first.refresh_token)
    expect(decodeJwt(String(body['id_token']))).not.toHaveProperty('nonce')
  })

  it('a signed-in user gets a second code without a page, with the same sub and auth_time', async () => {
    const browser = host.browser()
    const first = await signIn({ scope: 'openid', max_age: '15000' }, browser)
    const before = decodeJwt(String(first.id_token))
    for (const parameters of [
      { prompt: 'none' },
      { max_age: '10000' },
      { prompt: 'none', id_token_hint: String(first.id_token) },
    ]) {
      const second = await authorize(host, application.client_id, {
        browser,
        parameters: { scope: 'openid', max_age: '15000', ...parameters },
      })
      expect(second.pages).toHaveLength(1)
      const { body } = await host.exchangeCode(application, second.code)
      const { sub, auth_time } = decodeJwt(String(body['id_token']))
      expect({ sub, auth_time }).toEqual({ sub: before.sub, auth_time: before['auth_time'] })
      expect(auth_time).toEqual(expect.any(Number))
    }
  })

  it('an authorization request by POST leads to the sign-in page, and then to a code', async () => {
    const browser = host.browser()
    const url = authorizationUrl(host, application.client_id, { scope: 'openid' })
    const posted = await browser.request(new URL(url.origin + url.pathname), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: url.searchParams.toString(),
    })
    expect(posted.status).toBe(303)
    let page = await browser.open(new URL(posted.headers.get('location') ?? '', url))
    expect(asksFor(page)).toBe('sign-in')
    page = await signInAs(browser, page, 'carol')
    if (asksFor(page) === 'consent') {
      page = await browser.submit(page, { action: /consent$/, button: ['action', 'approve'] })
    }
    expect(isAt(page, CALLBACK), page.url.href).toBe(true)
    const { status } = await host.exchangeCode(application, page.url.searchParams.get('code') ?? '')
    expect(status).toBe(200)
  })

  it('a request object with the registered address does not make an unregistered redirect_uri valid', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { client_id: application.client_id, redirect_uri: CALLBACK, response_type: 'code' }
    const page = await host.browser().open(
      authorizationUrl(host, application.client_id, {
        scope: 'openid',
        redirect_uri: `${CALLBACK}_invalid`,
        request: `${part({ alg: 'none' })}.${part(claims)}.`,
      }),
    )
    expect([page.status, page.url.origin]).toEqual([400, host.origin])
    expect(page.body).toContain('invalid_redirect_uri')
  })
})
