import { afterAll, beforeAll, expect, it } from 'vitest'
import { redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { pausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('An interaction that two tabs answer', (makeStore) => {
  it.each([
    ['before its grant is written', 'create grant:'],
    [
      'before its answer is written (bug: it came back to life)',
      (call: string, args: string) =>
        /^(?:set|replace) interaction:/.test(call) && args.includes('"consent":{"grantId"'),
    ],
  ])('gives one code, and the other tab the error page, if the other one is held up %s', async (_, which) => {
    const pausing = pausingStore(makeStore())
    const pause = pausing.pauseBefore(which)
    const host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 5000 } })
    const { client_id } = await host.createApplication()
    const browser = host.browser()
    const signIn = await browser.open(authorizationUrl(host, client_id))
    const page = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    const approve = () => browser.submit(page, { action: /consent/, button: ['action', 'approve'] })

    const slow = approve()
    expect(await pause.reached).toBe(true)
    const quick = await approve()
    pause.end()
    expect(quick.url.searchParams.get('code')).toEqual(expect.any(String))
    const answer = await slow
    expect(answer.url.searchParams.get('code')).toBeNull()
    expect([answer.status, answer.url.pathname]).toEqual([404, page.url.pathname])
    expect(host.errors).toEqual([])
    await host.close()
  })
})

describeEachStore('A consent page on which "Deny" and "Allow" are sent', (makeStore) => {
  let host: Host
  let browser: Browser
  let clientId: string
  let address: string
  const told: string[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.gatehouse.on('consent.approved', () => told.push('approved'))
    host.gatehouse.on('consent.denied', () => told.push('denied'))
  })
  afterAll(async () => {
    expect(host.errors).toEqual([])
    await host.close()
  })

  /** The consent page of an application that nobody has authorized yet. */
  async function consentPage(): Promise<Page> {
    told.splice(0)
    clientId = (await host.createApplication()).client_id
    browser = host.browser()
    const page = await browser.open(authorizationUrl(host, clientId))
    const change = { identifier: 'alice', password: 'correct' }
    const consent = await browser.submit(page, { action: /sign-in/, change })
    address = consent.url.href.replace('/interaction/', '/oauth2/authorize/')
    return consent
  }
  /** Alice has authorized it, and is signed in. */
  async function browserOfAlice(): Promise<void> {
    const button: [string, string] = ['action', 'approve']
    await browser.submit(await consentPage(), { action: /consent$/, button })
  }
  /** Sends an answer, and does not go on yet. */
  const send = (page: Page, action: 'approve' | 'deny') =>
    browser.submit(page, { action: /consent$/, button: ['action', action], follow: false })
  const outcomeOf = ({ url }: Page) =>
    url.searchParams.get('error') ?? (url.searchParams.has('code') ? 'code' : url.pathname)
  const isRemembered = async () =>
    outcomeOf(await browser.open(authorizationUrl(host, clientId, { prompt: 'none' }))) === 'code'

  it.each([
    ['approve', 'deny', 'code'],
    ['deny', 'approve', 'access_denied'],
  ] as const)('counts the first answer alone: %s, then %s', async (first, second, outcome) => {
    const page = await consentPage()
    expect(redirectOf(await send(page, first))).toBe(address)
    // Whoever is late goes where the first answer leads.
    expect(redirectOf(await send(page, second))).toBe(address)
    expect(outcomeOf(await browser.open(address))).toBe(outcome)
    expect(await isRemembered()).toBe(first === 'approve')
    expect(told).toEqual([first === 'approve' ? 'approved' : 'denied'])
  })

  it('counts the first answer alone where the page came by prompt=select_account, too', async () => {
    await browserOfAlice()
    const page = await browser.open(authorizationUrl(host, clientId, { prompt: 'select_account' }))
    address = page.url.href.replace('/interaction/', '/oauth2/authorize/')
    told.splice(0)
    for (const action of ['deny', 'approve'] as const)
      expect(redirectOf(await send(page, action))).toBe(address)
    expect(outcomeOf(await browser.open(address))).toBe('access_denied')
    expect(told).toEqual(['denied'])
  })

  it('remembers the approval only where it counted, if both are sent at once', async () => {
    const orders = [
      ['approve', 'deny'],
      ['deny', 'approve'],
    ] as const
    for (let trial = 0; trial < 10; trial += 1) {
      const page = await consentPage()
      await Promise.all(orders[trial % 2]!.map((action) => send(page, action)))
      const outcome = outcomeOf(await browser.open(address))
      expect(['code', 'access_denied']).toContain(outcome)
      expect([outcome, await isRemembered()]).toEqual([outcome, outcome === 'code'])
      expect(told).toEqual([outcome === 'code' ? 'approved' : 'denied'])
    }
  })

  it('remembers nothing of an approval that was denied before it was written', async () => {
    const pausing = pausingStore(makeStore())
    const other = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 5000 } })
    const own = { host, browser }
    host = other
    const page = await consentPage()
    const pause = pausing.pauseAfter('create grant:')
    const slow = send(page, 'approve')
    expect(await pause.reached).toBe(true)
    await send(page, 'deny')
    pause.end()
    await slow
    expect(outcomeOf(await browser.open(address))).toBe('access_denied')
    expect(await isRemembered()).toBe(false)
    await other.close()
    ;({ host, browser } = own)
  })
})
