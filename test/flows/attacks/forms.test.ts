import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formsOf, type Browser, type Page } from '../../support/browser.ts'
import { authorizationUrl, authorize, CALLBACK, signInAs, startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

const FORM = 'application/x-www-form-urlencoded'

describe('attacks on pages and forms', () => {
  let host: Host
  let clientId: string
  let approved: unknown[]
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    const postLogoutRedirectUris = ['https://ledger.example/bye']
    clientId = (await host.createApplication({ postLogoutRedirectUris })).client_id
    host.gatehouse.on('consent.approved', (event) => approved.push(event))
  })
  beforeEach(() => {
    approved = []
  })
  afterAll(() => host.close())

  async function signInPage(
    browser = host.browser(),
    parameters: Record<string, string> = {},
  ): Promise<{ browser: Browser; page: Page }> {
    const page = await browser.open(
      authorizationUrl(host, clientId, { prompt: 'login consent', ...parameters }),
    )
    expect(page.status).toBe(200)
    return { browser, page }
  }

  async function consentPage(
    user = 'alice',
    browser = host.browser(),
  ): Promise<{ browser: Browser; page: Page }> {
    const { page } = await signInPage(browser)
    const next = await signInAs(browser, page, user)
    expect(formsOf(next).map(({ action }) => action)).toContainEqual(expect.stringMatching(/consent$/))
    return { browser, page: next }
  }

  const tokenOf = (page: Page) => /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const cookiesFor = (browser: Browser, url: URL) =>
    [...browser.cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split('|')[0]}=${value}`)
      .join('; ')

  /** Sends a form in the way that a page of another site, or a script, sends it. */
  function post(
    browser: Browser,
    url: URL,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    return send(host.port, {
      method: 'POST',
      target: url.pathname,
      headers: { accept: 'text/html', 'content-type': FORM, cookie: cookiesFor(browser, url), ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  }

  /** The forms: how a browser gets to each of them, and the fields of a valid answer. */
  const FORMS: Record<string, { open: typeof consentPage; fields: Record<string, string> }> = {
    'sign-in': { open: () => signInPage(), fields: { identifier: 'alice', password: 'correct' } },
    consent: { open: () => consentPage(), fields: { action: 'approve', scope: 'invoices:read' } },
    switch: { open: () => consentPage(), fields: {} },
  }

  type Attempt = readonly [fields: Record<string, string>, headers?: Record<string, string>]

  /** Opens each form, sends it with what the attack changes, and lists the attempts whose status is another one. */
  async function otherAnswers(
    status: number,
    attemptsOn: (opened: { csrf: string; cookie: string; other: string }) => readonly Attempt[],
  ) {
    const others: unknown[] = []
    for (const [step, { open, fields }] of Object.entries(FORMS)) {
      const { browser, page } = await open()
      const address = new URL(`${page.url.pathname}/${step}`, page.url)
      const [cookie, other] = [cookiesFor(browser, page.url), tokenOf((await open()).page)]
      for (const [changed, headers = {}] of attemptsOn({ csrf: tokenOf(page), cookie, other })) {
        const answer = await post(browser, address, { ...fields, ...changed }, headers)
        const isHarmless = !answer.headers.has('location') && !answer.text.includes('http-equiv="refresh"')
        if (answer.status !== status || !isHarmless) others.push([step, changed, headers, answer.status])
      }
    }
    expect(approved).toEqual([])
    return others
  }

  it('each form is rejected without its CSRF token, and with the token of another interaction', async () => {
    const found = await otherAnswers(403, ({ csrf, other }) => {
      const wrong = ['', 'x', 'a'.repeat(43), csrf.slice(0, -2), `${csrf}AA`, '__proto__', other]
      return [[{}], ...wrong.map((each): Attempt => [{ csrf: each }])]
    })
    expect(found).toEqual([])
  })

  it('each form that another site sends is rejected, even with the right CSRF token', async () => {
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: host.origin.replace('http:', 'https:') },
      { origin: `${host.origin}.evil.example` },
      { origin: host.origin, 'sec-fetch-site': 'cross-site' },
    ]
    expect(await otherAnswers(403, ({ csrf }) => foreign.map((headers) => [{ csrf }, headers]))).toEqual([])
  })

  it('each form is accepted with its token and the headers of a page of gatehouse', async () => {
    for (const [step, { open, fields }] of Object.entries(FORMS)) {
      const { browser, page } = await open()
      const address = new URL(`${page.url.pathname}/${step}`, page.url)
      const headers = { origin: host.origin, 'sec-fetch-site': 'same-origin' }
      const own = await post(browser, address, { ...fields, csrf: tokenOf(page) }, headers)
      expect([step, own.status]).toEqual([step, 200])
    }
  })

  it('each form is rejected with a changed cookie', async () => {
    const found = await otherAnswers(404, ({ csrf, cookie }) => {
      const changed = [
        cookie.replace(/gatehouse_interaction=([^;]{4})/, 'gatehouse_interaction=AAAA'),
        cookie.replace(/gatehouse_interaction\.sig=[^;]+/, 'gatehouse_interaction.sig=x'),
        cookie.replace(/gatehouse_interaction\.sig=[^;]+;? ?/, ''),
      ]
      expect(changed).not.toContain(cookie)
      return changed.map((forged) => [{ csrf }, { cookie: forged }])
    })
    expect(found).toEqual([])
  })

  it('each form that another browser sends with the right CSRF token, but without the cookie, is rejected', async () => {
    for (const [step, { open, fields }] of Object.entries(FORMS)) {
      const { page } = await open()
      const other = await open()
      for (const browser of [host.browser(), other.browser]) {
        const read = await send(host.port, {
          target: page.url.pathname,
          headers: { accept: 'text/html', cookie: cookiesFor(browser, page.url) },
        })
        expect([step, read.status, read.text.includes('<form')]).toEqual([step, 404, false])
        const address = new URL(`${page.url.pathname}/${step}`, page.url)
        const answer = await post(browser, address, { ...fields, csrf: tokenOf(page) })
        expect([step, answer.status]).toEqual([step, 404])
        expect(answer.text).toContain('belongs to another browser')
      }
    }
    expect(approved).toEqual([])
  })

  it('a consent form for one account is rejected after another account has signed in', async () => {
    const browser = host.browser()
    const { page } = await consentPage('alice', browser)
    const csrf = tokenOf(page)
    const switched = await browser.submit(page, { action: /switch/ })
    await signInAs(browser, switched, 'bob')
    const answer = await post(browser, new URL(`${page.url.pathname}/consent`, page.url), {
      action: 'approve',
      scope: 'invoices:read',
      csrf,
    })
    expect([403, 404]).toContain(answer.status)
    expect(approved).toEqual([])
  })

  it('if a consent form names more scopes than the request, only the scopes of the request are granted', async () => {
    const browser = host.browser()
    const parameters = { scope: 'invoices:read', prompt: 'login consent' }
    const { page } = await signInPage(browser, parameters)
    const consent = await signInAs(browser, page, 'alice')
    await browser.submit(consent, {
      action: /consent/,
      change: { scope: ['invoices:read', 'payments:transfer', 'openid', '__proto__'] },
      button: ['action', 'approve'],
    })
    expect(approved).toEqual([expect.objectContaining({ scopes: ['invoices:read'], denied: [] })])
  })

  it('signing in replaces the session id, so a planted session gives an attacker no access', async () => {
    const attacker = (await authorize(host, clientId, { user: 'bob', parameters: { prompt: 'login' } }))
      .browser
    const victim = host.browser()
    const sessionOf = (browser: Browser) =>
      [...browser.cookies].filter(([name]) => name.startsWith('gatehouse_session'))
    const planted = sessionOf(attacker)
    expect(planted.length).toBeGreaterThan(0)
    for (const [key, cookie] of planted) victim.cookies.set(key, cookie)
    await authorize(host, clientId, { browser: victim, parameters: { prompt: 'login' } })
    const newSession = sessionOf(victim)
    expect(newSession.map(([, { value }]) => value)).not.toContain(planted[0]![1].value)
    const page = await attacker.open(authorizationUrl(host, clientId, { prompt: 'none' }))
    expect(page.url.searchParams.get('error')).toBe('login_required')
    // The next sign-in replaces the session id again.
    await authorize(host, clientId, { browser: victim, parameters: { prompt: 'login' } })
    expect(sessionOf(victim)).not.toEqual(newSession)
  })

  describe('sign-out', () => {
    it('another site cannot sign a user out, because sign-out needs the form of the sign-out page', async () => {
      const { browser } = await authorize(host, clientId, { parameters: { prompt: 'login' } })
      const page = await browser.open(`${host.issuer}/oauth2/logout`)
      const [form] = formsOf(page)
      for (const fields of [
        { logout: 'yes' },
        { logout: 'yes', xsrf: '' },
        { logout: 'yes', xsrf: 'x' },
      ] as Record<string, string>[]) {
        const answer = await post(browser, new URL(form!.action, page.url), fields)
        expect(answer.status).toBe(400)
      }
      const still = await browser.open(authorizationUrl(host, clientId, { prompt: 'none' }))
      expect(still.url.searchParams.get('code')).not.toBeNull()
      const done = await browser.submit(page, { button: ['logout', 'yes'] })
      expect(done.status).toBe(200)
      const out = await browser.open(authorizationUrl(host, clientId, { prompt: 'none' }))
      expect(out.url.searchParams.get('error')).toBe('login_required')
    })

    it('sign-out never redirects to an unregistered address', async () => {
      const uris = [
        'https://evil.example/',
        'https://ledger.example/bye/',
        'https://ledger.example/bye?x=1',
        'https://ledger.example/bye#x',
        'https://LEDGER.example/bye',
        'https://ledger.example:443/bye',
        'https://ledger.example@evil.example/bye',
        'http://ledger.example/bye',
        '//evil.example',
        'javascript:alert(1)',
        CALLBACK,
      ]
      const wrong: string[] = []
      for (const post_logout_redirect_uri of uris) {
        const signedIn = (await authorize(host, clientId, { parameters: { prompt: 'login' } })).browser
        for (const browser of [host.browser(), signedIn]) {
          for (const more of [
            { client_id: clientId },
            {},
            { client_id: 'unknown' },
            { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.' },
          ]) {
            const query = new URLSearchParams({ post_logout_redirect_uri, ...more } as Record<string, string>)
            const page = await browser.open(`${host.issuer}/oauth2/logout?${query.toString()}`)
            const last = formsOf(page).length > 0 ? await browser.submit(page, {}) : page
            const isSafe =
              page.url.origin === host.origin &&
              last.url.origin === host.origin &&
              !page.body.includes('http-equiv') &&
              page.headers.get('content-security-policy')?.includes("form-action 'self'; ")
            if (!isSafe) wrong.push(query.toString())
          }
        }
      }
      expect(wrong).toEqual([])
    })

    it('sign-out redirects to a registered address with the state, and rejects a request with two addresses', async () => {
      const uri = 'https://ledger.example/bye'
      const url = new URL(`${host.issuer}/oauth2/logout`)
      url.search = String(
        new URLSearchParams({ post_logout_redirect_uri: uri, client_id: clientId, state: 'a\r\nX: y' }),
      )
      const page = await host.browser().open(url)
      expect(page.url.origin + page.url.pathname).toBe(uri)
      expect(page.url.searchParams.get('state')).toBe('a\r\nX: y')
      url.searchParams.append('post_logout_redirect_uri', 'https://evil.example/')
      const rejected = await host.browser().open(url)
      expect([rejected.status, rejected.url.origin]).toEqual([400, host.origin])
    })
  })

  it('the headers of every page forbid framing, scripts and caching', async () => {
    const browser = host.browser()
    const error = await browser.open(authorizationUrl(host, 'unknown'))
    const { page: consent } = await consentPage('alice', browser)
    const nothing = await browser.submit(consent, {
      action: /consent/,
      change: { scope: null },
      button: ['action', 'approve'],
    })
    const signIn = (await signInPage()).page
    const other = host.browser()
    const start = (await signInPage(other)).page
    const failed = await signInAs(other, start, 'alice', 'wrong')
    const between = await other.request(new URL(`${start.url.pathname}/sign-in`, start.url), {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: new URLSearchParams({
        identifier: 'alice',
        password: 'correct',
        csrf: tokenOf(start),
      }).toString(),
    })
    const expired = await host.browser().open(start.url)
    const nowhere = await host.browser().open(`${host.issuer}/interaction/x/y/z`)
    const resumed = await host.browser().open(`${host.issuer}/oauth2/authorize/unknown`)
    await authorize(host, clientId, { browser, parameters: { prompt: 'login' } })
    const signOut = await browser.open(`${host.issuer}/oauth2/logout`)
    const signedOut = await browser.open(`${host.issuer}/oauth2/logout/success`)
    const method = await browser.request(new URL(consent.url), { method: 'DELETE' })
    const pages = [error, consent, nothing, signIn, failed, between, expired, nowhere, resumed, signOut]
    pages.push(signedOut, method)

    expect(pages.map(({ status }) => status)).toEqual([
      400, 200, 400, 200, 401, 200, 404, 404, 400, 200, 200, 405,
    ])
    for (const { headers, body, url } of pages) {
      const csp = headers.get('content-security-policy') ?? ''
      expect(csp, url.href).toContain("frame-ancestors 'none'")
      expect(csp).toContain("default-src 'none'")
      expect(csp).toContain("base-uri 'none'")
      expect(csp).not.toMatch(/unsafe|script-src|\*/)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(body).not.toMatch(/<script|\son\w+=|javascript:/i)
    }
  })

  describe('the cookies', () => {
    async function cookiesOf(issuer?: string) {
      const other = await startHost(
        issuer === undefined ? {} : { gatehouse: { issuer, audience: 'https://example.com/api' } },
      )
      try {
        await other.gatehouse.ready()
        const { client_id } = await other.createApplication()
        const { pathname, search } = authorizationUrl(other, client_id)
        const { headers } = await send(other.port, { target: pathname + search })
        return headers.getSetCookie()
      } finally {
        await other.close()
      }
    }

    it('all cookies are HttpOnly, SameSite=Lax and limited to the paths of gatehouse, and Secure with an https issuer', async () => {
      // The app may run behind a TLS proxy without app.proxy.
      for (const issuer of [undefined, 'https://example.com/auth']) {
        const cookies = await cookiesOf(issuer)
        expect(cookies.length).toBeGreaterThanOrEqual(4)
        for (const cookie of cookies) {
          expect(cookie).toMatch(/; ?httponly/i)
          expect(cookie).toMatch(/; ?samesite=lax/i)
          expect(cookie).toMatch(/; ?path=\/auth(\/|;|$)/i)
          expect(cookie).not.toMatch(/; ?domain=/i)
          expect(/; ?secure/i.test(cookie)).toBe(issuer !== undefined)
        }
      }
    })
  })
})
