import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { isAt, redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, CALLBACK } from '../../support/host.ts'
import { startSessionHost, type SessionHost } from '../../support/session-host.ts'

describe("the host's own session", () => {
  let host: SessionHost
  let application: Awaited<ReturnType<SessionHost['createApplication']>>
  let browser: Browser
  beforeAll(async () => {
    host = await startSessionHost({ store: memoryStore() })
  })
  beforeEach(async () => {
    application = await host.createApplication()
    browser = host.browser()
    host.signIns.splice(0)
  })
  afterEach(() => void host.accounts.set('alice', { id: 'alice', claims: { name: 'Alice' } }))
  afterAll(() => host.close())

  const request = (parameters: Record<string, string> = {}) =>
    authorizationUrl(host, application.client_id, parameters)
  const open = (parameters?: Record<string, string>) => browser.open(request(parameters))
  const approve = (page: Page, options: { follow?: boolean } = {}) =>
    browser.submit(page, { action: /consent$/, button: ['action', 'approve'], ...options })
  const isCallback = (page: Page) => isAt(page, CALLBACK)
  const isHostSignIn = (page: Page) => isAt(page, `${host.origin}/login`)
  const isErrorPage = (page: Page) =>
    page.url.origin === host.origin && page.status >= 400 && page.status < 500

  /**
   * Checks the `state` and `iss` of a redirect to the application, and exchanges its code.
   *
   * @returns the account and the user of the access token
   */
  async function ownerOf(page: Page): Promise<Record<string, unknown>> {
    expect(isCallback(page), `${page.url.href} ${page.status}`).toBe(true)
    const { code = '', ...rest } = Object.fromEntries(page.url.searchParams)
    expect(rest).toEqual({ state: 'xyz', iss: host.issuer })
    const { status, body } = await host.exchangeCode(application, code)
    expect(status).toBe(200)
    const { account_id, user_id } = decodeJwt(String(body['access_token']))
    return { account_id, user_id }
  }
  async function expectConsentOf(name: string, page: Page) {
    expect(asksFor(page), `${page.url.href} ${page.status}`).toBe('consent')
    expect(page.body).toContain(`Signed in as <bdi>${name}</bdi>`)
  }

  describe('the user who is asked for consent', () => {
    it('a user who is signed in at the host is asked for consent immediately', async () => {
      host.signInAt(browser, { accountId: 'alice' })
      const page = await open()
      await expectConsentOf('Alice', page)
      expect(host.signIns).toEqual([])
      expect(await ownerOf(await approve(page))).toEqual({ account_id: 'alice', user_id: undefined })
    })

    it("a user who is not signed in gets the host's sign-in page with a return address below the issuer", async () => {
      const page = await open()
      expect(isHostSignIn(page)).toBe(true)
      expect(host.signIns).toHaveLength(1)
      const { returnTo, reauthenticate } = host.signIns[0]!
      expect(returnTo).toMatch(`${host.issuer}/interaction/`)
      expect(reauthenticate).toBe(false)
      host.signInAt(browser, { accountId: 'bob' })
      const consent = await browser.open(returnTo)
      await expectConsentOf('Bob', consent)
      expect(await ownerOf(await approve(consent))).toMatchObject({ account_id: 'bob' })
    })

    it('if a user returns from the sign-in page without a sign-in, the application gets login_required, and there is no redirect loop', async () => {
      await open()
      const page = await browser.open(host.signIns[0]!.returnTo)
      expect(isCallback(page)).toBe(true)
      expect(Object.fromEntries(page.url.searchParams)).toMatchObject({
        error: 'login_required',
        state: 'xyz',
        iss: host.issuer,
      })
    })

    it('the token names the user who acts for the account', async () => {
      host.signInAt(browser, { accountId: 'alice', userId: 'anna' })
      expect(await ownerOf(await approve(await open()))).toEqual({ account_id: 'alice', user_id: 'anna' })
    })
  })

  describe("changes of the host's session between two authorizations", () => {
    beforeEach(async () => {
      host.signInAt(browser, { accountId: 'alice', userId: 'anna' })
      await ownerOf(await approve(await open()))
    })

    it('after another account has signed in at the host, its user is asked for consent, and the code is for that account', async () => {
      host.signInAt(browser, { accountId: 'bob' })
      const page = await open()
      await expectConsentOf('Bob', page)
      expect(await ownerOf(await approve(page))).toMatchObject({ account_id: 'bob' })
    })

    it('after another account has signed in at the host, prompt=none gives no code for the previous account', async () => {
      host.signInAt(browser, { accountId: 'bob' })
      const page = await open({ prompt: 'none' })
      expect(page.url.searchParams.get('error')).toBe('consent_required')
      expect(page.url.searchParams.get('code')).toBeNull()
    })

    it('after a sign-out at the host, the next authorization request asks for sign-in', async () => {
      host.signOutAt(browser)
      expect(isHostSignIn(await open())).toBe(true)
      expect((await open({ prompt: 'none' })).url.searchParams.get('error')).toBe('login_required')
    })

    it('after another user of the same account has signed in at the host, that user is asked for consent and gets the code', async () => {
      host.signInAt(browser, { accountId: 'alice', userId: 'arthur' })
      expect((await open({ prompt: 'none' })).url.searchParams.get('error')).toBe('consent_required')
      expect(await ownerOf(await approve(await open()))).toEqual({ account_id: 'alice', user_id: 'arthur' })
    })

    it('a deleted account with a session at the host gets no code and no redirect loop', async () => {
      host.accounts.delete('alice')
      expect((await open({ prompt: 'none' })).url.searchParams.get('error')).toBe('login_required')
      expect(isHostSignIn(await open())).toBe(true)
      expect(host.signIns).toMatchObject([{ reauthenticate: true }])
      const back = await browser.open(host.signIns[0]!.returnTo)
      expect(back.url.searchParams.get('error')).toBe('login_required')
    })

    it('a user who approved the application earlier and is still signed in at the host gets a code without a page', async () => {
      expect(await ownerOf(await open())).toEqual({ account_id: 'alice', user_id: 'anna' })
    })
  })

  /** Changes at the host while the user anna of the account alice authorizes an application. */
  const changes = {
    'the user switches account': {
      apply: () => host.signInAt(browser, { accountId: 'bob' }),
      next: { account_id: 'bob', user_id: undefined },
    },
    'the user switches to another member of the account': {
      apply: () => host.signInAt(browser, { accountId: 'alice', userId: 'arthur' }),
      next: { account_id: 'alice', user_id: 'arthur' },
    },
    'the user signs out': { apply: () => host.signOutAt(browser), next: undefined },
    'the host deletes the account': {
      apply: () => {
        host.accounts.delete('alice')
        host.signOutAt(browser)
      },
      next: undefined,
    },
    'the host deletes the account and keeps its session': {
      apply: () => void host.accounts.delete('alice'),
      next: undefined,
    },
  }

  describe.each(Object.entries(changes))('a change at the host: %s', (change, { apply, next }) => {
    beforeEach(() => host.signInAt(browser, { accountId: 'alice', userId: 'anna' }))

    /**
     * Expects that anna gets no code. If another user is signed in after the change, this user is asked for
     * consent and gets the code.
     */
    async function expectNewStart(page: Page) {
      if (next) {
        expect(asksFor(page), `${page.url.href} ${page.status}`).toBe('consent')
        expect(await ownerOf(await approve(page))).toEqual(next)
        return
      }
      expect(page.url.searchParams.get('code')).toBeNull()
      if (isCallback(page)) {
        expect(Object.fromEntries(page.url.searchParams)).toMatchObject({
          error: 'login_required',
          state: 'xyz',
          iss: host.issuer,
        })
      } else expect(isHostSignIn(page) || isErrorPage(page), `${page.url.href} ${page.status}`).toBe(true)
    }

    it(`if ${change} between the authorization request and the consent page, no code is issued for the old user`, async () => {
      const answer = await browser.request(request())
      const address = new URL(answer.headers.get('location')!, host.origin)
      expect(address.pathname).toMatch(/^\/auth\/interaction\//)
      apply()
      await expectNewStart(await browser.open(address))
    })

    it(`if ${change} before the user submits the consent form, no code is issued for the old user`, async () => {
      const page = await open()
      await expectConsentOf('Alice', page)
      apply()
      await expectNewStart(await approve(page))
    })

    it(`if ${change} between the consent form and the redirect to the application, no code is issued for the old user`, async () => {
      const answer = await approve(await open(), { follow: false })
      const address = redirectOf(answer)
      expect(address).toMatch(`${host.issuer}/oauth2/authorize/`)
      apply()
      await expectNewStart(await browser.open(address!))
    })

    it(`if ${change} before the code exchange, the code gives no token for another user`, async () => {
      const page = await approve(await open())
      apply()
      const code = page.url.searchParams.get('code')!
      const { status, body } = await host.exchangeCode(application, code)
      // Deleting an account revokes its grants. The end of a session revokes no grant.
      if (host.accounts.has('alice')) {
        expect(status).toBe(200)
        expect(decodeJwt(String(body['access_token']))['user_id']).toBe('anna')
      } else expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    })
  })

  describe('"use another account" on the consent page', () => {
    const switchAccount = (page: Page) => browser.submit(page, { action: /switch$/ })

    it('"use another account" signs out at the host and at gatehouse, and asks for sign-in', async () => {
      host.signInAt(browser, { accountId: 'alice' })
      const page = await switchAccount(await open())
      expect(isHostSignIn(page)).toBe(true)
      expect(host.isSignedInAt(browser)).toBe(false)
      host.signInAt(browser, { accountId: 'bob' })
      const consent = await browser.open(host.signIns[0]!.returnTo)
      await expectConsentOf('Bob', consent)
      expect(await ownerOf(await approve(consent))).toMatchObject({ account_id: 'bob' })
    })

    it('if the host has no signOut callback, "use another account" leads to the sign-in page of the host', async () => {
      const other = await startSessionHost({ store: memoryStore(), canSignOut: false })
      const { client_id } = await other.createApplication()
      const otherBrowser = other.browser()
      other.signInAt(otherBrowser, { accountId: 'alice' })
      const consent = await otherBrowser.open(authorizationUrl(other, client_id))
      const page = await otherBrowser.submit(consent, { action: /switch$/ })
      expect(page.url.pathname).toBe('/login')
      expect(other.signIns).toMatchObject([{ reauthenticate: true }])
      other.signInAt(otherBrowser, { accountId: 'bob' })
      const next = await otherBrowser.open(other.signIns[0]!.returnTo)
      expect(next.body).toContain('Signed in as <bdi>Bob</bdi>')
      await other.close()
    })
  })

  describe('browsers and tabs', () => {
    const codesOf = (pages: Page[]) => pages.filter((page) => page.url.searchParams.has('code'))

    it('a browser cannot use the interaction of another browser', async () => {
      const other = host.browser()
      host.signInAt(browser, { accountId: 'alice' })
      host.signInAt(other, { accountId: 'bob' })
      const [one, two] = [await open(), await other.open(request())]
      expect(isErrorPage(await other.open(one.url))).toBe(true)
      const button: [string, string] = ['action', 'approve']
      const stolen = await other.submit(one, { action: /consent$/, button })
      expect(isErrorPage(stolen)).toBe(true)
      expect(await ownerOf(await other.submit(two, { action: /consent$/, button }))).toMatchObject({
        account_id: 'bob',
      })
      expect(await ownerOf(await approve(one))).toMatchObject({ account_id: 'alice' })
    })

    it('a consent form that is sent twice gives one code', async () => {
      host.signInAt(browser, { accountId: 'alice' })
      const page = await open()
      const answers = [await approve(page), await approve(page)]
      expect(codesOf(answers)).toHaveLength(1)
      expect(isErrorPage(answers[1]!)).toBe(true)
      expect(await ownerOf(answers[0]!)).toMatchObject({ account_id: 'alice' })
    })

    it('if a browser follows the redirect after consent four times at the same time, one code is issued, and each request gets this code or the error page', async () => {
      host.signInAt(browser, { accountId: 'alice' })
      const address = redirectOf(await approve(await open(), { follow: false }))!
      const answers = await Promise.all([1, 2, 3, 4].map(() => browser.open(address)))
      expect(new Set(codesOf(answers).map(({ url }) => url.href)).size).toBe(1)
      expect(answers.filter(isErrorPage)).toHaveLength(4 - codesOf(answers).length)
      expect(await ownerOf(codesOf(answers)[0]!)).toMatchObject({ account_id: 'alice' })
    })

    it.each([{ accountId: 'bob' }, undefined])(
      'a redirect after consent is not repeated if %j is signed in at the host by then',
      async (later) => {
        host.signInAt(browser, { accountId: 'alice' })
        const address = redirectOf(await approve(await open(), { follow: false }))!
        expect(isCallback(await browser.open(address))).toBe(true)
        if (later) host.signInAt(browser, later)
        else host.signOutAt(browser)
        expect(isErrorPage(await browser.open(address))).toBe(true)
      },
    )
  })
})
