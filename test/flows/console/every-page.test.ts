import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleTexts } from 'koa-gatehouse/console'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { english } from '../../../src/parts/console/texts.ts'
import { products } from '../../fixtures/products.ts'
import { POLICY } from '../../support/client-document.ts'
import { addressOf, createTargets, PAGES, type Targets } from './attack-setup.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const GERMAN = { 'accept-language': 'de-CH, en;q=0.5' }

/** A name with markup, and with characters that hide or reverse text. */
const HOSTILE = `"><script>alert('x')</script></title><b>\u200b`

/** Marks every text with Hebrew letters, so that a text that was forgotten in the source is seen. */
const HEBREW = Object.fromEntries(
  Object.entries(english).map(([name, text]) => {
    const mark = (each: string) => `\u05d0${each}\u05ea`
    const forms = Object.entries(text).map(([form, each]) => [form, mark(each)])
    return [name, typeof text === 'string' ? mark(text) : Object.fromEntries(forms)]
  }),
) as unknown as ConsoleTexts

/** What the hosts and developers name, which is not translated. */
const DATA = [
  'Ledger',
  'Acme',
  ...Object.values(products).flatMap(({ title, operations }) => [
    title,
    ...Object.entries(operations).flatMap(([scope, each]) => [scope, each.title]),
  ]),
]

describe('every page of the console', () => {
  let host: ConsoleHost
  let targets: Targets
  /** The permissions that the host gives. */
  let mayUse: (permission: string) => boolean = () => true
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      console: { texts: { he: HEBREW } },
      gatehouse: { publicApplications: true, privateKeyJwt: true, clientDocuments: [POLICY] },
      accounts: { can: (_ctx, permission) => mayUse(permission) },
    })
    targets = await createTargets(host)
  })
  afterAll(() => host.close())

  /** Opens all pages, each by a person who may, and the page that does not exist. */
  async function openAll(headers: Record<string, string> = {}) {
    const own = PAGES.map(({ path, isForOperators }) => [path, isForOperators] as const)
    const all = [...own, ['/operator/client-documents', true], ['/nothing', false]] as const
    const opened = all.map(async ([path, isForOperators]) => {
      const person = isForOperators ? 'root' : 'acme'
      return { path, ...(await host.visit(person).get(addressOf(path, targets), headers)) }
    })
    return Promise.all(opened)
  }

  it('is small, and is German for a reader of German', async () => {
    for (const { path, status, body } of await openAll(GERMAN)) {
      expect([path, status]).toEqual([path, path === '/nothing' ? 404 : 200])
      expect([path, body.length < 20_480]).toEqual([path, true])
      const isWhole = !path.endsWith('/frame')
      if (isWhole)
        expect([path, body]).toEqual([path, expect.stringMatching(/class="gatehouse"[^>]*lang="de"/)])
      // The services write the messages of health checks, in English.
      const isInEnglish = body.includes('lang="en"') && !/\/(health|operator)$/.test(path)
      expect([path, isInEnglish]).toEqual([path, false])
    }
  })

  it('is written from right to left in Hebrew, and every heading, label and button comes from the texts', async () => {
    for (const { path, body } of await openAll({ 'accept-language': 'he' })) {
      if (path.endsWith('/frame')) continue
      expect([path, body]).toEqual([path, expect.stringMatching(/class="gatehouse"[^>]*dir="rtl"/)])
      const elements = [
        ...body.matchAll(/<(h1|h2|th(?=[^>]* scope="col")|label|button)\b[^>]*>([^]*?)<\/\1/g),
      ]
      const forgotten = elements
        .map(([, , inner]) => textOf(inner))
        .filter((text) => text !== '' && !/\p{Script=Hebrew}/u.test(text))
        .filter((text) => !DATA.some((each) => text.includes(each)))
      expect([path, forgotten]).toEqual([path, []])
    }
  })

  it('shows nothing, or no form, to a caller to whom the host does not give the permission', async () => {
    // The other pages show what the caller may see.
    const open = ['/', '/token-inspector']
    mayUse = () => false
    for (const { path, status, body } of await openAll()) {
      const isOpen = open.includes(path) || path.startsWith('/operator')
      expect([path, status]).toEqual([path, path === '/nothing' ? 404 : isOpen ? 200 : 403])
      if (!path.startsWith('/operator')) expect([path, textOf(body)]).not.toContain('Ledger')
    }
    mayUse = (permission) => permission.endsWith(':read')
    for (const { path, status, body } of await openAll()) {
      if (path.startsWith('/operator') || path === '/token-inspector') continue
      const isOfChange = /\/(new(-gateway)?|delete|report-compromised|hand-over)$/.test(path)
      expect([path, status]).toEqual([path, path === '/nothing' ? 404 : isOfChange ? 403 : 200])
      if (path.endsWith('/frame')) continue
      const offers = body.match(/<form\b[^>]*method="post"|name="csrf"|\?confirm=|href="[^"]*\/new"/g)
      expect([path, offers]).toEqual([path, null])
    }
    mayUse = () => true
  })

  it('escapes names, authors and browsers with markup', async () => {
    const by = { actor: HOSTILE, userAgent: HOSTILE, address: '"><b>' }
    await host.gatehouse.apiKeys.update(targets.apiKey, { name: HOSTILE }, by)
    await host.gatehouse.applications.update(targets.application, { name: HOSTILE }, by)
    const foreign = { accountId: HOSTILE.slice(0, 40), name: HOSTILE }
    const { apiKey } = await host.gatehouse.apiKeys.create(foreign)
    const account = `/console/operator/accounts/${encodeURIComponent(foreign.accountId)}`
    const further = ['', '/revoke', '?confirm=erase'].map((below) => account + below)
    const pages = [
      ...(await openAll()),
      ...(await Promise.all(
        [...further, `/console/operator/clients/${apiKey.clientId}`].map(async (path) => ({
          path,
          ...(await host.visit('root').get(path)),
        })),
      )),
    ]
    for (const { path, body } of pages) {
      // A field shows the name as it is stored.
      const text = body.replaceAll(/value="[^"]*"/g, '')
      expect([path, text.match(/<script>alert|<b>|\u200b/g)]).toEqual([path, null])
    }
    expect(pages.filter(({ body }) => body.includes('&lt;script&gt;alert')).length).toBeGreaterThan(20)
  })
})
