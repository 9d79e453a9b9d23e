import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { findViolations } from '../../support/accessibility.ts'
import { createBrowser } from '../../support/browser.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { CLIENT_ID, documentOf, POLICY, VENDOR } from '../../support/client-document.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { connect } from '../../support/host.ts'
import { startDocumentHost, type DocumentHost } from '../../support/document-host.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { sessionIn } from '../../support/session-cookie.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** Numbers everything that can be used, notes what gets the focus, and returns how many there are. */
const NUMBER_FOCUSABLE = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, select, summary')]
  const visible = all.filter((each) => each.checkVisibility())
  // Of radio buttons with one name, the keyboard reaches one, and the arrows reach the others.
  const stops = visible.filter((each, at) => each.type !== 'radio' || visible.findIndex(({ name }) => name === each.name) === at)
  document.activeElement.blur()
  window.focused = []
  document.addEventListener('focusin', ({ target }) => {
    if (target.dataset.number === undefined) return
    window.focused.push({ number: target.dataset.number, outline: getComputedStyle(target).outlineStyle })
  })
  visible.forEach((each) => (each.dataset.number = each.type === 'radio' ? each.name : String(visible.indexOf(each))))
  return stops.length
})()`

describeWithChromium('every page of the console', () => {
  let host: ConsoleHost
  let browser: Browser
  let documents: DocumentHost
  let apiKey: string
  let application: string
  let publicApplication: string
  let keyedApiKey: string
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { publicApplications: true, privateKeyJwt: true, clientDocuments: [POLICY] },
    })
    apiKey = (await host.createApiKey()).client_id
    await host.gatehouse.apiKeys.removeOperation(apiKey, 'invoices:create', { actor: 'acme' })
    await host.gatehouse.apiKeys.rotateSecret(apiKey, { actor: 'acme' })
    const client = await host.createApplication({
      homepageUri: 'https://ledger.example/',
      privacyUri: 'https://ledger.example/privacy',
    })
    application = client.client_id
    publicApplication = await createPublicApplication(host, { origins: ['http://localhost:5173'] })
    const keys = await Promise.all([createClientKey(), createClientKey('RS256')])
    const jwks = { keys: keys.map(({ pem }) => pem) }
    const keyed = { accountId: 'acme', name: 'Nightly export', products: ['invoices'], jwks }
    keyedApiKey = (await host.gatehouse.apiKeys.create(keyed)).apiKey.clientId
    const visitor = createBrowser({ follow: [host.origin] })
    sessionIn(host.origin).signInAt(visitor, { accountId: 'acme' })
    documents = await startDocumentHost([VENDOR])
    await replaceOutgoingConnections(host.gatehouse, documents.connections)
    documents.serve(CLIENT_ID, documentOf())
    await connectPublic(host, CLIENT_ID, { browser: visitor })
    await host.gatehouse.clientDocuments.block('blocked.example.com', { actor: 'root' })
    await connect(host, client, { browser: visitor, parameters: { scope: 'openid profile invoices:read' } })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
    await documents?.close()
  })

  /** The paths of the pages, and who opens them. */
  const pages = (): (readonly [string, string])[] => [
    ['acme', '/console'],
    ['bob', '/console'],
    ['acme', '/console/hygiene'],
    ['bob', '/console/hygiene'],
    ['acme', '/console/hygiene/operations'],
    ['acme', '/console/usage'],
    ['bob', '/console/usage'],
    ['acme', `/console/api-keys/${apiKey}/usage`],
    ['acme', `/console/applications/${application}/usage`],
    ['root', '/console/operator/usage'],
    ['root', `/console/operator/clients/${apiKey}/usage`],
    ['acme', '/console/api-keys'],
    ['bob', '/console/api-keys'],
    ['acme', '/console/api-keys/new'],
    ['acme', `/console/api-keys/${apiKey}`],
    ['acme', `/console/api-keys/${apiKey}/guide`],
    ['acme', `/console/api-keys/${apiKey}/report-compromised`],
    ['acme', `/console/api-keys/${apiKey}/delete`],
    ['acme', '/console/applications'],
    ['acme', '/console/applications/new'],
    ['acme', `/console/applications/${application}`],
    ['acme', `/console/applications/${application}/guide`],
    ['acme', `/console/applications/${application}/settings`],
    ['acme', `/console/applications/${application}/preview`],
    ['acme', `/console/applications/${application}/delete`],
    ['acme', `/console/applications/${publicApplication}`],
    ['acme', `/console/applications/${publicApplication}/settings`],
    ['acme', `/console/applications/${publicApplication}/guide`],
    ['acme', `/console/api-keys/${keyedApiKey}`],
    ['acme', `/console/api-keys/${keyedApiKey}/guide`],
    ['acme', '/console/connected-applications'],
    ['bob', '/console/connected-applications'],
    ['acme', '/console/activity'],
    ['acme', '/console/token-inspector'],
    ['root', '/console/operator'],
    ['root', '/console/operator/hygiene?products=show'],
    ['root', `/console/operator/clients/${apiKey}`],
    ['root', '/console/operator/accounts/acme'],
    ['root', '/console/operator/accounts/acme/revoke'],
    ['root', '/console/operator/accounts/acme?confirm=erase'],
    ['root', '/console/operator/signing-keys'],
    ['root', '/console/operator/client-documents'],
    ['root', `/console/operator/client-documents?host=${VENDOR}`],
    ['root', `/console/operator/client-documents?confirm=block&host=${VENDOR}`],
    ['root', '/console/operator/health'],
    ['root', '/console/operator/audit'],
    ['acme', '/console/nothing-here'],
  ]

  const overflowOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

  /** With the keyboard alone, a person reaches every link, button and field, and sees which has the focus. */
  async function expectUseByKeyboard(page: Page, name: string): Promise<void> {
    const count = Number(await page.evaluate(NUMBER_FOCUSABLE))
    let focused: readonly { readonly number: string; readonly outline: string }[] = []
    const reached = () => new Set(focused.map(({ number }) => number)).size
    // A frame adds the elements inside it, so there may be more steps.
    for (let steps = 0; steps < count + 40 && reached() < count;) {
      const missing = count - reached()
      for (let step = 0; step < missing; step += 1) await page.keyboard.press('Tab')
      steps += missing
      focused = (await page.evaluate('window.focused')) as typeof focused
    }
    const withoutOutline = focused.filter(({ outline }) => outline === 'none')
    expect([name, reached(), withoutOutline]).toEqual([name, count, []])
  }

  it.each(['acme', 'bob', 'root'])(
    'on the pages of %s nothing is cut off, nothing is requested from elsewhere, the keyboard reaches everything, and the rules of accessibility hold',
    async (person) => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { page, complaints } = await openPage(browser, host.origin, person)
      for (const [, address] of pages().filter(([each]) => each === person)) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.emulateMedia({ colorScheme: 'light' })
        const response = await page.goto(host.origin + address)
        const name = `${person} ${address}`
        expect([name, response?.status()]).toEqual([name, address.endsWith('/nothing-here') ? 404 : 200])
        expect([name, await overflowOf(page)]).toEqual([name, 0])
        expect([name, ...(await findViolations(page, { tags }))]).toEqual([name])
        await expectUseByKeyboard(page, name)
        // What else can be broken in dark mode on a phone: the colours, and the size of what a finger touches.
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.setViewportSize({ width: 390, height: 800 })
        expect([name, await overflowOf(page)]).toEqual([name, 0])
        const rules = ['color-contrast', 'target-size']
        expect([name, ...(await findViolations(page, { rules }))]).toEqual([name])
        // A language that is written from right to left mirrors the page.
        await page.evaluate(`document.querySelector('.gatehouse').dir = 'rtl'`)
        expect([name, await overflowOf(page)]).toEqual([name, 0])
        // A zoom of 400 % of a window of 1280 px.
        await page.setViewportSize({ width: 320, height: 256 })
        expect([name, await overflowOf(page)]).toEqual([name, 0])
      }
      expect(complaints.filter((each) => !each.includes('404'))).toEqual([])
      await page.context().close()
    },
    120_000,
  )
})
