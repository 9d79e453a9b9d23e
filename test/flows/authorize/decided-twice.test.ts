// Also runs on: Redis
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redirectOf, type Browser, type Page } from '../../support/browser.ts'
import { authorizationUrl, signInAs, startHost, type Host } from '../../support/host.ts'
import { pausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('an interaction that two tabs answer', (makeStore) => {
  it.each([
    ['before its grant is stored', 'create grant:'],
    [
      'before its result is stored (fixed bug: the interaction became usable again)',
      (call: string, args: string) =>
        /^(?:set|replace) interaction:/.test(call) && args.includes('"consent":{"grantId"'),
    ],
  ])(
    'if the approval of one tab is paused %s, the approval of a second tab gets a code, and the first tab gets the error page',
    async (_, which) => {
      const pausing = pausingStore(makeStore())
      const pause = pausing.pauseBefore(which)
      const host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 5000 } })
      const { client_id } = await host.createApplication()
      const browser = host.browser()
      const signIn = await browser.open(authorizationUrl(host, client_id))
      const page = await signInAs(browser, signIn, 'alice')
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
    },
  )
})

describeEachStore('a consent page that receives both "Deny" and "Allow"', (makeStore) => {
  let host: Host
  let browser: Browser
  let clientId: string
  let address: string
  const decisions: string[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.gatehouse.on('consent.approved', () => decisions.push('approved'))
    host.gatehouse.on('consent.denied', () => decisions.push('denied'))
  })
  afterAll(async () => {
    expect(host.errors).toEqual([])
    await host.close()
  })

  /** Opens the consent page of a new application. */
  async function consentPage(): Promise<Page> {
    decisions.splice(0)
    clientId = (await host.createApplication()).client_id
    browser = host.browser()
    const page = await browser.open(authorizationUrl(host, clientId))
    const consent = await signInAs(browser, page, 'alice')
    address = consent.url.href.replace('/interaction/', '/oauth2/authorize/')
    return consent
  }
  /** Signs Alice in and approves a new application. */
  async function approveAsAlice(): Promise<void> {
    const button: [string, string] = ['action', 'approve']
    await browser.submit(await consentPage(), { action: /consent$/, button })
  }
  /** Sends a decision, and does not follow the redirect. */
  const send = (page: Page, action: 'approve' | 'deny') =>
    browser.submit(page, { action: /consent$/, button: ['action', action], follow: false })
  const outcomeOf = ({ url }: Page) =>
    url.searchParams.get('error') ?? (url.searchParams.has('code') ? 'code' : url.pathname)
  const isRemembered = async () =>
    outcomeOf(await browser.open(authorizationUrl(host, clientId, { prompt: 'none' }))) === 'code'

  it.each([
    ['approve', 'deny', 'code'],
    ['deny', 'approve', 'access_denied'],
  ] as const)(
    'a consent page that receives %s and then %s counts only the first decision',
    async (first, second, outcome) => {
      const page = await consentPage()
      expect(redirectOf(await send(page, first))).toBe(address)
      // The later decision gets the same redirect as the first decision.
      expect(redirectOf(await send(page, second))).toBe(address)
      expect(outcomeOf(await browser.open(address))).toBe(outcome)
      expect(await isRemembered()).toBe(first === 'approve')
      expect(decisions).toEqual([first === 'approve' ? 'approved' : 'denied'])
    },
  )

  it('a consent page with prompt=select_account counts only the first of two decisions', async () => {
    await approveAsAlice()
    const page = await browser.open(authorizationUrl(host, clientId, { prompt: 'select_account' }))
    address = page.url.href.replace('/interaction/', '/oauth2/authorize/')
    decisions.splice(0)
    for (const action of ['deny', 'approve'] as const)
      expect(redirectOf(await send(page, action))).toBe(address)
    expect(outcomeOf(await browser.open(address))).toBe('access_denied')
    expect(decisions).toEqual(['denied'])
  })

  it('if two decisions arrive at the same time, gatehouse remembers only the decision that the application gets', async () => {
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
      expect(decisions).toEqual([outcome === 'code' ? 'approved' : 'denied'])
    }
  })

  it('if a denial arrives while an approval is being stored, the approval is not remembered', async () => {
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
