import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { products } from '../../fixtures/products.ts'
import { createBrowser } from '../../support/browser.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { connect, type Tokens } from '../../support/host.ts'
import { sessionIn } from '../../support/session-cookie.ts'
import { openPage } from './browser-setup.ts'
import { addressOf, PAGES, type Targets } from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** Markup, ends of attributes, comments, templates, and characters that change the direction of text. */
const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(1)>--></title></textarea><!--\${1}{{1}}{name}`
const BIDI = '\u202e\u2066\u200b\u0000\ud800evil'
const LONG = 'W'.repeat(120)
const NAME = `"><img src=x onerror=alert(1)></title><script>alert(1)</script>`
const RAW_ADDRESS = `https://evil.example/"><script>alert(1)</script>?a='onerror=alert(1)`
const ADDRESS = new URL(RAW_ADDRESS).href

/** Values that the services reject. The store gives them instead of these placeholders. */
const REPLACED: Readonly<Record<string, string>> = {
  'Replaced name': `${BIDI}${NAME}${'w\u0300'.repeat(300)}`,
  'https://replaced.example/homepage': 'javascript:alert(1)',
  'https://replaced.example/logo': 'data:image/svg+xml,<svg onload=alert(1)>',
  'https://replaced.example/privacy': 'java\nscript:alert(1)',
  'https://replaced.example/terms': RAW_ADDRESS,
}

/** Wraps a store, which reads other values than were written once `replace()` was called. */
function replacingStore(inner: Store): { store: Store; replace(): void } {
  let isReplacing = false
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return Object.entries(REPLACED).reduce(
        (text, [from, to]) => text.replaceAll(JSON.stringify(from), JSON.stringify(to)),
        value,
      )
    }
    return Array.isArray(value) ? value.map(change) : value
  }
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(member, target, args)
        return isReplacing ? change(result) : result
      }
    },
  })
  return { store, replace: () => void (isReplacing = true) }
}

const attack = (text: string) => `${text} ${HOSTILE}`

/** The products of the test hosts with hostile titles. */
const hostileProducts = Object.fromEntries(
  Object.entries(products).map(([id, product]) => [
    id,
    {
      title: attack(product.title),
      description: attack('about'),
      operations: Object.fromEntries(
        Object.entries(product.operations).map(([scope, operation]) => [
          scope,
          { ...operation, title: { en: attack(operation.title), de: attack(operation.title) } },
        ]),
      ),
    },
  ]),
)

/** The attributes that the console writes. */
const ATTRIBUTES =
  /^(accept|action|alt|aria-[a-z]+|autocomplete|autofocus|charset|checked|class|colspan|content|data-[a-z-]+|datetime|dir|disabled|download|for|form|height|hidden|href|id|lang|max|maxlength|method|min|name|open|referrerpolicy|rel|required|role|rows|sandbox|scope|selected|spellcheck|src|tabindex|target|title|type|value|width)$/

