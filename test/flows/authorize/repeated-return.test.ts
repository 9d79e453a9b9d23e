// Also runs on: Redis
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { redirectOf, type Browser } from '../../support/browser.ts'
import { authorizationUrl, authorize, signInAs, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('a browser that returns from the pages more than once', (makeStore) => {
  let host: Host
  let browser: Browser
  let application: Awaited<ReturnType<Host['createApplication']>>
  let store: ReturnType<typeof makeStore>
  beforeAll(async () => {
    store = makeStore()
    host = await startHost({ store })
    application = await host.createApplication()
  })
  afterAll(async () => {
    expect(host.errors).toEqual([])
    await host.close()
  })
  beforeEach(() => {
    browser = host.browser()
  })

  /** The address of the button "Continue" after a decision. */
  async function afterDecision(action: 'approve' | 'deny'): Promise<URL> {
    const url = authorizationUrl(host, application.client_id, { prompt: 'consent' })
    const consent = await signInAs(browser, await browser.open(url), 'alice')
    const page = await browser.submit(consent, {
      action: /consent$/,
      button: ['action', action],
      follow: false,
    })
    return new URL(redirectOf(page) ?? '', page.url)
  }
  const exchange = (location: string | undefined) =>
    host.exchangeCode(application, new URL(String(location)).searchParams.get('code') ?? '')

  it('gets the same address with the same code, and the code can be exchanged', async () => {
    const address = await afterDecision('approve')
    const cookie = browser.cookieHeader(address)
    const first = await browser.request(address)
    // "Continue", pressed after the redirect was blocked.
    const second = await browser.request(address)
    // The answer was lost, so the cookies are from before.
    const third = await host.browser().request(address, { headers: { cookie } })
    expect([first, second, third].map(({ status }) => status)).toEqual([303, 303, 303])
    expect(new Set([first, second, third].map(redirectOf)).size).toBe(1)
    expect(third.headers.getSetCookie()).toEqual(first.headers.getSetCookie())
    expect((await exchange(redirectOf(third))).status).toBe(200)
  })

  it('gets the same code after a sign-in without a consent page, when our session began only with the answer', async () => {
    await authorize(host, application.client_id, { browser: host.browser(), user: 'alice' })
    const signIn = await browser.open(authorizationUrl(host, application.client_id))
    const change = { identifier: 'alice', password: 'correct' }
    const page = await browser.submit(signIn, { action: /sign-in$/, change, follow: false })
    const address = new URL(redirectOf(page) ?? '', page.url)
    const [first, second] = [await browser.request(address), await browser.request(address)]
    expect(redirectOf(first)).toContain('code=')
    expect(redirectOf(second)).toBe(redirectOf(first))
  })

  it('gets a page, and never a used code', async () => {
    const address = await afterDecision('approve')
    const tokens = await exchange(redirectOf(await browser.request(address)))
    const again = await browser.request(address)
    expect([again.status, redirectOf(again)]).toEqual([200, undefined])
    expect(again.body).toContain('You are connected')
    const { refresh_token } = tokens.body as { refresh_token: string }
    expect((await host.refresh(application, refresh_token)).status).toBe(200)
  })

  it('gets the same error after "Deny"', async () => {
    const address = await afterDecision('deny')
    const [first, second] = [await browser.request(address), await browser.request(address)]
    expect(redirectOf(first)).toContain('error=access_denied')
    expect(redirectOf(second)).toBe(redirectOf(first))
  })

  it('gets no code after 10 seconds, and another browser gets none at all', async () => {
    const address = await afterDecision('approve')
    await browser.request(address)
    const other = await host.browser().request(address)
    expect([other.status, redirectOf(other)]).toEqual([400, undefined])
    const later = Date.now() + 10_000
    vi.spyOn(Date, 'now').mockReturnValue(later)
    const late = await browser.request(address)
    vi.restoreAllMocks()
    expect([late.status, redirectOf(late)]).toEqual([400, undefined])
  })

  it("gets neither a code nor the session of another browser, even with the cookie of that browser's return", async () => {
    const address = await afterDecision('approve')
    const tossed = browser.cookieHeader(address).replace(/gatehouse_session[^;]*/g, 'x=y')
    await browser.request(address)
    const other = host.browser()
    await authorize(host, application.client_id, { browser: other, user: 'bob' })
    for (const cookie of [tossed, `${tossed}; ${other.cookieHeader(address)}`]) {
      const page = await other.request(address, { headers: { cookie } })
      expect([page.status, redirectOf(page)]).toEqual([400, undefined])
    }
    expect((await authorize(host, application.client_id, { browser: other })).pages).toHaveLength(1)
  })

  it('gets no code after a sign-out, and keeps its newer session if it repeats an earlier step', async () => {
    const request = authorizationUrl(host, application.client_id, { prompt: 'login consent' })
    const change = { identifier: 'alice', password: 'correct' }
    const signedIn = await browser.submit(await browser.open(request), {
      action: /sign-in$/,
      change,
      follow: false,
    })
    const first = new URL(redirectOf(signedIn) ?? '', signedIn.url)
    const options = { action: /consent$/, button: ['action', 'approve'], follow: false } as const
    const approved = await browser.submit(await browser.open(first), {
      ...options,
      button: ['action', 'approve'],
    })
    const last = new URL(redirectOf(approved) ?? '', approved.url)
    await browser.request(last)
    expect((await browser.request(first)).status).toBe(400)
    expect((await authorize(host, application.client_id, { browser })).code).not.toBe('')
    const signOut = await browser.open(`${host.issuer}/oauth2/logout`)
    await browser.submit(signOut, { button: ['logout', 'yes'] })
    const page = await browser.request(last)
    expect([page.status, redirectOf(page)]).toEqual([400, undefined])
  })

  it('sends a HEAD request first, which takes nothing and gets no address', async () => {
    const address = await afterDecision('approve')
    for (const url of [address, new URL(authorizationUrl(host, application.client_id))]) {
      const head = await browser.request(url, { method: 'HEAD' })
      expect([head.status, redirectOf(head), head.headers.getSetCookie()]).toEqual([200, undefined, []])
    }
    expect(redirectOf(await browser.request(address))).toContain('code=')
    expect(redirectOf(await browser.request(address, { method: 'POST' }))).toBeUndefined()
  })

  it('opens the address in two tabs at once, and one code is issued', async () => {
    const address = await afterDecision('approve')
    const pages = await Promise.all([browser.request(address), browser.request(address)])
    const codes = pages.map(redirectOf).filter((location) => location !== undefined)
    expect(codes).not.toEqual([])
    expect(new Set(codes).size).toBe(1)
  })
})
