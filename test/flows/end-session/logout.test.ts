import { SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Browser, Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, CALLBACK, type Tokens } from '../../support/host.ts'
import { startSessionHost, type SessionHost } from '../../support/session-host.ts'
import { describeEachStore } from '../../support/stores.ts'

const BYE = 'http://localhost:9/bye'

describeEachStore('RP-initiated logout', (makeStore) => {
  let host: SessionHost
  let application: Awaited<ReturnType<SessionHost['createApplication']>>
  let browser: Browser
  let tokens: Tokens
  beforeAll(async () => {
    host = await startSessionHost({ store: makeStore() })
  })
  /** Signs alice in at the host and at gatehouse, and gets her tokens for the application. */
  beforeEach(async () => {
    application = await host.createApplication({ postLogoutRedirectUris: [BYE] })
    browser = host.browser()
    host.signInAt(browser, { accountId: 'alice' })
    tokens = await connect()
  })
  afterAll(() => host.close())

  async function connect(): Promise<Tokens> {
    const scope = 'openid invoices:read'
    let page = await browser.open(authorizationUrl(host, application.client_id, { scope }))
    if (asksFor(page) === 'consent') page = await submit(page, 'action', 'approve', /consent$/)
    const code = page.url.searchParams.get('code')!
    const { body } = await host.exchangeCode(application, code)
    return body as unknown as Tokens
  }
  const submit = (page: Page, name: string, value: string, action = /logout/) =>
    browser.submit(page, { action, button: [name, value] })
  function logoutUrl(parameters: Record<string, string | undefined>) {
    const url = new URL(`${host.issuer}/oauth2/logout`)
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) url.searchParams.set(name, value)
    return url
  }
  const open = (parameters: Record<string, string | undefined> = {}) => browser.open(logoutUrl(parameters))
  async function hasGatehouseSession() {
    host.signInAt(browser, { accountId: 'alice' })
    const url = authorizationUrl(host, application.client_id, { scope: 'openid', prompt: 'none' })
    return (await browser.open(url)).url.searchParams.has('code')
  }
  const refresh = () => host.refresh(application, tokens.refresh_token)
  const sessionCookies = () =>
    [...browser.cookies.keys()].filter((key) => key.startsWith('gatehouse_session|'))

  describe('with id_token_hint', () => {
    const hinted = (more = {}) => ({ id_token_hint: tokens.id_token, ...more })

    it('a sign-out with id_token_hint asks the user and redirects to a registered address with state', async () => {
      const page = await open(hinted({ post_logout_redirect_uri: BYE, state: 'out' }))
      expect(page.status).toBe(200)
      expect(page.headers.get('cache-control')).toContain('no-store')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(host.isSignedInAt(browser)).toBe(true)
      const end = await submit(page, 'logout', 'yes')
      expect(end.url.href).toBe(`${BYE}?state=out`)
    })

    it('the query of the address after a sign-out stays as it is registered, with and without a session', async () => {
      const signed = `${BYE}?next=a%20b&sig=~x!`
      await host.gatehouse.applications.update(application.client_id, { postLogoutRedirectUris: [signed] })
      const request = hinted({ post_logout_redirect_uri: signed, state: 'out' })
      expect((await submit(await open(request), 'logout', 'yes')).url.href).toBe(`${signed}&state=out`)
      expect((await open(request)).url.href).toBe(`${signed}&state=out`)
    })

    it('a sign-out ends the session of the host and the session of gatehouse', async () => {
      await submit(await open(hinted({ post_logout_redirect_uri: BYE })), 'logout', 'yes')
      expect(host.isSignedInAt(browser)).toBe(false)
      expect(sessionCookies()).toEqual([])
      const url = authorizationUrl(host, application.client_id, { scope: 'openid', prompt: 'none' })
      expect((await browser.open(url)).url.searchParams.get('error')).toBe('login_required')
      expect((await browser.open(authorizationUrl(host, application.client_id))).url.pathname).toBe('/login')
    })

    it('refresh tokens stay valid after a sign-out', async () => {
      await submit(await open(hinted()), 'logout', 'yes')
      const { status, body } = await refresh()
      expect(status).toBe(200)
      const call = await host.call('GET /invoices/list', String(body['access_token']))
      expect(call.status).toBe(200)
    })

    it('a sign-out without a redirect address ends on a page that confirms the sign-out', async () => {
      const end = await submit(await open(hinted()), 'logout', 'yes')
      expect(end.status).toBe(200)
      expect(end.url.href).toMatch(`${host.issuer}/oauth2/logout`)
      expect(end.body).toMatch(/signed out/i)
    })

    it('a user who declines the sign-out keeps both sessions, and the tokens stay valid', async () => {
      const page = await open(hinted({ post_logout_redirect_uri: BYE }))
      const end = await browser.submit(page, { action: /logout/ })
      expect(end.url.href).toBe(BYE)
      expect(host.isSignedInAt(browser)).toBe(true)
      expect(await hasGatehouseSession()).toBe(true)
      expect((await refresh()).status).toBe(200)
    })

    it.each(['https://evil.example/', `${BYE}/`, `${BYE}?x`, CALLBACK, 'javascript:alert(1)'])(
      'a sign-out with the unregistered address %s leads to the error page',
      async (address) => {
        const page = await browser.request(logoutUrl(hinted({ post_logout_redirect_uri: address })))
        expect(page.status).toBe(400)
        expect(page.headers.get('location')).toBeNull()
        expect(page.headers.get('content-type')).toMatch(/^text\/html/)
        expect(host.isSignedInAt(browser)).toBe(true)
        expect(await hasGatehouseSession()).toBe(true)
      },
    )

    it('a sign-out with a forged id_token_hint, or with an ID token of another client, is rejected', async () => {
      const [header, , signature] = tokens.id_token!.split('.')
      const claims = Buffer.from(JSON.stringify({ aud: application.client_id, sub: 'bob' }))
      const forged = `${header}.${claims.toString('base64url')}.${signature}`
      const other = await host.createApplication()
      const requests = [
        { id_token_hint: forged },
        { id_token_hint: 'nonsense' },
        hinted({ client_id: other.client_id }),
      ]
      for (const parameters of requests) {
        const page = await open({ ...parameters, post_logout_redirect_uri: BYE })
        expect(page.status).toBe(400)
        expect(page.url.origin).toBe(host.origin)
      }
    })
  })

  it('an id_token_hint with alg none, or that the application signed with its secret, is rejected', async () => {
    const [, claims] = tokens.id_token!.split('.')
    const unsigned = `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${claims}.`
    const own = await new SignJWT({ nonce: 'n' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(application.client_id)
      .setAudience(host.issuer)
      .setSubject('alice')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(application.client_secret))
    for (const id_token_hint of [unsigned, own]) {
      const page = await open({ id_token_hint, post_logout_redirect_uri: BYE, state: 'out' })
      expect([page.status, page.url.origin]).toEqual([400, host.origin])
      expect(page.body).toContain('invalid_request')
      expect(host.isSignedInAt(browser)).toBe(true)
    }
  })

  it('a sign-out without state redirects to the registered address without state', async () => {
    const page = await open({ id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE })
    expect((await submit(page, 'logout', 'yes')).url.href).toBe(BYE)
  })

  it.each<Record<string, string>>([{}, { state: 'out' }])(
    'a sign-out with only the parameters %j ends both sessions on a page that confirms the sign-out',
    async (parameters) => {
      const end = await submit(await open(parameters), 'logout', 'yes')
      expect([end.status, end.url.origin]).toEqual([200, host.origin])
      expect(end.body).toMatch(/signed out/i)
      expect(host.isSignedInAt(browser)).toBe(false)
      expect(sessionCookies()).toEqual([])
    },
  )

  it('a sign-out with client_id and without id_token_hint redirects to a registered address', async () => {
    const { client_id } = application
    const page = await open({ client_id, post_logout_redirect_uri: BYE, state: 'out' })
    expect((await submit(page, 'logout', 'yes')).url.href).toBe(`${BYE}?state=out`)
    expect(host.isSignedInAt(browser)).toBe(false)
  })

  describe('with a client_id that is no enabled application', () => {
    /** An id of each kind that must get the answers of an application. */
    let ids: string[]
    beforeAll(async () => {
      const disabled = await host.createApplication()
      await host.gatehouse.applications.disable(disabled.client_id)
      const deleted = await host.createApplication()
      await host.gatehouse.applications.delete(deleted.client_id)
      const apiKey = await host.createApiKey()
      const unusable = [disabled, deleted, apiKey].map(({ client_id }) => client_id)
      ids = [...unusable, 'unknown', 'constructor', 'x'.repeat(5000)]
    })
    const forgedHint = (aud: string) => {
      const [header] = tokens.id_token!.split('.')
      const claims = Buffer.from(JSON.stringify({ iss: host.issuer, aud, sub: 'alice' })).toString(
        'base64url',
      )
      return `${header}.${claims}.${'A'.repeat(342)}`
    }
    /** What a person sees, without what differs between two requests for the same id. */
    function seen({ status, url, headers, body }: Page) {
      const page = body.replaceAll(/name="xsrf" value="[^"]+"/g, 'xsrf')
      return { status, path: url.origin + url.pathname, type: headers.get('content-type'), page }
    }
    const requests: Record<string, (id: string) => Record<string, string | undefined>> = {
      'a client_id': (id) => ({ client_id: id }),
      'a client_id and state': (id) => ({ client_id: id, state: 's' }),
      'an unregistered address': (id) => ({
        client_id: id,
        post_logout_redirect_uri: 'https://evil.example/',
      }),
      'a forged hint': (id) => ({ id_token_hint: forgedHint(id) }),
      'a forged hint and an address': (id) => ({
        id_token_hint: forgedHint(id),
        post_logout_redirect_uri: BYE,
      }),
      'a client_id and a forged hint': (id) => ({ client_id: id, id_token_hint: forgedHint(id) }),
      'a client_id and the hint of another client': (id) => ({
        client_id: id,
        id_token_hint: forgedHint('other'),
      }),
    }

    it('a sign-out gets the answer of an application, with and without a session', async () => {
      for (const [name, parametersOf] of Object.entries(requests)) {
        for (const visitor of [browser, host.browser()]) {
          const answer = async (id: string) => seen(await visitor.request(logoutUrl(parametersOf(id))))
          const expected = await answer(application.client_id)
          for (const id of ids) expect([name, id, await answer(id)]).toEqual([name, id, expected])
        }
      }
    })

    it('the answer on the sign-out page leads to the page of an application', async () => {
      for (const button of [['logout', 'yes'] as [string, string], undefined]) {
        const ends = new Set<string>()
        for (const client_id of [application.client_id, ...ids]) {
          const visitor = host.browser()
          host.signInAt(visitor, { accountId: 'alice' })
          await visitor.open(authorizationUrl(host, application.client_id))
          const page = await visitor.open(logoutUrl({ client_id }))
          const end = await visitor.submit(page, { action: /logout/, ...(button && { button }) })
          expect(end.status).toBe(200)
          ends.add(JSON.stringify(seen(end)))
        }
        expect(ends.size).toBe(1)
      }
    })

    it('a sign-out does not redirect to an address that only another application has', async () => {
      for (const client_id of ids) {
        const page = await browser.request(logoutUrl({ client_id, post_logout_redirect_uri: BYE }))
        expect([page.status, page.headers.get('location')]).toEqual([400, null])
      }
    })

    it('the page after a sign-out is the same for every client_id', async () => {
      const success = async (id: string) =>
        seen(await browser.request(new URL(`${host.issuer}/oauth2/logout/success?client_id=${id}`)))
      for (const id of ids) {
        expect(await success(id)).toEqual(await success(application.client_id))
      }
    })
  })

  it('a sign-out without client_id and id_token_hint ignores the redirect address', async () => {
    const page = await open({ post_logout_redirect_uri: BYE })
    expect(page.status).toBe(200)
    const end = await submit(page, 'logout', 'yes')
    expect(end.url.origin).toBe(host.origin)
    expect(end.status).toBe(200)
    expect(host.isSignedInAt(browser)).toBe(false)
  })

  it('a sign-out form with a guessed CSRF token ends no session', async () => {
    const page = await open()
    const forged = await browser.submit(page, {
      action: /logout/,
      change: { xsrf: 'guessed' },
      button: ['logout', 'yes'],
    })
    expect(forged.status).toBe(400)
    expect(host.isSignedInAt(browser)).toBe(true)
    expect(await hasGatehouseSession()).toBe(true)
  })

  it('a sign-out request by POST is redirected to GET, so that the browser sends the cookies', async () => {
    const { client_id } = application
    const answer = await browser.request(logoutUrl({}), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ client_id, post_logout_redirect_uri: BYE, state: 'out' }).toString(),
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const address = answer.headers.get('location')!
    expect(address).toMatch(`${host.issuer}/oauth2/logout?`)
    expect((await submit(await browser.open(address), 'logout', 'yes')).url.href).toBe(`${BYE}?state=out`)
  })

  describe('without a session of gatehouse', () => {
    beforeEach(() => {
      browser = host.browser()
    })

    it('a sign-out without any session redirects immediately', async () => {
      const { client_id } = application
      const page = await open({ client_id, post_logout_redirect_uri: BYE, state: 'out' })
      expect(page.url.href).toBe(`${BYE}?state=out`)
    })

    it('a sign-out without any session and without a redirect address shows a page that confirms the sign-out', async () => {
      const page = await open()
      expect(page.status).toBe(200)
      expect(page.body).toMatch(/signed out/i)
      expect(page.body).not.toContain('<script')
    })

    it("a sign-out of a user who has only the host's session asks the user and ends that session", async () => {
      host.signInAt(browser, { accountId: 'alice' })
      const { client_id } = application
      const page = await open({ client_id, post_logout_redirect_uri: BYE })
      expect(page.status).toBe(200)
      expect(host.isSignedInAt(browser)).toBe(true)
      expect((await submit(page, 'logout', 'yes')).url.href).toBe(BYE)
      expect(host.isSignedInAt(browser)).toBe(false)
    })

    it('a sign-out without any session rejects an unregistered address', async () => {
      const { client_id } = application
      const page = await open({ client_id, post_logout_redirect_uri: 'https://evil.example/' })
      expect(page.status).toBe(400)
      expect(page.url.origin).toBe(host.origin)
    })
  })
})
