import type { Middleware } from 'koa'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { findViolations } from '../../support/accessibility.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { POLICY } from '../../support/client-document.ts'
import { createConsole } from '../../../src/console.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** Epoch seconds of the last proof. */
let provenAt = 0

/** The page that asks for the proof, and a page of the host that shows the API keys. */
const hostPages: Middleware = async (ctx, next) => {
  ctx.type = 'html'
  if (ctx.path === '/app') {
    ctx.body = `<!doctype html><title>App</title><div id="part" data-gatehouse-embed></div><script type="module">
      const response = await fetch('/console/api-keys', { headers: { 'X-Gatehouse-Fragment': '1' } })
      part.innerHTML = await response.text()
      await import(part.querySelector('script').src)
    </script>`
  } else if (ctx.path !== '/prove') {
    ctx.type = ''
    await next()
  } else if (ctx.method === 'POST') {
    provenAt = Math.floor(Date.now() / 1000)
    ctx.redirect(String(ctx.query['to']))
  } else {
    ctx.body = '<!doctype html><title>Password</title><form method="post"><button>Prove</button></form>'
  }
}

describeWithChromium('a fresh sign-in at another origin', () => {
  let host: ConsoleHost
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { privateKeyJwt: true, clientDocuments: [POLICY] },
      accounts: {
        confirm(ctx, _permission, { returnTo }) {
          // The page of the proof has another origin than the console.
          const url = `http://127.0.0.1:${ctx.req.socket.localPort}/prove?to=${encodeURIComponent(returnTo?.href ?? '')}`
          return { confirmedAt: provenAt, url }
        },
      },
      mount(app, gatehouse) {
        app.use(hostPages)
        app.use(createConsole(gatehouse))
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })
  beforeEach(() => {
    provenAt = 0
  })

  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const violations = (page: Page) =>
    findViolations(page, { tags: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })

  it.each([true, false])(
    'what was typed stays in its tab while the person signs in again in another tab (with scripts: %s)',
    async (javaScriptEnabled) => {
      const { page, complaints } = await openPage(browser, host.origin, 'acme', { javaScriptEnabled })
      await page.goto(`${host.origin}/console/api-keys/new`)
      expect(await page.title()).toBe('Password')
      await click(page, 'Prove')
      expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
      const name = `Typed ${javaScriptEnabled}`
      await page.getByLabel('Name').fill(name)
      await page.locator('input[name=product]').first().check()
      provenAt = 0
      await click(page, 'Create API key')
      const link = page.getByRole('link', { name: 'Sign in again in a new tab' })
      await link.waitFor()
      if (javaScriptEnabled) {
        // The notice has the focus, so a screen reader reads it.
        expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('status')
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 })
          expect(await violations(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
        }
      }
      const opened = page.context().waitForEvent('page')
      await link.click()
      const tab = await opened
      await click(tab, 'Prove')
      await tab.getByRole('heading', { name: 'Go back to your other tab' }).waitFor()
      if (javaScriptEnabled) {
        expect(await violations(tab)).toEqual([])
        expect(await tab.evaluate('window.opener')).toBeNull()
      }
      await tab.close()
      expect(await page.getByLabel('Name').inputValue()).toBe(name)
      expect(await page.locator('input[name=product]').first().isChecked()).toBe(true)
      await click(page, 'Create API key')
      await page.getByRole('heading', { name: `${name} is created` }).waitFor()
      const { items } = await host.gatehouse.apiKeys.listByOwner('acme', { name })
      expect(items).toHaveLength(1)
      expect(complaints.filter((each) => !/127\.0\.0\.1|403/.test(each))).toEqual([])
      await page.context().close()
    },
  )

  it('a host that an operator typed is blocked, although the policy of the page allows no form to leave it', async () => {
    for (const javaScriptEnabled of [true, false]) {
      provenAt = 0
      const { page, complaints } = await openPage(browser, host.origin, 'root', { javaScriptEnabled })
      await page.goto(`${host.origin}/console/operator/client-documents`)
      await page.getByLabel('Host', { exact: true }).fill('bad.example.com')
      await click(page, 'Continue')
      await page.getByRole('link', { name: 'Sign in again in a new tab' }).waitFor()
      provenAt = Math.floor(Date.now() / 1000)
      await click(page, 'Continue')
      await click(page, 'Block this host')
      await page.getByText('bad.example.com').first().waitFor()
      expect(complaints.filter((each) => !each.includes('403'))).toEqual([])
      await page.context().close()
    }
    const blocked = await host.gatehouse.clientDocuments.listBlocked()
    expect(blocked.map((each) => each.host)).toEqual(['bad.example.com'])
  })

  it('from a part in a page of the host, a link to an act leads to the proof and to the page of the act', async () => {
    const { page } = await openPage(browser, host.origin, 'acme')
    await page.goto(`${host.origin}/app`)
    await page.getByRole('link', { name: 'Create API key' }).first().click()
    await page.waitForURL(/\/prove/)
    await click(page, 'Prove')
    await page.getByRole('heading', { name: 'New API key' }).waitFor()
    expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
    await page.context().close()
  })
})
