import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formsOf, type Browser, type Page } from '../../support/browser.ts'
import {
  asksFor,
  authorizationUrl,
  authorize,
  CALLBACK,
  connect,
  startHost,
  type Host,
} from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const ALL = ['invoices:read', 'invoices:create', 'payments:list', 'payments:transfer']

describeEachStore('Consent', (makeStore) => {
  let host: Host
  let writes: string[]
  let application: Awaited<ReturnType<Host['createApplication']>>
  let browser: Browser
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({ store: watched.store })
  })
  beforeEach(async () => {
    application = await host.createApplication()
    browser = host.browser()
  })
  afterAll(() => host.close())

  const open = (parameters: Record<string, string> = {}) =>
    browser.open(authorizationUrl(host, application.client_id, parameters))
  const again = (options: Parameters<typeof authorize>[2] = {}) =>
    authorize(host, application.client_id, { browser, ...options })

  /** Opens the request and signs in as alice, so that what comes is the consent page, or the way back. */
  async function signIn(parameters: Record<string, string> = {}): Promise<Page> {
    const change = { identifier: 'alice', password: 'correct' }
    return browser.submit(await open(parameters), { action: /sign-in/, change })
  }
  const decide = (page: Page, action: 'approve' | 'deny', scope: string[]) =>
    browser.submit(page, { action: /consent$/, change: { scope }, button: ['action', action] })

  /** Each operation on the page, and whether it is ticked. */
  function rowsOf(page: Page): Record<string, boolean> {
    const inputs = [...page.body.matchAll(/<input\s+type="checkbox"[^>]*>/gs)].map(([input]) => input)
    return Object.fromEntries(
      inputs.map((input) => [/value="([^"]+)"/.exec(input)?.[1], /\schecked\b/.test(input)]),
    )
  }

  async function scopeOf(code: string): Promise<string> {
    const { status, body } = await host.token({ ...application, grant_type: 'authorization_code', code })
    expect(status).toBe(200)
    return String(body['scope'])
  }

  describe('the page', () => {
    it('names the application, the developer, the account and every operation, all ticked', async () => {
      const page = await signIn()
      expect(page.status).toBe(200)
      for (const text of ['Ledger', 'Acme Ltd', 'Alice', 'Read your invoices', 'Move money', 'Payments']) {
        expect(page.body).toContain(text)
      }
      expect(rowsOf(page)).toEqual(Object.fromEntries(ALL.map((scope) => [scope, true])))
      expect(page.headers.get('cache-control')).toContain('no-store')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    })

    it('shows only what was asked for', async () => {
      expect(rowsOf(await signIn({ scope: 'payments:list' }))).toEqual({ 'payments:list': true })
    })
  })

  describe('partial consent', () => {
    it('the token carries what was ticked, and the response says so', async () => {
      const { code } = await again({ untick: ['invoices:create', 'payments:transfer'] })
      expect(await scopeOf(code)).toBe('invoices:read payments:list')
    })

    it('what a form names beyond the request counts for nothing', async () => {
      const page = await signIn({ scope: 'invoices:read' })
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:transfer', 'openid'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read')
    })

    it('everything unticked: the page comes again and says so, nothing is stored', async () => {
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

    it('everything unticked where openid was asked for: the token is for signing in alone', async () => {
      const page = await signIn({ scope: 'openid profile invoices:read' })
      const { url } = await decide(page, 'approve', [])
      const code = url.searchParams.get('code')!
      const { body } = await host.token({ ...application, grant_type: 'authorization_code', code })
      expect(body).toMatchObject({ scope: 'openid', id_token: expect.any(String) })
      const token = String(body['access_token'])
      expect(await host.call('GET /invoices/list', token)).toMatchObject({ status: 403 })
      const headers = { authorization: `Bearer ${token}` }
      const userInfo = await host.fetch(`${host.issuer}/oauth2/userinfo`, { headers })
      expect(await userInfo.json()).toEqual({ sub: 'alice', account_id: 'alice' })
      const refresh_token = String(body['refresh_token'])
      const next = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
      expect(next).toMatchObject({ status: 200, body: { scope: 'openid' } })
    })

    it('says with which of their accounts the person is signed in', async () => {
      const page = await signIn()
      expect(page.body).toMatch(/Signed in as <bdi>Alice<\/bdi> <span[^>]*>\(<bdi>alice@example.com<\/bdi>\)/)
    })

    it('denied: access_denied with state and iss, and nothing is remembered', async () => {
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

    it('a form without a decision is rejected', async () => {
      const page = await signIn()
      const answer = await browser.submit(page, { action: /consent$/, change: { scope: ALL } })
      expect(answer.status).toBe(400)
      expect(answer.url.origin).toBe(host.origin)
    })
  })

  describe('remembered consent', () => {
    it('there is no page the second time', async () => {
      await again()
      const { pages, code } = await again()
      expect(pages.map(({ url }) => `${url.origin}${url.pathname}`)).toEqual([CALLBACK])
      expect(await scopeOf(code)).toBe(ALL.join(' '))
    })

    it('there is no page for a part of it', async () => {
      await again()
      const { pages, code } = await again({ parameters: { scope: 'payments:list' } })
      expect(pages).toHaveLength(1)
      expect(await scopeOf(code)).toBe('payments:list')
    })

    it('it is remembered for this account and this application, in every browser', async () => {
      await again()
      const elsewhere = await authorize(host, application.client_id)
      expect(elsewhere.pages.map(asksFor)).toEqual(['sign-in', undefined])
      const bob = await authorize(host, application.client_id, { user: 'bob' })
      expect(bob.pages.map(asksFor)).toEqual(['sign-in', 'consent', undefined])
      const other = await host.createApplication()
      const { pages } = await authorize(host, other.client_id, { browser })
      expect(pages.map(asksFor)).toEqual(['consent', undefined])
    })

    it('what is new is asked for, and what was granted before is ticked and marked', async () => {
      await again({ parameters: { scope: 'invoices:read' } })
      const page = await open({ scope: 'invoices:read payments:list' })
      expect(page.status).toBe(200)
      expect(rowsOf(page)).toEqual({ 'invoices:read': true, 'payments:list': true })
      expect(page.body.match(/class="note"/g)).toHaveLength(1)
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:list'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read payments:list')
      expect((await again({ parameters: { scope: 'payments:list invoices:read' } })).pages).toHaveLength(1)
    })

    it('what was rejected is asked for again when it is asked for again, and not ticked', async () => {
      await again({ untick: ['payments:transfer'] })
      const without = await again({ parameters: { scope: 'invoices:read payments:list' } })
      expect(without.pages).toHaveLength(1)
      const page = await open({ scope: 'invoices:read payments:transfer' })
      expect(rowsOf(page)).toEqual({ 'invoices:read': true, 'payments:transfer': false })
      const { url } = await decide(page, 'approve', ['invoices:read', 'payments:transfer'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read payments:transfer')
      expect((await again({ parameters: { scope: 'payments:transfer' } })).pages).toHaveLength(1)
    })

    it('a later rejection counts, and leaves earlier authorizations as they are', async () => {
      const first = await connect(host, application, { browser })
      const page = await open({ prompt: 'consent' })
      await decide(page, 'approve', ['invoices:read'])
      expect(rowsOf(await open())).toMatchObject({ 'payments:transfer': false })
      const { body } = await host.token({
        ...application,
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      })
      expect(body['scope']).toBe(ALL.join(' '))
    })

    it('prompt=consent asks all the same', async () => {
      await again()
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

    it('is advertised', async () => {
      const document = await host.fetch(`${host.issuer}/.well-known/openid-configuration`)
      expect(await document.json()).toMatchObject({
        prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
      })
    })

    it('shows who is signed in and the way to another account, and going on leads to a code', async () => {
      await again({ parameters: { scope: parameters.scope } })
      const before = writes.length
      const page = await open(parameters)
      expect([page.status, isChoice(page)]).toEqual([200, true])
      expect(page.body).toContain('Signed in as <bdi>Alice</bdi>')
      expect(writes.slice(before).filter((write) => / grant:/.test(write))).toEqual([])
      const { url } = await decide(page, 'approve', ['invoices:read'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('openid invoices:read')
    })

    it('is done with where somebody has just signed in: what was allowed before is not asked again', async () => {
      await again({ parameters: { scope: parameters.scope } })
      browser = host.browser()
      const { url } = await signIn(parameters)
      expect(url.searchParams.get('code')).toBeTruthy()
    })

    it('another account signs in, and the choice does not come again', async () => {
      await again({ parameters: { scope: parameters.scope }, user: 'bob', browser: host.browser() })
      await again({ parameters: { scope: parameters.scope } })
      const signInPage = await browser.submit(await open(parameters), { action: /switch$/ })
      expect(asksFor(signInPage)).toBe('sign-in')
      const change = { identifier: 'bob', password: 'correct' }
      const { url } = await browser.submit(signInPage, { action: /sign-in/, change })
      const code = url.searchParams.get('code')!
      const { body } = await host.token({ ...application, grant_type: 'authorization_code', code })
      const { body: reached } = await host.call('GET /invoices/list', String(body['access_token']))
      expect(reached['auth']).toMatchObject({ accountId: 'bob' })
    })

    it('asks the users of the host’s own applications, too', async () => {
      application = await host.createApplication({ firstParty: true })
      await again({ parameters: { scope: parameters.scope } })
      expect(isChoice(await open(parameters))).toBe(true)
    })

    it('with login and consent: each is asked once', async () => {
      await again({ parameters: { scope: parameters.scope } })
      const signInPage = await open({ ...parameters, prompt: 'login select_account consent' })
      expect(asksFor(signInPage)).toBe('sign-in')
      const change = { identifier: 'alice', password: 'correct' }
      const page = await browser.submit(signInPage, { action: /sign-in/, change })
      expect(asksFor(page)).toBe('consent')
      const { url } = await decide(page, 'approve', ['invoices:read'])
      expect(url.searchParams.get('code')).toBeTruthy()
    })

    it('with none is invalid_request, and denied is access_denied', async () => {
      await again({ parameters: { scope: parameters.scope } })
      const none = await open({ ...parameters, prompt: 'none select_account' })
      expect(none.url.searchParams.get('error')).toBe('invalid_request')
      const { url } = await decide(await open(parameters), 'deny', [])
      expect(url.searchParams.get('error')).toBe('access_denied')
    })
  })

  describe("the host's own applications", () => {
    it('get no consent page', async () => {
      application = await host.createApplication({ firstParty: true })
      const { pages, code } = await again()
      expect(pages.map(asksFor)).toEqual(['sign-in', undefined])
      expect(await scopeOf(code)).toBe(ALL.join(' '))
    })

    it('get one with prompt=consent', async () => {
      application = await host.createApplication({ firstParty: true })
      expect(rowsOf(await signIn({ prompt: 'consent' }))).toHaveProperty('invoices:read')
    })

    it('are bound to products and KYC level all the same', async () => {
      application = await host.createApplication({ firstParty: true, products: ['invoices'] })
      const { url } = await open({ scope: 'payments:list' })
      expect(url.searchParams.get('error')).toBe('invalid_scope')
    })
  })

  describe('prompt=none', () => {
    const answerOf = async (parameters: Record<string, string> = {}) =>
      Object.fromEntries((await open({ prompt: 'none', ...parameters })).url.searchParams)

    it('is login_required where nobody is signed in', async () => {
      expect(await answerOf()).toMatchObject({ error: 'login_required', state: 'xyz', iss: host.issuer })
    })

    it('is consent_required where the user was not asked yet', async () => {
      await signIn()
      // The session begins with the way back from the pages.
      await open()
      expect(await answerOf()).toMatchObject({ error: 'consent_required', state: 'xyz', iss: host.issuer })
    })

    it('is consent_required for what is new or was rejected, a code for the rest', async () => {
      await again({ untick: ['payments:transfer'] })
      expect(await answerOf()).toMatchObject({ error: 'consent_required' })
      const { code } = await answerOf({ scope: 'invoices:read' })
      expect(await scopeOf(String(code))).toBe('invoices:read')
    })
  })

  describe('between the request and the decision', () => {
    const setLevel = (kycLevel: string) =>
      void host.accounts.set('acme', { id: 'acme', kycLevel, claims: { name: 'Acme Ltd' } })
    afterEach(() => setLevel('verified'))

    it('the KYC level falls: what cannot be granted any more is not granted', async () => {
      const page = await signIn({ scope: 'payments:list payments:transfer' })
      setLevel('basic')
      const { url } = await decide(page, 'approve', ['payments:list', 'payments:transfer'])
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('payments:list')
    })

    it('the KYC level rises: nothing is granted that was not asked for', async () => {
      setLevel('basic')
      const page = await signIn()
      setLevel('verified')
      expect(Object.keys(rowsOf(await browser.open(page.url)))).toEqual(ALL.slice(0, 3))
      const { url } = await decide(page, 'approve', ALL)
      expect(await scopeOf(url.searchParams.get('code')!)).toBe(ALL.slice(0, 3).join(' '))
    })

    it('a product is taken off: the page shows and grants what is left', async () => {
      const page = await signIn()
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      expect(Object.keys(rowsOf(await browser.open(page.url)))).toEqual(ALL.slice(0, 2))
      const { url } = await decide(page, 'approve', ALL)
      expect(await scopeOf(url.searchParams.get('code')!)).toBe('invoices:read invoices:create')
    })

    it('nothing is left: no code, and the application is told why', async () => {
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

    it.each(['disable', 'delete'] as const)('the application is gone (%s): the error page', async (how) => {
      const page = await signIn()
      await host.gatehouse.applications[how](application.client_id)
      const answer = await decide(page, 'approve', ALL)
      expect(answer.status).toBe(404)
      expect(answer.url.origin).toBe(host.origin)
    })
  })

  it("switching accounts on the page signs in anew, and leads to the other account's tokens", async () => {
    const page = await signIn()
    expect(formsOf(page).map(({ action }) => action.split('/').at(-1))).toEqual(['switch', 'consent'])
    const signInPage = await browser.submit(page, { action: /switch$/ })
    expect(asksFor(signInPage)).toBe('sign-in')
    const next = await browser.submit(signInPage, {
      action: /sign-in/,
      change: { identifier: 'bob', password: 'correct' },
    })
    expect(next.body).toContain('Bob')
    const { url } = await decide(next, 'approve', ['invoices:read'])
    const { body } = await host.token({
      ...application,
      grant_type: 'authorization_code',
      code: url.searchParams.get('code')!,
    })
    const call = await host.call('GET /invoices/list', String(body['access_token']))
    expect(call.body['auth']).toMatchObject({ accountId: 'bob' })
  })
})
