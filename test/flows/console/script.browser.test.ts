import type { Middleware } from 'koa'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

/** A single-page app of a host, which shows a fragment of the console. */
const singlePageApp: Middleware = async (ctx, next) => {
  if (ctx.path !== '/app') {
    await next()
    return
  }
  ctx.type = 'html'
  ctx.body = `<!doctype html><title>App</title><div id="part" data-gatehouse-embed></div><script type="module">
    const response = await fetch('/console/api-keys', { headers: { 'X-Gatehouse-Fragment': '1' } })
    const markup = await response.text()
    part.innerHTML = markup
    await import(part.querySelector('script').src)
  </script>`
}

/** What the host answers instead of the console to forms that are sent by the script. */
let answer: 'console' | 'login' | 'elsewhere' | 'markup' | 'broken' = 'console'

const HOSTILE =
  '<!doctype html><title>Other</title><p id="other">Other page</p><img src="x" onerror="window.attacked = 1">'

/** A host that answers forms itself, as one whose session has ended may do. */
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
    ctx.body = HOSTILE
  }
}

describeWithChromium('the console with its script', () => {
  let host: ConsoleHost
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        app.use(interfere)
        app.use(singlePageApp)
        app.use(createConsole(gatehouse))
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

  async function fillNewKey(page: Page, name: string): Promise<void> {
    await page.goto(`${host.origin}/console/api-keys/new`)
    await page.getByLabel('Name').fill(name)
    await page.getByRole('checkbox', { name: 'Invoices' }).check()
  }

  it('a form is answered without loading the page again; the title, the address and the focus follow', async () => {
    const { page, complaints } = await openPage(browser, host.origin, 'acme')
    await page.goto(`${host.origin}/console`)
    await page.evaluate('window.marker = 1')
    await fillNewKey(page, 'Nightly export')
    await page.evaluate('window.marker = 2')
    await click(page, 'Create API key')
    await page.getByText('This is the only time you see the secret.').waitFor()
    expect(await page.evaluate('window.marker')).toBe(2)
    expect(await page.title()).toContain('Nightly export')
    expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
    // Screen readers continue at what changed.
    expect(await page.evaluate(`document.activeElement.closest('.gatehouse') !== null`)).toBe(true)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('a button copies the secret, and says so', async () => {
    const { page } = await openPage(browser, host.origin, 'acme', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await fillNewKey(page, 'Copied')
    await click(page, 'Create API key')
    const secret = await page.locator('#client-secret').innerText()
    expect(secret).toMatch(/^gatehouse_[0-9A-Za-z]{49}$/)
    const copy = page.locator('[data-copy=client-secret]')
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    await page.context().close()
  })

  it('a browser without scripts shows no button that would do nothing', async () => {
    const { client_id: clientId } = await host.createApiKey()
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await openPage(browser, host.origin, 'acme', { javaScriptEnabled })
      await page.goto(`${host.origin}/console/api-keys/${clientId}`)
      expect(await page.locator('[data-copy]').first().isVisible()).toBe(javaScriptEnabled)
      await page.context().close()
    }
  })

  it('a form that is clicked twice at once creates one key', async () => {
    const { page } = await openPage(browser, host.origin, 'bob')
    await fillNewKey(page, 'Once')
    await page.getByRole('button', { name: 'Create API key' }).dblclick()
    await page.getByText('This is the only time you see the secret.').waitFor()
    expect((await host.gatehouse.apiKeys.listByOwner('bob')).items.map(({ name }) => name)).toEqual(['Once'])
    await page.context().close()
  })

  it('a rejected form stays on the page with what was typed', async () => {
    const { page, complaints } = await openPage(browser, host.origin, 'acme')
    await page.goto(`${host.origin}/console/applications/new`)
    await page.getByLabel('Name').fill('Ledger')
    await page.getByRole('checkbox', { name: 'Invoices' }).check()
    await page.getByLabel(/Redirect URIs/).fill('javascript:alert(1)')
    await click(page, 'Create application')
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Ledger')
    expect(await page.getByLabel(/Redirect URIs/).getAttribute('aria-invalid')).toBe('true')
    expect(await page.title()).toMatch(/^Error: /)
    // Chromium reports every answer of 422 as an error of its own.
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([])
    await page.context().close()
  })

  it('while no script runs, the operations of a product are grey until the product is ticked', async () => {
    const { page } = await openPage(browser, host.origin, 'acme', { javaScriptEnabled: false })
    await page.goto(`${host.origin}/console/applications/new`)
    const product = page.locator('.choices > li').first()
    await product.locator('summary').click()
    const hint = product.getByText('These count only if you tick the product above.')
    const operation = product.locator('details .choice').first()
    const colour = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.choices details .choice')).color`)
    expect(await hint.isVisible()).toBe(true)
    const grey = await colour()
    // The box stays operable.
    await operation.getByRole('checkbox').uncheck()
    await product.getByRole('checkbox').first().check()
    expect(await hint.isVisible()).toBe(false)
    expect(await colour()).not.toBe(grey)
    expect(await operation.getByRole('checkbox').isChecked()).toBe(false)
    await page.context().close()
  })

  it('if the form cannot be sent, the page says so, keeps what was typed, and sends it later', async () => {
    const { page } = await openPage(browser, host.origin, 'acme')
    for (const kind of ['elsewhere', 'broken'] as const) {
      await fillNewKey(page, kind)
      answer = kind
      await click(page, 'Create API key')
      await page.getByText('The service cannot be reached.').waitFor()
      expect(page.url()).toBe(`${host.origin}/console/api-keys/new`)
      expect(await page.getByLabel('Name').inputValue()).toBe(kind)
      answer = 'console'
      await click(page, 'Create API key')
      await page.getByText('This is the only time you see the secret.').waitFor()
    }
    await page.context().close()
  })

  it('another page of the host replaces the page, and its markup is not inserted, so that its script does not run', async () => {
    const { page } = await openPage(browser, host.origin, 'alice')
    await fillNewKey(page, 'Signed out')
    answer = 'login'
    await click(page, 'Create API key')
    await page.locator('#login').waitFor()
    expect(page.url()).toBe(`${host.origin}/login`)
    answer = 'console'
    await fillNewKey(page, 'Hostile')
    answer = 'markup'
    await click(page, 'Create API key')
    // The script opens the address itself, where the console answers.
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('')
    expect(await page.locator('#other').count()).toBe(0)
    expect(await page.evaluate('window.attacked')).toBeUndefined()
    answer = 'console'
    expect((await host.gatehouse.apiKeys.listByOwner('alice')).items).toEqual([])
    await page.context().close()
  })

  it('a person who was signed out meanwhile is sent to the sign-in page', async () => {
    const { page } = await openPage(browser, host.origin, 'acme')
    await fillNewKey(page, 'Signed out')
    await page.context().clearCookies()
    await click(page, 'Create API key')
    await page.waitForURL((url) => url.pathname === '/login')
    const names = (await host.gatehouse.apiKeys.listByOwner('acme')).items.map(({ name }) => name)
    expect(names).not.toContain('Signed out')
    await page.context().close()
  })

  it('in a single-page app, links and forms replace the fragment and not the page', async () => {
    const { page, complaints } = await openPage(browser, host.origin, 'alice')
    await page.goto(`${host.origin}/app`)
    await page.evaluate('window.marker = 1')
    await page.getByRole('link', { name: 'Create API key' }).click()
    await page.getByRole('heading', { name: 'New API key' }).waitFor()
    await page.getByLabel('Name').fill('From the app')
    await page.getByRole('checkbox', { name: 'Invoices' }).check()
    await click(page, 'Create API key')
    await page.getByText('This is the only time you see the secret.').waitFor()
    expect(await page.evaluate('window.marker')).toBe(1)
    expect(new URL(page.url()).pathname).toBe('/app')
    expect(await page.title()).toBe('App')
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
