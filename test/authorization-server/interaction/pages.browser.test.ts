import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Context } from 'koa'
import type { ConsentPreview } from '../../../src/authorization-server/interaction/consent-preview.ts'
import { findViolations } from '../../support/accessibility.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { hostApp } from './host-app.ts'
import { pendingConsent, pendingLogin } from './fake-port.ts'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#0a7"/></svg>'

/** A page of the host that shows the preview in a frame. */
const CONSOLE =
  '<!doctype html><title>console</title><iframe src="/preview" width="900" height="1200"></iframe>'

/** JavaScript that a page evaluates. It returns the interactive elements that are less than 44 pixels high. */
const TOO_SMALL = `[...document.querySelectorAll('button:not(.unseen), label.row, .button, input:not([type=hidden], [type=checkbox])')]
  .filter((element) => element.getBoundingClientRect().height < 44).map((element) => element.outerHTML)`

/** JavaScript that a page evaluates. It returns the outline of the focused element, or of its row. */
const FOCUS_OUTLINE = `getComputedStyle(document.activeElement.closest('label.row') ?? document.activeElement).outlineStyle`

const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server) =>
  new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))

const authenticate = ({ password }: { password: string }) => password === 'right' && { accountId: 'alice' }

const repeatedConsent = {
  ...pendingConsent,
  application: {
    ...pendingConsent.application,
    logoUri: undefined,
    name: 'Books & Ledgers for Very Long Company Names International',
  },
  storedConsent: { granted: ['invoices:read'], denied: ['payments:list'] },
  requestedScopes: [...pendingConsent.requestedScopes, 'payments:transfer', 'profile'],
}

/** The consent for an application with a metadata document that has changed, and that runs on the computer of the user. */
const documentConsent = {
  ...pendingConsent,
  application: {
    clientId: 'https://agents.with-a-very-long-name.example.com/oauth/client.json',
    name: 'Helpful Assistant of a Company with a Long Name',
    privacyUri: 'https://agents.with-a-very-long-name.example.com/privacy',
    document: {
      host: 'agents.with-a-very-long-name.example.com',
      isVerified: false,
      version: 'v1',
      epoch: 0,
      hasChanged: true,
    },
  },
  destination: { origin: 'http://127.0.0.1', local: 'program' as const },
}

const previewed: ConsentPreview = {
  application: {
    ...pendingConsent.application,
    kind: 'application',
    accountId: 'acme',
    products: ['invoices', 'payments'],
    removedOperations: [],
    disabled: false,
    epoch: 0,
    createdAt: 1_800_000_000,
    redirectUris: ['https://ledgerly.example/callback'],
    postLogoutRedirectUris: [],
    firstParty: false,
  },
  viewer: { accountId: 'alice' },
}

