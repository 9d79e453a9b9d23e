import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type Pause, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const TRIALS = 20
const SCOPE = 'openid invoices:read'

/** The built-in sign-in page: nobody but our session knows who is signed in. */
describeEachStore('A sign-out is not undone by a request in flight', (makeStore) => {
  let pausing: PausingStore
  /** Below it, for a second call that is held. */
  let below: PausingStore
  let host: Host
  let clientId: string
  let browser: Browser
  let pause: Pause | undefined
  beforeAll(async () => {
    below = pausingStore(makeStore())
    pausing = pausingStore(below.store)
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 20_000 } })
    clientId = (await host.createApplication()).client_id
  })
  beforeEach(async () => {
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
  const silently = async () => (await request({ prompt: 'none' })).url.searchParams
  const resumeOf = (page: Page) => redirectOf(page) ?? ''
  const signOutPage = () => browser.open(`${host.issuer}/oauth2/logout`)
  const confirm = (page: Page) => browser.submit(page, { action: /logout/, button: ['logout', 'yes'] })

  /** Whether a browser with these cookies is signed in: those of a request that was answered last count. */
  async function expectSignedOut(...cookies: Browser['cookies'][]): Promise<void> {
    for (const each of [browser.cookies, ...cookies]) {
      const other = host.browser()
      for (const [name, cookie] of each) other.cookies.set(name, cookie)
      const page = await other.open(authorizationUrl(host, clientId, { scope: 'openid', prompt: 'none' }))
      expect(page.url.searchParams.get('error')).toBe('login_required')
    }
  }

  it('the session lives until then', async () => {
    expect((await silently()).has('code')).toBe(true)
  })

  it.each([
    ['before it writes its session', (call: string) => /^(set|replace) session:/.test(call), 'before'],
    ['when it has read its session', (call: string) => call.startsWith('get session:'), 'after'],
  ] as const)('of an authorization request that is held %s', async (_, which, when) => {
    const page = await signOutPage()
    const before = new Map(browser.cookies)
    pause = when === 'before' ? pausing.pauseBefore(which) : pausing.pauseAfter(which)
    const inFlight = silently()
    expect(await pause.reached).toBe(true)
    expect((await confirm(page)).body).toMatch(/signed out/i)
    pause.end()
    await inFlight
    await expectSignedOut(before)
  })

  // The request comes back from the pages, and gives the session another cookie.
  it.each(['set session:', 'delete session:'])(
    'of a person who comes back from the consent page, held before "%s"',
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
      const inFlight = other.open(resumeOf(approved))
      expect(await pause.reached).toBe(true)
      expect((await confirm(page)).body).toMatch(/signed out/i)
      pause.end()
      await inFlight
      await expectSignedOut(before, other.cookies)
    },
  )

  it.each([
    ['has deleted nothing yet', ['delete session:']],
    ['has not even looked where the session is', ['get session-uid:']],
  ])('where the sign-out %s when the session gets another cookie', async (_, alsoHeld) => {
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
    const pauses = alsoHeld.map((call) => below.pauseBefore(call))
    const signingOut = confirm(page)
    for (const { reached } of [pause, ...pauses]) expect(await reached).toBe(true)
    expect((await other.open(resumeOf(approved))).url.searchParams.has('code')).toBe(true)
    for (const { end } of [pause, ...pauses]) end()
    expect((await signingOut).body).toMatch(/signed out/i)
    await expectSignedOut(other.cookies)
  })

  it(`in ${TRIALS} of ${TRIALS} trials`, async () => {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      browser = host.browser()
      await authorize(host, clientId, { browser, parameters: { scope: SCOPE } })
      const page = await signOutPage()
      const before = new Map(browser.cookies)
      await Promise.all([...Array.from({ length: 4 }, silently), confirm(page), silently()])
      await expectSignedOut(before)
    }
  })

  describe('what the same browser does at the same time in its session is not lost', () => {
    it('two authorization requests at once both keep the session signed in', async () => {
      await Promise.all([silently(), silently(), silently()])
      expect((await silently()).has('code')).toBe(true)
    })

    it('a sign-out form that was opened while a request was in flight can be sent', async () => {
      pause = pausing.pauseBefore((call) => /^(set|replace) session:/.test(call))
      const inFlight = silently()
      expect(await pause.reached).toBe(true)
      const page = await signOutPage()
      pause.end()
      await inFlight
      expect((await confirm(page)).body).toMatch(/signed out/i)
      await expectSignedOut()
    })
  })
})
