import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { findViolations } from '../../support/accessibility.ts'
import { createBrowser } from '../../support/browser.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { CLIENT_ID, documentOf, POLICY, VENDOR } from '../../support/client-document.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { startDocumentHost, type DocumentHost } from '../../support/document-host.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { sessionIn } from '../../support/session-cookie.ts'
import { addressOf, createTargets, PAGES, type Targets } from './attack-setup.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** What decides colours and sizes: the kinds of elements of the page, each with its classes and those of its parents. */
const LOOKS = `[...new Set([...document.querySelectorAll('body *')].map((each) =>
  [each, each.parentElement, each.parentElement.parentElement].map((one) => one.localName + '.' + one.className).join(' < ')))]`

/** Numbers everything that can be used, notes what gets the focus, and returns how many there are. */
const NUMBER_FOCUSABLE = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, select, summary, pre')]
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
  let targets: Targets
  /** The addresses of the pages, and who opens them. */
  let addresses: readonly (readonly [person: string, address: string])[]
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { publicApplications: true, privateKeyJwt: true, clientDocuments: [POLICY] },
    })
    targets = await createTargets(host)
    await host.gatehouse.apiKeys.rotateSecret(targets.apiKey, { actor: 'acme' })
    const calling = await host.createApiKey(['invoices'])
    await host.callAs(calling, 'GET /invoices/list', 'GET /payments/list')
    const publicApplication = await createPublicApplication(host, { origins: ['http://localhost:5173'] })
    const keys = await Promise.all([createClientKey(), createClientKey('RS256')])
    const jwks = { keys: keys.map(({ pem }) => pem) }
    const { apiKey } = await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Keyed', jwks })
    documents = await startDocumentHost([VENDOR])
    await replaceOutgoingConnections(host.gatehouse, documents.connections)
    documents.serve(CLIENT_ID, documentOf())
    const visitor = createBrowser({ follow: [host.origin] })
    sessionIn(host.origin).signInAt(visitor, { accountId: 'acme' })
    await connectPublic(host, CLIENT_ID, { browser: visitor })
    await host.gatehouse.clientDocuments.block('blocked.example.com', { actor: 'root' })

    const known = PAGES.filter(({ path }) => !path.endsWith('/frame')).map(
      ({ path, isForOperators }) =>
        [isForOperators ? 'root' : 'acme', addressOf(path, targets).replace('/console', '')] as const,
    )
    const further: readonly (readonly [person: string, path: string])[] = [
      // Pages without anything to show.
      ...['', '/hygiene', '/usage', '/api-keys', '/connected-applications'].map(
        (path) => ['bob', path] as const,
      ),
      ...['', '/access', '/restrictions', '/settings', '/guide'].map(
        (below) => ['acme', `/applications/${publicApplication}${below}`] as const,
      ),
      ...['', '/secrets', '/guide'].map((below) => ['acme', `/api-keys/${apiKey.clientId}${below}`] as const),
      ...['', '/secrets', '/settings'].map(
        (below) => ['root', `/operator/clients/${apiKey.clientId}${below}`] as const,
      ),
      ['acme', `/api-keys/${targets.apiKey}/settings?confirm=disable`],
      ['acme', `/api-keys/${apiKey.clientId}/secrets?confirm=rotateSecret`],
      ['acme', `/applications/${targets.application}/secrets?confirm=rotateSecret`],
      ['acme', `/applications/${targets.application}/secrets?confirm=addKey`],
      ['acme', '/usage?days=7'],
      ['acme', `/api-keys/${calling.client_id}/usage?days=1`],
      ['acme', '/nothing-here'],
      ['root', '/operator/hygiene?products=show'],
      ['root', '/operator/accounts/acme?confirm=erase'],
      ['root', '/operator/client-documents'],
      ['root', `/operator/client-documents?host=${VENDOR}`],
      ['root', `/operator/client-documents?confirm=block&host=${VENDOR}`],
    ]
    addresses = [...known, ...further].map(([person, path]) => [person, `/console${path}`])
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
    await documents?.close()
  })

  /** The looks whose colours were checked already on a large light screen, and on a phone in dark mode. */
  const checked = { light: new Set<string>(), dark: new Set<string>() }

  /** Whether a page has looks that were not checked in this mode. From now on they are. */
  async function hasNewLooks(page: Page, mode: keyof typeof checked): Promise<boolean> {
    const looks = (await page.evaluate(LOOKS)) as string[]
    const before = checked[mode].size
    for (const each of looks) checked[mode].add(each)
    return checked[mode].size > before
  }

  const overflowOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

  /** With the keyboard alone, a person reaches every link, button, field and block of code, and sees which has the focus. */
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

  /** The sections whose pages have a test of their own. */
  const SECTIONS = ['api-keys', 'applications', 'operator/accounts', 'operator/client-documents']

  it.each([
    ['acme', 'api-keys'],
    ['acme', 'applications'],
    ['acme', ''],
    ['bob', ''],
    ['root', 'operator/accounts'],
    ['root', 'operator/client-documents'],
    ['root', ''],
  ])(
    'on the pages of %s /%s nothing is cut off, nothing is requested from elsewhere, the keyboard reaches everything, and the rules of accessibility hold',
    async (person, section) => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { page, complaints } = await openPage(browser, host.origin, person)
      const sectionOf = (address: string) =>
        SECTIONS.find((each) => person !== 'bob' && address.startsWith(`/console/${each}`)) ?? ''
      for (const [, address] of addresses.filter(
        ([each, at]) => each === person && sectionOf(at) === section,
      )) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.emulateMedia({ colorScheme: 'light' })
        const response = await page.goto(host.origin + address)
        const name = `${person} ${address}`
        expect([name, response?.status()]).toEqual([name, address.endsWith('/nothing-here') ? 404 : 200])
        expect([name, await overflowOf(page)]).toEqual([name, 0])
        if ((await page.locator('.tabs').count()) > 0) {
          const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
          expect([name, height], 'no part of a client is long').toEqual([name, Math.min(height, 1600)])
        }
        const except = (await hasNewLooks(page, 'light')) ? [] : ['color-contrast']
        expect([name, ...(await findViolations(page, { tags, except }))]).toEqual([name])
        await expectUseByKeyboard(page, name)
        // What else can be broken in dark mode on a phone: the colours, and the size of what a finger touches.
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.setViewportSize({ width: 390, height: 800 })
        expect([name, await overflowOf(page)]).toEqual([name, 0])
        if (await hasNewLooks(page, 'dark')) {
          const rules = ['color-contrast', 'target-size']
          expect([name, ...(await findViolations(page, { rules }))]).toEqual([name])
        }
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
