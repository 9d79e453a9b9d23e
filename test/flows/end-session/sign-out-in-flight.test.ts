import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type Pause, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const TRIALS = 8
const SCOPE = 'openid invoices:read'

/** The host uses the built-in sign-in page. So the session of gatehouse is the only session of the user. */
describeEachStore('a sign-out during another request', (makeStore) => {
  let pausing: PausingStore
  /** The store that `pausing` wraps. It can pause one call while `pausing` pauses another call. */
  let below: PausingStore
  let host: Host
  let clientId: string
  let browser: Browser
  let pause: Pause | undefined
  beforeAll(async () => {
    below = pausingStore(makeStore())
    pausing = pausingStore(below.store)
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 20_000 } })
  })
  beforeEach(async () => {
    clientId = (await host.createApplication()).client_id
    browser = host.browser()
    const { code } = await authorize(host, clientId, { browser, parameters: { scope: SCOPE } })
    expect(code).not.toBe('')
  })
  afterEach(() => {
    pause?.end()
    pausing.watch()
  })
  afterAll(() => host.close())

  const request = (parameters: Record<string, string> = {}) =>
    browser.open(authorizationUrl(host, clientId, { scope: 'openid', ...parameters }))
  const requestSilently = async () => (await request({ prompt: 'none' })).url.searchParams
  const resumeOf = (page: Page) => redirectOf(page) ?? ''
  const signOutPage = () => browser.open(`${host.issuer}/oauth2/logout`)
  const confirm = (page: Page) => browser.submit(page, { action: /logout/, button: ['logout', 'yes'] })

  /**
   * Expects that a silent authorization request is answered with login_required. Sends one request with the
   * current cookies of `browser`, and one request with each of the given sets of cookies.
   */
  async function expectSignedOut(...cookies: Browser['cookies'][]): Promise<void> {
    for (const each of [browser.cookies, ...cookies]) {
      const other = host.browser()
      for (const [name, cookie] of each) other.cookies.set(name, cookie)
      const page = await other.open(authorizationUrl(host, clientId, { scope: 'openid', prompt: 'none' }))
      expect(page.url.searchParams.get('error')).toBe('login_required')
    }
  }

  it.each([
    ['before it writes its session', (call: string) => /^(set|replace) session:/.test(call), 'before'],
    ['after it reads its session', (call: string) => call.startsWith('get session:'), 'after'],
  ] as const)(
    'an authorization request that is paused %s does not undo a sign-out',
    async (_, which, when) => {
      const page = await signOutPage()
      const before = new Map(browser.cookies)
      pause = when === 'before' ? pausing.pauseBefore(which) : pausing.pauseAfter(which)
      const pausedRequest = requestSilently()
      expect(await pause.reached).toBe(true)
      expect((await confirm(page)).body).toMatch(/signed out/i)
      pause.end()
      await pausedRequest
      await expectSignedOut(before)
    },
  )

  // After the consent page the browser opens the authorization endpoint again. This request replaces the id
  // of the session, so the browser gets a new cookie.
  it.each(['set session:', 'delete session:'])(
    'a request after the consent page does not undo a sign-out if the request is paused before "%s"',
    async (call) => {
      const consent = await request({ scope: 'invoices:create', prompt: 'consent' })
      expect(asksFor(consent)).toBe('consent')
      const page = await signOutPage()
      const approved = await browser.submit(consent, {
        action: /consent$/,
        button: ['action', 'approve'],
        follow: false,
      })
      const before = new Map(browser.cookies)
      pause = pausing.pauseBefore(call)
      const other = host.browser()
      for (const [name, cookie] of before) other.cookies.set(name, cookie)
      const pausedRequest = other.open(resumeOf(approved))
      expect(await pause.reached).toBe(true)
      expect((await confirm(page)).body).toMatch(/signed out/i)
      pause.end()
      await pausedRequest
      await expectSignedOut(before, other.cookies)
    },
  )

  it.each([
    ['deletes the session', ['delete session:']],
    ['finds the session', ['get session-uid:']],
  ])(
    'if another request replaces the cookie of the session just before the sign-out %s, the sign-out still ends the session',
    async (_, pausedCalls) => {
      const consent = await request({ scope: 'invoices:create', prompt: 'consent' })
      const page = await signOutPage()
      const other = host.browser()
      for (const [name, cookie] of browser.cookies) other.cookies.set(name, cookie)
      const approved = await other.submit(consent, {
        action: /consent$/,
        button: ['action', 'approve'],
        follow: false,
      })
      pause = pausing.pauseBefore('delete session:')
      const pauses = pausedCalls.map((call) => below.pauseBefore(call))
      const signingOut = confirm(page)
      for (const { reached } of [pause, ...pauses]) expect(await reached).toBe(true)
      expect((await other.open(resumeOf(approved))).url.searchParams.has('code')).toBe(true)
      for (const { end } of [pause, ...pauses]) end()
      expect((await signingOut).body).toMatch(/signed out/i)
      await expectSignedOut(other.cookies)
    },
  )

  it(`concurrent authorization requests do not undo a sign-out in ${TRIALS} trials`, async () => {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      browser = host.browser()
      await authorize(host, clientId, { browser, parameters: { scope: SCOPE } })
      const page = await signOutPage()
      const before = new Map(browser.cookies)
      await Promise.all([...Array.from({ length: 4 }, requestSilently), confirm(page), requestSilently()])
      await expectSignedOut(before)
    }
  })

  describe('concurrent requests in one session', () => {
    it('concurrent authorization requests keep the session signed in', async () => {
      await Promise.all([requestSilently(), requestSilently(), requestSilently()])
      expect((await requestSilently()).has('code')).toBe(true)
    })

    it('a sign-out form that was opened during another request can be submitted', async () => {
      pause = pausing.pauseBefore((call) => /^(set|replace) session:/.test(call))
      const pausedRequest = requestSilently()
      expect(await pause.reached).toBe(true)
      const page = await signOutPage()
      pause.end()
      await pausedRequest
      expect((await confirm(page)).body).toMatch(/signed out/i)
      await expectSignedOut()
    })
  })
})
