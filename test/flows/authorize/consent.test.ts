// Also runs on: Koa 2
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formsOf, type Browser, type Page } from '../../support/browser.ts'
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
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const ALL = ['invoices:read', 'invoices:create', 'payments:list', 'payments:transfer']

describeEachStore('consent', (makeStore) => {
  let host: Host
  let writes: string[]
  let application: Awaited<ReturnType<Host['createApplication']>>
  let browser: Browser
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({
      store: watched.store,
      gatehouse: { connectedApplicationsUri: '/settings/applications' },
    })
  })
  beforeEach(async () => {
    application = await host.createApplication()
    browser = host.browser()
  })
  afterAll(() => host.close())

  const open = (parameters: Record<string, string> = {}) =>
    browser.open(authorizationUrl(host, application.client_id, parameters))
  const authorizeAgain = (options: Parameters<typeof authorize>[2] = {}) =>
    authorize(host, application.client_id, { browser, ...options })

  /**
   * Opens an authorization request and signs in as alice.
   *
   * @returns the consent page, or the redirect to the application
   */
  async function signIn(parameters: Record<string, string> = {}): Promise<Page> {
    return signInAs(browser, await open(parameters), 'alice')
  }
  const decide = (page: Page, action: 'approve' | 'deny', scope: string[]) =>
    browser.submit(page, { action: /consent$/, change: { scope }, button: ['action', action] })

  /** Returns for each operation on the page whether the operation is ticked. */
  function rowsOf(page: Page): Record<string, boolean> {
    const inputs = [...page.body.matchAll(/<input\s+type="checkbox"[^>]*>/gs)].map(([input]) => input)
    return Object.fromEntries(
      inputs.map((input) => [/value="([^"]+)"/.exec(input)?.[1], /\schecked\b/.test(input)]),
    )
  }

  async function scopeOf(code: string): Promise<string> {
    const { status, body } = await host.exchangeCode(application, code)
    expect(status).toBe(200)
    return String(body['scope'])
  }

  describe('the consent page', () => {
    it('the consent page names the application, the developer, the account and every operation, all ticked', async () => {
      const page = await signIn()
      expect(page.status).toBe(200)
      for (const text of ['Ledger', 'Acme Ltd', 'Alice', 'Read your invoices', 'Move money', 'Payments']) {
        expect(page.body).toContain(text)
      }
      expect(rowsOf(page)).toEqual(Object.fromEntries(ALL.map((scope) => [scope, true])))
      expect(page.headers.get('cache-control')).toContain('no-store')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    })

    it('the consent page links to the policies of the application and to the connected applications of the host', async () => {
      const { applications } = host.gatehouse
      await applications.update(application.client_id, {
        privacyUri: 'https://ledger.example/privacy',
        termsUri: 'https://ledger.example/terms',
      })
      const { body } = await signIn()
      expect(body).toContain('href="https://ledger.example/privacy"')
      expect(body).toContain('href="https://ledger.example/terms"')
      expect(body).toContain('href="/settings/applications"')
      expect(body).toContain('class="note sensitive"')
    })

    it('the consent page shows only the requested operations', async () => {
      expect(rowsOf(await signIn({ scope: 'payments:list' }))).toEqual({ 'payments:list': true })
    })
  })

  describe('partial consent', () => {
    it('a token has only the ticked scopes, and the token response names these scopes', async () => {
      const { code } = await authorizeAgain({ untick: ['invoices:create', 'payments:transfer'] })
      expect(await scopeOf(code)).toBe('invoices:read payments:list')
    })

    it('scopes of the consent form that were not requested are ignored', async () => {
      const page = await signIn({ scope: 'invoices:read' })
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:transfer', 'openid'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read')
    })

    it('approving without any ticked operation shows the page again with an alert and stores nothing', async () => {
      const page = await signIn()
      const before = writes.length
      const answer = await decide(page, 'approve', [])
      expect(answer.status).toBe(400)
      expect(answer.body).toMatch(/id="problem"|class="[^"]*alert/)
      expect(Object.values(rowsOf(answer))).toEqual([false, false, false, false])
      expect(writes.slice(before)).toEqual([])
      const { url } = await decide(answer, 'approve', ['invoices:read'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read')
    })

    it('approving openid without any ticked operation gives a token for sign-in only', async () => {
      const page = await signIn({ scope: 'openid profile invoices:read' })
      const { url } = await decide(page, 'approve', [])
      const code = url.searchParams.get('code')!
      const { body } = await host.exchangeCode(application, code)
      expect(body).toMatchObject({ scope: 'openid', id_token: expect.any(String) })
      const token = String(body['access_token'])
      expect(await host.call('GET /invoices/list', token)).toMatchObject({ status: 403 })
      expect((await host.userInfo(token)).body).toEqual({ sub: 'alice', account_id: 'alice' })
      const next = await host.refresh(application, body['refresh_token'])
      expect(next).toMatchObject({ status: 200, body: { scope: 'openid' } })
    })

    it('the consent page shows the account that the user is signed in with', async () => {
      const page = await signIn()
      expect(page.body).toMatch(/Signed in as <bdi>Alice<\/bdi> <span[^>]*>\(<bdi>alice@example.com<\/bdi>\)/)
    })

    it('denying consent is answered with access_denied, state and iss, and stores neither a grant nor a consent', async () => {
      const page = await signIn()
      const before = writes.length
      const { url } = await decide(page, 'deny', ALL)
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'xyz',
        iss: host.issuer,
      })
      expect(url.searchParams.get('code')).toBeNull()
      expect(writes.slice(before).filter((write) => / (grant|consent|code):/.test(write))).toEqual([])
      expect(Object.values(rowsOf(await open()))).toEqual([true, true, true, true])
    })

    it('a consent form without a decision is rejected', async () => {
      const page = await signIn()
      const answer = await browser.submit(page, { action: /consent$/, change: { scope: ALL } })
      expect(answer.status).toBe(400)
      expect(answer.url.origin).toBe(host.origin)
    })
  })

  describe('remembered consent', () => {
    it('a second request for the same scopes shows no consent page', async () => {
      await authorizeAgain()
      const { pages, code } = await authorizeAgain()
      expect(pages.map(({ url }) => `${url.origin}${url.pathname}`)).toEqual([CALLBACK])
      expect(await scopeOf(code)).toBe(ALL.join(' '))
    })

    it('a request for a part of the approved scopes shows no consent page', async () => {
      await authorizeAgain()
      const { pages, code } = await authorizeAgain({ parameters: { scope: 'payments:list' } })
      expect(pages).toHaveLength(1)
      expect(await scopeOf(code)).toBe('payments:list')
    })

    it('consent is remembered for the account and the application, in every browser', async () => {
      await authorizeAgain()
      const elsewhere = await authorize(host, application.client_id)
      expect(elsewhere.pages.map(asksFor)).toEqual(['sign-in', undefined])
      const bob = await authorize(host, application.client_id, { user: 'bob' })
      expect(bob.pages.map(asksFor)).toEqual(['sign-in', 'consent', undefined])
      const other = await host.createApplication()
      const { pages } = await authorize(host, other.client_id, { browser })
      expect(pages.map(asksFor)).toEqual(['consent', undefined])
    })

    it('the consent page asks for new scopes, and ticks and marks the scopes that the user approved earlier', async () => {
      await authorizeAgain({ parameters: { scope: 'invoices:read' } })
      const page = await open({ scope: 'invoices:read payments:list' })
      expect(page.status).toBe(200)
      expect(rowsOf(page)).toEqual({ 'invoices:read': true, 'payments:list': true })
      expect(page.body.match(/class="note"/g)).toHaveLength(1)
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:list'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read payments:list')
      expect(
        (await authorizeAgain({ parameters: { scope: 'payments:list invoices:read' } })).pages,
      ).toHaveLength(1)
    })

    it('if a scope that the user unticked is requested again, the consent page shows the scope unticked', async () => {
      await authorizeAgain({ untick: ['payments:transfer'] })
      const without = await authorizeAgain({ parameters: { scope: 'invoices:read payments:list' } })
      expect(without.pages).toHaveLength(1)
      const page = await open({ scope: 'invoices:read payments:transfer' })
      expect(rowsOf(page)).toEqual({ 'invoices:read': true, 'payments:transfer': false })
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:transfer'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read payments:transfer')
      expect((await authorizeAgain({ parameters: { scope: 'payments:transfer' } })).pages).toHaveLength(1)
    })

    it('if a user unticks an approved scope, the next consent page shows the scope unticked, and earlier authorizations keep the scope', async () => {
      const first = await connect(host, application, { browser })
      const page = await open({ prompt: 'consent' })
      await decide(page, 'approve', ['invoices:read'])
      expect(rowsOf(await open())).toMatchObject({ 'payments:transfer': false })
      const { body } = await host.refresh(application, first.refresh_token)
      expect(body['scope']).toBe(ALL.join(' '))
    })

    it('prompt=consent shows the consent page despite remembered consent', async () => {
      await authorizeAgain()
      const page = await open({ prompt: 'consent' })
      expect(page.status).toBe(200)
      expect(Object.keys(rowsOf(page))).toEqual(ALL)
      const { url } = await decide(page, 'approve', ['invoices:read'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read')
    })
  })

  describe('prompt=select_account', () => {
    const parameters = { prompt: 'select_account', scope: 'openid invoices:read' }
    const isChoice = (page: Page) => formsOf(page).some(({ action }) => action.endsWith('/switch'))

    it('the discovery document lists prompt=select_account', async () => {
      const document = await host.fetch(`${host.issuer}/.well-known/openid-configuration`)
      expect(await document.json()).toMatchObject({
        prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
      })
    })

    it('prompt=select_account shows the signed-in user and a button for another account, and approving gives a code', async () => {
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      const before = writes.length
      const page = await open(parameters)
      expect([page.status, isChoice(page)]).toEqual([200, true])
      expect(page.body).toContain('Signed in as <bdi>Alice</bdi>')
      expect(writes.slice(before).filter((write) => / grant:/.test(write))).toEqual([])
      const { url } = await decide(page, 'approve', ['invoices:read'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('openid invoices:read')
    })

    it('prompt=select_account shows no consent page to a user who has just signed in and whose consent is remembered', async () => {
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      browser = host.browser()
      const { url } = await signIn(parameters)
      expect(url.searchParams.get('code')).toBeTruthy()
    })

    it('prompt=select_account does not show the account choice again after another account has signed in', async () => {
      await authorizeAgain({ parameters: { scope: parameters.scope }, user: 'bob', browser: host.browser() })
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      const signInPage = await browser.submit(await open(parameters), { action: /switch$/ })
      expect(asksFor(signInPage)).toBe('sign-in')
      const { url } = await signInAs(browser, signInPage, 'bob')
      const code = url.searchParams.get('code')!
      const { body } = await host.exchangeCode(application, code)
      const { body: reached } = await host.call('GET /invoices/list', String(body['access_token']))
      expect(reached['auth']).toMatchObject({ accountId: 'bob' })
    })

    it('prompt=select_account also applies to first-party applications', async () => {
      application = await host.createApplication({ firstParty: true })
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      expect(isChoice(await open(parameters))).toBe(true)
    })

    it('prompt=login select_account consent shows the sign-in page once and the consent page once', async () => {
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      const signInPage = await open({ ...parameters, prompt: 'login select_account consent' })
      expect(asksFor(signInPage)).toBe('sign-in')
      const page = await signInAs(browser, signInPage, 'alice')
      expect(asksFor(page)).toBe('consent')
      const { url } = await decide(page, 'approve', ['invoices:read'])
      expect(url.searchParams.get('code')).toBeTruthy()
    })

    it('prompt=none select_account is answered with invalid_request, and a denial at prompt=select_account is answered with access_denied', async () => {
      await authorizeAgain({ parameters: { scope: parameters.scope } })
      const none = await open({ ...parameters, prompt: 'none select_account' })
      expect(none.url.searchParams.get('error')).toBe('invalid_request')
      const { url } = await decide(await open(parameters), 'deny', [])
      expect(url.searchParams.get('error')).toBe('access_denied')
    })
  })

  describe('first-party applications', () => {
    it('a first-party application gets no consent page', async () => {
      application = await host.createApplication({ firstParty: true })
      const { pages, code } = await authorizeAgain()
      expect(pages.map(asksFor)).toEqual(['sign-in', undefined])
      expect(await scopeOf(code)).toBe(ALL.join(' '))
    })

    it('a first-party application gets the consent page with prompt=consent', async () => {
      application = await host.createApplication({ firstParty: true })
      expect(rowsOf(await signIn({ prompt: 'consent' }))).toHaveProperty('invoices:read')
    })

    it('a first-party application is limited to its products', async () => {
      application = await host.createApplication({ firstParty: true, products: ['invoices'] })
      const { url } = await open({ scope: 'payments:list' })
      expect(url.searchParams.get('error')).toBe('invalid_scope')
    })
  })

  describe('prompt=none', () => {
    const answerOf = async (parameters: Record<string, string> = {}) =>
      Object.fromEntries((await open({ prompt: 'none', ...parameters })).url.searchParams)

    it('prompt=none without a session is answered with login_required', async () => {
      expect(await answerOf()).toMatchObject({ error: 'login_required', state: 'xyz', iss: host.issuer })
    })

    it('prompt=none before the user has given consent is answered with consent_required', async () => {
      await signIn()
      // The session of gatehouse begins only when the browser opens an authorization request after the
      // sign-in.
      await open()
      expect(await answerOf()).toMatchObject({ error: 'consent_required', state: 'xyz', iss: host.issuer })
    })

    it('prompt=none is answered with consent_required for scopes without consent, and with a code for approved scopes', async () => {
      await authorizeAgain({ untick: ['payments:transfer'] })
      expect(await answerOf()).toMatchObject({ error: 'consent_required' })
      const { code } = await answerOf({ scope: 'invoices:read' })
      expect(await scopeOf(String(code))).toBe('invoices:read')
    })
  })

  describe('changes between the request and the decision', () => {
    const setLevel = (kycLevel: string) =>
      void host.accounts.set('acme', { id: 'acme', kycLevel, claims: { name: 'Acme Ltd' } })
    afterEach(() => setLevel('verified'))

    it("if the developer's KYC level falls before the decision, operations above the new level are not granted", async () => {
      const page = await signIn({ scope: 'payments:list payments:transfer' })
      setLevel('basic')
      const { url } = await decide(page, 'approve', ['payments:list', 'payments:transfer'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('payments:list')
    })

    it("if the developer's KYC level rises before the decision, no additional operation is shown or granted", async () => {
      setLevel('basic')
      const page = await signIn()
      setLevel('verified')
      expect(Object.keys(rowsOf(await browser.open(page.url)))).toEqual(ALL.slice(0, 3))
      const { url } = await decide(page, 'approve', ALL)
      expect(await scopeOf(url.searchParams.get('code')!)).toBe(ALL.slice(0, 3).join(' '))
    })

    it('if a product is removed before the decision, the consent page shows and grants only the remaining operations', async () => {
      const page = await signIn()
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      expect(Object.keys(rowsOf(await browser.open(page.url)))).toEqual(ALL.slice(0, 2))
      const { url } = await decide(page, 'approve', ALL)
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read invoices:create')
    })

    it('if all requested operations are removed before the decision, the application gets invalid_scope with the reason, and no code', async () => {
      const page = await signIn({ scope: 'payments:list' })
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      for (const { url } of [
        await browser.open(page.url),
        await decide(page, 'approve', ['payments:list']),
      ]) {
        expect(Object.fromEntries(url.searchParams)).toMatchObject({
          error: 'invalid_scope',
          error_description: expect.stringContaining('add the product payments'),
          state: 'xyz',
          iss: host.issuer,
        })
      }
    })

    it.each(['disable', 'delete'] as const)(
      'if the application is unavailable (%s) before the decision, the user gets the error page',
      async (how) => {
        const page = await signIn()
        await host.gatehouse.applications[how](application.client_id)
        const answer = await decide(page, 'approve', ALL)
        expect(answer.status).toBe(404)
        expect(answer.url.origin).toBe(host.origin)
      },
    )
  })

  it('switching accounts on the consent page asks for sign-in, and the application gets tokens of the other account', async () => {
    const page = await signIn()
    expect(formsOf(page).map(({ action }) => action.split('/').at(-1))).toEqual(['switch', 'consent'])
    const signInPage = await browser.submit(page, { action: /switch$/ })
    expect(asksFor(signInPage)).toBe('sign-in')
    const next = await signInAs(browser, signInPage, 'bob')
    expect(next.body).toContain('Bob')
    const { url } = await decide(next, 'approve', ['invoices:read'])
    const { body } = await host.exchangeCode(application, url.searchParams.get('code')!)
    const call = await host.call('GET /invoices/list', String(body['access_token']))
    expect(call.body['auth']).toMatchObject({ accountId: 'bob' })
  })
})