describeWithChromium('hostile texts on every page', () => {
  let host: ConsoleHost
  let browser: Browser
  let targets: Targets
  let others: string[]
  let tokens: Tokens
  const account = `acme/${HOSTILE}`
  beforeAll(async () => {
    browser = await startChromium()
    const { store, replace } = replacingStore(memoryStore())
    host = await startConsole({
      store,
      gatehouse: { products: hostileProducts, defaultLocale: 'en' },
      accounts: {
        find: (id, userId) => ({
          id,
          ...(userId !== undefined && { userId }),
          kycLevel: 'basic',
          claims: { name: `Developer ${HOSTILE}${BIDI}` },
        }),
        isOperator: () => true,
      },
    })
    const { gatehouse } = host
    const change = { actor: HOSTILE.slice(0, 150), userAgent: HOSTILE.slice(0, 150), address: '"><b>' }
    const common = { accountId: account, products: ['invoices', 'payments'], ...change }
    const { apiKey } = await gatehouse.apiKeys.create({ ...common, name: NAME })
    await gatehouse.apiKeys.rotateSecret(apiKey.clientId, change)
    await gatehouse.apiKeys.removeOperation(apiKey.clientId, 'invoices:create', change)
    await gatehouse.apiKeys.create({ ...common, name: LONG })
    const client = await host.createApplication({
      ...common,
      name: NAME,
      homepageUri: ADDRESS,
      logoUri: 'https://evil.example/logo.svg',
      privacyUri: ADDRESS,
      termsUri: ADDRESS,
    })
    await host.createApplication({ ...common, name: LONG })
    const replaced = await host.createApplication({
      ...common,
      name: 'Replaced name',
      homepageUri: 'https://replaced.example/homepage',
      logoUri: 'https://replaced.example/logo',
      privacyUri: 'https://replaced.example/privacy',
      termsUri: 'https://replaced.example/terms',
    })
    const wide = await host.createApplication({ ...common, name: '\ufdfd'.repeat(120) })
    const visitor = createBrowser({ follow: [host.origin] })
    sessionIn(host.origin).signInAt(visitor, { accountId: account })
    replace()
    expect(await gatehouse.applications.find(replaced.client_id)).toMatchObject({
      homepageUri: 'javascript:alert(1)',
    })
    const parameters = { scope: 'openid invoices:read' }
    tokens = await connect(host, client, { browser: visitor, parameters })
    await connect(host, replaced, { browser: visitor, parameters })
    await connect(host, wide, { browser: visitor, parameters })
    const [key] = await gatehouse.signingKeys.list()
    targets = { apiKey: apiKey.clientId, application: client.client_id, kid: key?.kid ?? '' }
    others = [replaced.client_id, wide.client_id]

    await gatehouse.audit.list({ limit: 1 })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  async function openHostile(width: number) {
    const { page, complaints } = await openPage(browser, host.origin, 'x', {
      viewport: { width, height: 800 },
    })
    await page.context().clearCookies()
    const value = Buffer.from(JSON.stringify({ accountId: account })).toString('base64url')
    await page.context().addCookies([{ name: 'host_session', value, url: host.origin }])
    // The logo is the only request to another origin.
    await page.context().route('https://evil.example/**', (route) => route.abort())
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    const faults = () =>
      complaints.filter(
        (each) => !each.includes('evil.example/logo.svg') && !/ERR_FAILED|status of 422/.test(each),
      )
    return { page, faults }
  }

  /** What is on a page that the console did not write. Runs in the browser. */
  const FIND_FOREIGN = `(pattern) => {
    const found = []
    for (const element of document.querySelectorAll('body *, head *')) {
      const name = element.localName
      if (['script', 'img', 'link', 'iframe'].includes(name)) {
        const address = element.getAttribute('src') ?? element.getAttribute('href')
        const isOwn = address.startsWith('/console/') || (name === 'img' && address.startsWith('https://evil.example/logo.svg'))
        if (!isOwn) found.push(element.outerHTML)
      }
      const isPreview = location.pathname.endsWith('/preview/frame')
      if (['object', 'embed', 'base', 'b', !isPreview && 'style'].includes(name)) found.push(element.outerHTML)
      for (const { name: attribute, value } of element.attributes) {
        if (!new RegExp(pattern, 'i').test(attribute)) found.push(attribute)
        if (['href', 'src', 'action', 'formaction'].includes(attribute) && value !== '' && !/^(\\/console|https:\\/\\/evil\\.example\\/|https:\\/\\/github\\.com\\/koa-gatehouse\\/koa-gatehouse\\/blob\\/)/.test(value)) {
          found.push(attribute + '=' + value)
        }
      }
      for (const child of element.childNodes) {
        if (child.nodeType === 8) found.push('comment ' + child.data)
        if (child.nodeType === 3 && /[\\u202a-\\u202e\\u2066-\\u2069]/.test(child.data)) found.push('direction in ' + element.outerHTML.slice(0, 200))
      }
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push('the page is ' + scrollWidth + ' wide instead of ' + clientWidth)
    return found
  }`

  const addresses = () =>
    PAGES.flatMap(({ path }) => {
      const isOfApplication = path.startsWith('/applications/:') || path === '/operator/clients/:clientId'
      const ids = isOfApplication ? [targets.application, ...others] : [targets.application]
      return ids.map((application) => addressOf(path, { ...targets, application }))
    }).map((address) =>
      address
        .replace('/accounts/acme', `/accounts/${encodeURIComponent(account)}`)
        .replace('/users/nora', `/users/${encodeURIComponent(HOSTILE)}`),
    )

  it('at 1280 and at 320 pixels hostile texts add no element and no attribute, run nothing, and do not widen a page', async () => {
    const { page, faults } = await openHostile(1280)
    for (const address of [
      ...addresses(),
      `/console/activity?trail=failures&x=${encodeURIComponent(HOSTILE)}`,
    ]) {
      await page.setViewportSize({ width: 1280, height: 800 })
      const response = await page.goto(host.origin + address)
      expect(response?.status(), address).toBe(200)
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 })
        expect(
          await page.evaluate(`(${FIND_FOREIGN})(${JSON.stringify(ATTRIBUTES.source)})`),
          `${address} at ${width}`,
        ).toEqual([])
      }
      expect(faults(), address).toEqual([])
    }
    await page.context().close()
  }, 120_000)

  it('the inspector shows hostile claims as text', async () => {
    const { page, faults } = await openHostile(390)
    const claims = {
      client_id: targets.application,
      iss: HOSTILE,
      [HOSTILE]: `${HOSTILE}\u202e`,
      exp: 1e11,
      scope: HOSTILE,
    }
    const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
    for (const token of [
      tokens.access_token,
      `${encode({ alg: 'ES256', typ: HOSTILE, kid: HOSTILE })}.${encode(claims)}.AAAA`,
      `${encode({ alg: HOSTILE, typ: 'at+jwt' })}.${encode({ ...claims, iss: host.issuer, aud: host.audience })}.`,
      `Bearer ${HOSTILE}`,
    ]) {
      await page.goto(`${host.origin}/console/token-inspector`)
      await page.getByRole('textbox').fill(token)
      await page.locator('form button').click()
      await page.locator('.gatehouse [role=status], .gatehouse [role=alert]:not([hidden])').first().waitFor()
      expect(await page.evaluate(`(${FIND_FOREIGN})(${JSON.stringify(ATTRIBUTES.source)})`)).toEqual([])
      expect(await page.content()).not.toContain(token.split('.').at(-1) || 'no signature')
    }
    expect(faults()).toEqual([])
    await page.context().close()
  })
})
