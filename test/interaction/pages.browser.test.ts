import { createServer, type Server } from 'node:http'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Context } from 'koa'
import { findProgram } from '../support/required-programs.ts'
import { csrfIn, hostApp } from './host-app.ts'
import { pendingConsent, pendingLogin } from './fake-port.ts'

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome')
/** Where to keep pictures of all pages, to look at; nowhere if unset. */
const pictures = process.env['SCREENSHOTS']

const LAUNCH = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const looks = [
  { name: 'light-1280', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark-1280', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'light-390', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-390', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

const authenticate = ({ password }: { password: string }) => password === 'right' && { accountId: 'alice' }

const again = {
  ...pendingConsent,
  application: {
    ...pendingConsent.application,
    logoUri: undefined,
    name: 'Books & Ledgers for Very Long Company Names International',
  },
  remembered: { granted: ['invoices:read'], refused: ['payments:list'] },
  requestedScopes: [...pendingConsent.requestedScopes, 'payments:transfer', 'profile'],
}

describe.skipIf(executablePath === undefined)('pages in a browser', () => {
  let browser: Browser
  const servers: Server[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: LAUNCH })
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close()
  })

  /** Serves a host on a port of its own, which is also that of its issuer. */
  async function serve(options: Parameters<typeof hostApp>[0]) {
    const server = createServer()
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    const host = hostApp({ ...options, issuer: `${origin}/auth` })
    host.app.use((ctx: Context) => {
      if (ctx.path === '/error') {
        const description = 'redirect_uri did not match any of the registered redirect_uris'
        host.pages.renderError(ctx, { status: 400, error: 'invalid_redirect_uri', description })
      }
      if (ctx.path === '/expired') {
        host.pages.renderError(ctx, { status: 404, error: 'invalid_request', text: 'errorExpired' })
      }
      if (ctx.path === '/sign-out') host.pages.renderSignOut(ctx, { action: '/sign-out/confirm', xsrf: 'x' })
      if (ctx.path === '/signed-out') host.pages.renderSignedOut(ctx)
      // 204 leaves the browser where it is.
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
      options: { pending: again, branding: { accentColor: '#ffd500' } },
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
    { name: 'error', address: '/error', options: {} },
    { name: 'expired', address: '/expired', options: {} },
    { name: 'sign-out', address: '/sign-out', options: {} },
    { name: 'signed-out', address: '/signed-out', options: {} },
    { name: 'continue', address: '/continue', options: {} },
  ]

  describe.each(looks)('$name', (look) => {
    it.each(cases)(
      '$name has no accessibility violations and fits',
      async ({ name, address, options, act }) => {
        const { origin } = await serve(options)
        const { viewport, colorScheme } = look
        const context = await browser.newContext({ viewport, colorScheme })
        const page = await context.newPage()
        const complaints: string[] = []
        page.on('console', (message) => complaints.push(message.text()))
        // A stand-in for logos: nothing leaves this machine.
        await page.route(/^https:/, (route) =>
          route.fulfill({
            contentType: 'image/svg+xml',
            body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#0a7"/></svg>',
          }),
        )
        await page.goto(origin + address)
        await act?.(page)

        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(overflow).toBeLessThanOrEqual(0)
        const small = await page.evaluate(
          `[...document.querySelectorAll('button, label.row, .button, input:not([type=hidden], [type=checkbox])')].filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)`,
        )
        expect(small).toEqual([])
        expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([])
        if (pictures !== undefined) {
          mkdirSync(pictures, { recursive: true })
          await page.screenshot({ path: `${pictures}/${name}-${look.name}.png`, fullPage: true })
        }
        await context.close()
      },
    )
  })
})
