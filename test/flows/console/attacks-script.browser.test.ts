import type { Middleware } from 'koa'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

/** What the host answers instead of the console to forms that are sent by the script. */
let answer: 'console' | 'login' | 'elsewhere' | 'markup' | 'broken' = 'console'

const hostile =
  '<!doctype html><title>Other</title><p id="other">Other page</p><img src="x" onerror="window.attacked = 1">'

const interfere: Middleware = async (ctx, next) => {
  if (ctx.path === '/login') {
    ctx.type = 'html'
    ctx.body = '<!doctype html><title>Sign in</title><p id="login">Sign in here</p>'
  } else if (ctx.method !== 'POST' || answer === 'console') {
    await next()
  } else if (answer === 'login') {
    ctx.redirect('/login')
  } else if (answer === 'elsewhere') {
    ctx.redirect('http://127.0.0.1:9/console')
  } else if (answer === 'broken') {
    ctx.req.destroy()
  } else {
    ctx.type = 'html'
    ctx.body = hostile
  }
}

describeWithChromium('answers that the script of the console does not expect', () => {
  let host: ConsoleHost
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        app.use(interfere)
        app.use(createConsole(gatehouse))
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  async function send(kind: typeof answer) {
    const { page } = await openPage(browser, host.origin, 'acme')
    await page.goto(`${host.origin}/console/api-keys/new`)
    await page.getByLabel('Name').fill(kind)
    await page.getByRole('checkbox', { name: 'Invoices' }).check()
    answer = kind
    await page.getByRole('button', { name: 'Create API key' }).click()
    return page
  }

  it('the sign-in page of the host replaces the page, and nothing was created', async () => {
    const page = await send('login')
    await page.locator('#login').waitFor()
    expect(page.url()).toBe(`${host.origin}/login`)
    expect((await host.gatehouse.apiKeys.listByOwner('acme')).items).toEqual([])
    await page.context().close()
  })

  it('markup that is not a page of the console is not inserted, so that its script does not run', async () => {
    const page = await send('markup')
    // The script opens the address itself, where the console answers.
    await page.waitForLoadState()
    await page.getByLabel('Name').waitFor()
    expect(await page.locator('#other').count()).toBe(0)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    await page.context().close()
  })

  it.each(['elsewhere', 'broken'] as const)(
    'if the answer is %s, the page stays and says that the form was not sent',
    async (kind) => {
      const page = await send(kind)
      await page.locator('[data-offline]').waitFor({ state: 'visible' })
      expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
      expect(await page.getByLabel('Name').inputValue()).toBe(kind)
      answer = 'console'
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.locator('#client-secret').waitFor()
      await page.context().close()
    },
  )
})