describeWithChromium('pages in a browser', () => {
  let browser: Browser
  const servers: Server[] = []

  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close()
  })

  /** Serves a host on a free port, and uses the port in the address of its issuer. */
  async function serve(options: Parameters<typeof hostApp>[0]) {
    const server = createServer()
    servers.push(server)
    await listen(server)
    const origin = `http://localhost:${portOf(server)}`
    const host = hostApp({ ...options, issuer: `${origin}/auth` })
    host.app.use(async (ctx: Context) => {
      if (ctx.path === '/error') {
        const description = 'redirect_uri did not match any of the registered redirect_uris'
        host.pages.renderError(ctx, { status: 400, error: 'invalid_redirect_uri', description })
      }
      if (ctx.path === '/expired') {
        host.pages.renderError(ctx, { status: 404, error: 'invalid_request', text: 'errorExpired' })
      }
      if (ctx.path === '/console') ctx.body = CONSOLE
      if (ctx.path === '/preview') await host.previewConsent(ctx, previewed)
      if (ctx.path === '/sign-out') host.pages.renderSignOut(ctx, { action: '/sign-out/confirm', xsrf: 'x' })
      if (ctx.path === '/signed-out') host.pages.renderEnd(ctx, 'signedOut')
      // After a response with status 204, the browser stays on the current page.
      if (ctx.path === '/continue') host.pages.renderContinue(ctx, new URL('/nowhere', origin))
      if (ctx.path === '/nowhere') ctx.status = 204
      if (ctx.path.startsWith('/auth/next/')) ctx.body = `<!doctype html><title>next</title>${ctx.path}`
    })
    server.on('request', (request, response) => void host.app.callback()(request, response))
    return { ...host, origin }
  }

  const consentAddress = '/auth/interaction/uid-1'
  const cases: {
    name: string
    address: string
    options: Parameters<typeof hostApp>[0]
    act?: (page: Page) => Promise<void>
  }[] = [
    {
      name: 'sign-in',
      address: consentAddress,
      options: { pending: pendingLogin, accounts: { authenticate } },
    },
    {
      name: 'sign-in-failed',
      address: consentAddress,
      options: { pending: pendingLogin, accounts: { authenticate } },
      act: async (page) => {
        await page.fill('#identifier', 'alice@example.com')
        await page.fill('#password', 'wrong')
        await page.click('button.primary')
        await page.waitForSelector('[role=alert]')
      },
    },
    { name: 'consent', address: consentAddress, options: { pending: pendingConsent } },
    {
      name: 'consent-again',
      address: consentAddress,
      options: { pending: repeatedConsent, branding: { accentColor: '#ffd500' } },
    },
    {
      name: 'consent-nothing',
      address: consentAddress,
      options: { pending: { ...pendingConsent, requestedScopes: ['invoices:read', 'payments:list'] } },
      act: async (page) => {
        for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
        await page.getByRole('button', { name: 'Allow' }).click()
        await page.waitForSelector('[role=alert]')
      },
    },
    {
      name: 'consent-rtl',
      address: consentAddress,
      options: {
        pending: { ...pendingConsent, uiLocales: ['ar'] },
        texts: {
          ar: {
            consentTitle: 'يريد {application} الوصول إلى حسابك في {service}',
            approveButton: 'سماح',
            denyButton: 'رفض',
          },
        },
      },
    },
    {
      name: 'consent-german',
      address: consentAddress,
      options: {
        pending: { ...repeatedConsent, uiLocales: ['de'] },
        connectedApplicationsUri: '/settings/applications',
      },
    },
    { name: 'consent-document', address: consentAddress, options: { pending: documentConsent } },
    { name: 'consent-preview', address: '/preview', options: {} },
    { name: 'error', address: '/error', options: {} },
    { name: 'expired', address: '/expired', options: {} },
    { name: 'sign-out', address: '/sign-out', options: {} },
    { name: 'signed-out', address: '/signed-out', options: {} },
    { name: 'continue', address: '/continue', options: {} },
  ]

  /**
   * Opens a page in a separate browser context. No request leaves this machine, because logos are served by
   * the test.
   */
  async function openPage(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    await context.route(/^https:/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }))
    return context.newPage()
  }

  it.each([true, false])(
    'the pages have no accessibility violations and fit into 1280 and 390 pixels, in light and dark mode (consent: %s)',
    async (isConsent) => {
      const page = await openPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      const fit = async () => ({
        overflow: Math.max(
          0,
          Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')),
        ),
        tooSmall: await page.evaluate(TOO_SMALL),
      })
      for (const { name, address, options, act } of cases) {
        if (name.startsWith('consent') !== isConsent) continue
        const { origin } = await serve(options)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize({ width: 1280, height: 844 })
        await page.goto(origin + address)
        await act?.(page)
        expect([name, ...(await findViolations(page))]).toEqual([name])
        expect([name, await fit()]).toEqual([name, { overflow: 0, tooSmall: [] }])
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.setViewportSize({ width: 390, height: 844 })
        expect([name, ...(await findViolations(page, { rules: ['color-contrast'] }))]).toEqual([name])
        expect([name, await fit()]).toEqual([name, { overflow: 0, tooSmall: [] }])
      }
      expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
      await page.context().close()
    },
  )

  it('the consent page works by keyboard alone, in reading order', async () => {
    const { origin, fake } = await serve({ pending: pendingConsent })
    const page = await openPage()
    await page.goto(origin + consentAddress)
    const reached: unknown[] = []
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate(`(document.activeElement.value || document.activeElement.textContent).trim()`),
      )
      const outline = await page.evaluate(FOCUS_OUTLINE)
      expect(outline).toBe('solid')
      if (reached.at(-1) === 'payments:list') await page.keyboard.press('Space')
    }
    expect(reached).toEqual([
      'ledgerly.example (opens in a new tab)',
      'Use another account',
      'email',
      'all:product:invoices',
      'none:product:invoices',
      'invoices:read',
      'invoices:create',
      'payments:list',
      'Privacy policy of Ledgerly (opens in a new tab)',
      'Terms of Ledgerly (opens in a new tab)',
      'approve',
      'deny',
    ])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/auth/next/approved')
    expect(fake.calls.at(-1)).toMatchObject(['approved', { denied: ['payments:list'] }])
    await page.context().close()
  })

  it('All and None work without scripts and keep the place on the page, and Enter in a checkbox still allows', async () => {
    const { origin, fake } = await serve({ pending: pendingConsent })
    const page = await openPage({ javaScriptEnabled: false, viewport: { width: 390, height: 500 } })
    await page.goto(origin + consentAddress)
    await page.getByRole('checkbox', { name: 'See your email address' }).uncheck()
    await page.getByRole('button', { name: 'None : Invoices' }).click()
    const none = page.getByRole('button', { name: 'None : Invoices' })
    await expect.poll(() => none.evaluate((button) => button.matches(':focus'))).toBe(true)
    const box = (await none.boundingBox())!
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.y + box.height).toBeLessThanOrEqual(500)
    const ticked = async () =>
      Promise.all((await page.getByRole('checkbox').all()).map((each) => each.isChecked()))
    expect(await ticked()).toEqual([false, false, false, true])

    await none.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(ticked).toEqual([false, true, true, true])
    expect(fake.calls).toEqual([])

    await page.getByRole('checkbox', { name: 'Create invoices' }).press('Enter')
    await page.waitForURL('**/auth/next/approved')
    expect(fake.calls).toEqual([
      [
        'approved',
        { granted: ['openid', 'invoices:read', 'invoices:create', 'payments:list'], denied: ['email'] },
      ],
    ])
    await page.context().close()
  })

  /** A page of another site cannot show an address in a frame. */
  async function expectNoFrame(page: Page, address: string): Promise<void> {
    const outside = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${address}"></iframe>`)
    })
    servers.push(outside)
    await listen(outside)
    await page.goto(`http://127.0.0.1:${portOf(outside)}/`)
    await expect.poll(() => page.frames()[1]?.url(), { timeout: 10_000 }).toMatch(/^chrome-error:/)
  }

  it('no button of the preview does anything, and only a page of the same origin can frame the preview', async () => {
    const { origin, fake } = await serve({})
    const page = await openPage()
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${request.url()}`))
    await page.goto(`${origin}/console`)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: /Ledgerly wants access/ }).waitFor()
    const before = sent.length
    for (const button of await frame.getByRole('button').all()) await button.click()
    await frame.getByRole('checkbox').first().press('Enter')
    await page.evaluate('document.title')
    expect(sent.slice(before)).toEqual([])
    expect(page.frames()[1]?.url()).toBe(`${origin}/preview`)
    expect(fake.calls).toEqual([])

    await expectNoFrame(page, `${origin}/preview`)
    await page.context().close()
  })

  it('the consent page runs and loads nothing that a hostile application supplies, and another site cannot frame the page', async () => {
    const hostile = `</title><script>document.title='owned'</script><img src=x onerror="document.title='owned'">`
    const { origin } = await serve({
      pending: {
        ...pendingConsent,
        application: {
          ...pendingConsent.application,
          name: hostile,
          developerName: hostile,
          logoUri: `javascript:alert(1)`,
        },
      },
    })
    const page = await openPage()
    await page.goto(origin + consentAddress)
    expect(await page.title()).not.toBe('owned')
    expect(await page.textContent('h1')).toContain('<script>')
    expect(await page.locator('script, main img, iframe, object, [onerror]').count()).toBe(0)

    await expectNoFrame(page, origin + consentAddress)
    await page.context().close()
  })
})
