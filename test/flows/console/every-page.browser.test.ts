import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleTexts } from 'koa-gatehouse/console'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { english } from '../../../src/console/texts.ts'
import { products } from '../../fixtures/products.ts'
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
import { WAYS } from './ways.ts'

/** The folder for screenshots of the pages. If the variable is unset, the tests make no screenshots. */
const screenshotFolder = process.env['SCREENSHOTS']

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

/** Marks every letter-like text, so that a text that was forgotten in the source is seen. From right to left. */
const pseudoLocale = Object.fromEntries(
  Object.entries(english).map(([name, text]) => {
    const mark = (each: string) => `\u05d0${each}\u05ea`
    return [
      name,
      typeof text === 'string'
        ? mark(text)
        : Object.fromEntries(Object.entries(text).map(([form, each]) => [form, mark(each)])),
    ]
  }),
) as unknown as ConsoleTexts

/** What the hosts and developers name, which is not translated. */
const DATA = [
  'Nightly export',
  'Ledger',
  'Acme',
  'Example Agent',
  VENDOR,
  'blocked.example.com',
  ...Object.values(products).flatMap(({ title, operations }) => [
    title,
    ...Object.entries(operations).flatMap(([scope, each]) => [scope, each.title]),
  ]),
]

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
      console: { texts: { he: pseudoLocale } },
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

  async function expectNoViolations(page: Page, name: string): Promise<void> {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    expect([name, ...(await findViolations(page, tags))]).toEqual([name])
  }

  /** Opens all pages in one window for each person, and calls `check` with each page. */
  async function visitAll(
    options: Parameters<typeof openPage>[3],
    check: (page: Page, name: string) => Promise<void>,
  ): Promise<void> {
    for (const person of new Set(pages().map(([each]) => each))) {
      const { page, complaints } = await openPage(browser, host.origin, person, options)
      for (const [, address] of pages().filter(([each]) => each === person)) {
        const response = await page.goto(host.origin + address)
        const status = address.endsWith('/nothing-here') ? 404 : 200
        expect([address, response?.status()]).toEqual([address, status])
        await check(page, `${person} ${address.replaceAll(apiKey, 'key').replaceAll(application, 'app')}`)
      }
      expect(complaints.filter((each) => !each.includes('404'))).toEqual([])
      await page.context().close()
    }
  }

  const overflowOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

  // Without scripts, the test only takes screenshots.
  describe.each(WAYS.filter((way) => way.javaScriptEnabled || screenshotFolder !== undefined))(
    'at $width px, $colorScheme, with script: $javaScriptEnabled',
    ({ width, colorScheme, javaScriptEnabled }) => {
      it('nothing is cut off, nothing is requested from elsewhere, and the rules of accessibility hold', async () => {
        const options = { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled }
        await visitAll(options, async (page, name) => {
          if (screenshotFolder !== undefined) {
            mkdirSync(screenshotFolder, { recursive: true })
            const way = `${width}-${colorScheme}-${javaScriptEnabled ? 'script' : 'plain'}`
            const file = `${name.replaceAll(/[^a-z0-9-]+/gi, '_')}-${way}.png`
            await page.screenshot({ path: path.join(screenshotFolder, file), fullPage: true })
          }
          if (!javaScriptEnabled) return
          expect([name, await overflowOf(page)]).toEqual([name, 0])
          await expectNoViolations(page, name)
        })
      }, 120_000)
    },
  )

  it('the keyboard alone reaches every link, button and field, and each shows that it has the focus; at a zoom of 400 % of a window of 1280 px, nothing is cut off', async () => {
    await visitAll({}, async (page, name) => {
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

      await page.setViewportSize({ width: 320, height: 256 })
      expect([name, await overflowOf(page)]).toEqual([name, 0])
      await page.setViewportSize({ width: 1280, height: 800 })
    })
  }, 120_000)

  it('a reader of German gets every text in German', async () => {
    const texts = async ([person, address]: readonly [string, string]) => {
      const cookie = `host_session=${Buffer.from(JSON.stringify({ accountId: person })).toString('base64url')}`
      const headers = { cookie, accept: 'text/html', 'accept-language': 'de-DE' }
      const page = await (await fetch(host.origin + address, { headers })).text()
      // The services write the messages of health checks, in English.
      const english = address.endsWith('/health') ? [] : (page.match(/lang="en"/g) ?? [])
      return [address, /class="gatehouse"[^>]*/.exec(page)?.[0], ...english]
    }
    for (const each of pages())
      expect(await texts(each)).toEqual([each[1], expect.stringContaining('lang="de"')])
  })

  it('a language from right to left mirrors the pages, and every text comes from the texts', async () => {
    await visitAll({ locale: 'he', viewport: { width: 390, height: 800 } }, async (page, name) => {
      expect([name, await page.getAttribute('.gatehouse', 'dir')]).toEqual([name, 'rtl'])
      expect([name, await overflowOf(page)]).toEqual([name, 0])
      if (screenshotFolder !== undefined) {
        const file = `${name.replaceAll(/[^a-z0-9-]+/gi, '_')}-rtl.png`
        await page.screenshot({ path: path.join(screenshotFolder, file), fullPage: true })
      }
      const headings = await page
        .locator('.gatehouse :is(h1, h2, th[scope=col], label, button)')
        .allInnerTexts()
      const forgotten = headings.filter(
        (text) =>
          text.trim() !== '' && !/\p{Script=Hebrew}/u.test(text) && !DATA.some((each) => text.includes(each)),
      )
      expect([name, forgotten]).toEqual([name, []])
    })
  }, 60_000)
})
