import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const SECRET = /gatehouse_[\w-]{43}/

describeWithChromium('secrets in a browser', () => {
  let host: ConsoleHost
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium({ keepsPages: true })
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  /** Goes back or forward, and waits until the page is complete. Without script, Chromium may show an error page. */
  async function go(page: Page, direction: 'back' | 'forward'): Promise<string> {
    const options = { waitUntil: 'commit', timeout: 1000 } as const
    await (direction === 'back' ? page.goBack(options) : page.goForward(options)).catch(() => {})
    await expect.poll(() => page.evaluate('document.readyState').catch(() => '')).toBe('complete')
    return page.content()
  }

  it.each([true, false])(
    'after a person leaves the page with a new secret, back and forward do not show it (script: %s)',
    async (javaScriptEnabled) => {
      const { page } = await openPage(browser, host.origin, 'acme', { javaScriptEnabled })
      await page.goto(`${host.origin}/console/api-keys`)
      await page.goto(`${host.origin}/console/api-keys/new`)
      await page.getByLabel('Name').fill('Secret')
      await page.getByRole('checkbox', { name: 'Invoices' }).check()
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.locator('#client-secret').waitFor()
      const [secret] = SECRET.exec(await page.content()) ?? []
      expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
      await page.getByRole('link', { name: 'I have stored it' }).click()
      await page.waitForURL(/key_/)
      expect(await page.content()).not.toContain(secret)
      for (const direction of ['back', 'back', 'forward', 'forward'] as const) {
        expect(await go(page, direction)).not.toContain(secret)
      }
      await page.context().close()
    },
  )

  it.each([true, false])(
    'after a person leaves the token inspector, back and forward do not show the token (script: %s)',
    async (javaScriptEnabled) => {
      const { access_token: token } = (await host.requestDirectToken(await host.createApiKey())).body
      const { page } = await openPage(browser, host.origin, 'acme', { javaScriptEnabled })
      await page.goto(`${host.origin}/console`)
      await page.goto(`${host.origin}/console/token-inspector`)
      await page.getByRole('textbox').fill(String(token))
      await page.locator('form button').click()
      await page.getByRole('status').first().waitFor()
      const signature = String(token).split('.').at(-1)
      const values = () =>
        page.evaluate(`[...document.querySelectorAll('textarea')].map(({ value }) => value).join()`)
      expect(await page.content()).not.toContain(signature)
      expect(await values()).not.toContain(signature)
      await page.goto(`${host.origin}/console/api-keys`)
      for (const direction of ['back', 'back', 'forward', 'forward'] as const) {
        expect(await go(page, direction)).not.toContain(signature)
        expect(await values()).not.toContain(signature)
      }
      await page.context().close()
    },
  )
})
