import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildExamples, type BuiltExamples, type ExampleProcess } from '../../examples/example-process.ts'
import { findViolations } from '../../support/accessibility.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { complaintsIn } from '../../support/complaints.ts'

/** The folder for screenshots of the pages. If the variable is unset, the tests make no screenshots. */
const screenshotFolder = process.env['SCREENSHOTS']

/** The value or text of the focused element. */
const FOCUSED = `(document.activeElement.value || document.activeElement.textContent).trim()`

/** The outline style of the focused element, or of the row around it. */
const FOCUS_OUTLINE = `getComputedStyle(document.activeElement.closest('label.row') ?? document.activeElement).outlineStyle`

describeWithChromium('delegated access in a browser', () => {
  let examples: BuiltExamples
  let example: ExampleProcess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    ;[examples, browser] = await Promise.all([buildExamples(), startChromium()])
  }, 60_000)
  // Each test starts its own example, because consent is remembered.
  beforeEach(async () => {
    example = await examples.start()
    await example.ready()
  })
  afterEach(async () => {
    await page.context().close()
    await example.stop()
    expect(complaintsIn(`${example.stdout()}\n${example.stderr()}`)).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await examples?.remove()
  })

  async function open(options: BrowserContextOptions = {}): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    page = await context.newPage()
    page.setDefaultTimeout(5000)
  }

  const home = () => `http://localhost:${example.partnerPort}/`
  const click = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const heading = () => page.getByRole('heading', { level: 1 }).innerText()
  const fact = (term: string) => page.locator(`dt:text-is("${term}") + dd`).innerText()
  const notice = () => page.getByRole('status').innerText()

  async function signIn(user: string, password: string): Promise<void> {
    await page.waitForURL(({ pathname }) => pathname === '/login')
    await page.getByLabel('Name').fill(user)
    await page.getByLabel('Password').fill(password)
    await click('Sign in')
  }

  /** Checks a page in a wide and a narrow window: no content is cut off, and axe finds no violation. */
  async function checkPage(name: string): Promise<void> {
    expect([name, ...(await findViolations(page))]).toEqual([name])
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        name,
      ).toBeLessThanOrEqual(0)
      if (screenshotFolder === undefined) continue
      mkdirSync(screenshotFolder, { recursive: true })
      await page.screenshot({ path: path.join(screenshotFolder, `${name}-${width}.png`), fullPage: true })
    }
  }

  it('a user connects an application, unticks one operation, refreshes the tokens, loses the grant after a token reuse, reconnects and signs out', async () => {
    await open()
    await page.goto(home())
    await checkPage('01-partner')
    await click('Connect your account')
    await checkPage('02-sign-in')
    await signIn('alice', 'wonderland')

    expect(await heading()).toContain('Tallybook')
    expect(await page.getByText('Alice Liddell').count()).toBe(1)
    expect(await page.getByText('Acme Software Ltd.').count()).toBe(1)
    await page.getByRole('checkbox', { name: 'Create invoices' }).uncheck()
    await checkPage('03-consent')
    await click('Allow')
    await page.waitForURL(home())
    expect(await heading()).toBe('Connected as Alice Liddell')
    expect(await page.getByRole('cell', { name: 'Mad Hatter Teas' }).count()).toBe(1)
    expect(await fact('Not allowed')).toBe('invoices:create')
    expect(await fact('Access token')).toContain('valid for 3600 s')
    await checkPage('04-connected')

    await click('Create an invoice')
    expect(await notice()).toContain('You did not allow Tallybook to create invoices.')
    expect(await notice()).not.toContain('insufficient_scope')
    expect(await page.getByRole('cell', { name: 'March Hare' }).count()).toBe(0)
    await checkPage('05-rejected')

    const before = [await fact('Access token'), await fact('Refresh token')]
    await click('Refresh the tokens')
    expect(await notice()).toContain('valid for 3600 s')
    expect(await fact('Access token')).not.toBe(before[0])
    expect(await fact('Refresh token')).not.toBe(before[1])
    expect(await fact('Not allowed')).toBe('invoices:create')
    await checkPage('06-refreshed')

    await click('Use the old refresh token again')
    expect(await notice()).toMatch(/^Harbour Ledger has ended this connection, [^:]*to go on\.$/)
    await checkPage('07-ended')

    // Consent is remembered. The page asks again only because the user has not approved every operation.
    await click('Connect your account')
    expect(await page.getByRole('checkbox', { name: 'Create invoices' }).isChecked()).toBe(false)
    expect(await page.getByRole('checkbox', { name: 'Read your invoices' }).isChecked()).toBe(true)
    await checkPage('08-consent-again')
    await page.getByRole('checkbox', { name: 'Create invoices' }).check()
    await click('Allow')
    await page.waitForURL(home())
    await click('Create an invoice')
    expect(await notice()).toContain('The invoice was created.')
    expect(await page.getByRole('cell', { name: 'March Hare' }).count()).toBe(1)

    await click('Disconnect')
    await checkPage('09-sign-out')
    await click('Sign out')
    await page.waitForURL((url) => url.href.startsWith(home()))
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
    await page.goto(`http://localhost:${example.port}/`)
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(1)
  })

  it('after a denial the application gets access_denied, and no account is connected', async () => {
    await open()
    await page.goto(home())
    await click('Connect your account')
    await signIn('bob', 'builder')
    await click('Deny')
    await page.waitForURL(home())
    expect(await notice()).toBe('Your account was not connected.')
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
    await checkPage('10-denied')
  })

  it('"use another account" signs out at the host and connects the account that signs in next', async () => {
    await open()
    await page.goto(home())
    await click('Connect your account')
    await signIn('alice', 'wonderland')
    expect(await page.getByText('Alice Liddell').count()).toBe(1)
    await click('Use another account')
    await signIn('bob', 'builder')
    expect(await page.getByText('Bob Baker').count()).toBe(1)
    expect(await page.getByText('Alice Liddell').count()).toBe(0)
    await click('Allow')
    await page.waitForURL(home())
    expect(await heading()).toBe('Connected as Bob Baker')
    expect(await page.getByRole('cell', { name: 'Wendy Roofing' }).count()).toBe(1)
    expect(await page.getByRole('cell', { name: 'Mad Hatter Teas' }).count()).toBe(0)
    await page.goto(`http://localhost:${example.port}/`)
    expect(await heading()).toBe('Bob Baker')
  })

  it('the whole delegated flow works by keyboard alone', async () => {
    await open()
    await page.goto(home())
    await tabTo('Connect your account')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/login/)
    // The user name field has the focus when the page opens.
    await page.locator('input[name=username]:focus').waitFor()
    await page.keyboard.type('alice')
    await page.keyboard.press('Tab')
    await page.keyboard.type('wonderland')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/interaction\//)
    await tabTo('invoices:create')
    await page.keyboard.press('Space')
    await tabTo('approve')
    await page.keyboard.press('Enter')
    await page.waitForURL(home())
    expect(await fact('Not allowed')).toBe('invoices:create')
    await tabTo('Refresh the tokens')
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    await tabTo('Disconnect')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/oauth2\/logout/)
    await tabTo('yes')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.startsWith(home()))
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
  })

  /** Presses Tab until the element with this name has the focus, and checks that its outline is visible. */
  async function tabTo(name: string): Promise<void> {
    const reached: string[] = []
    while (reached.length < 30 && reached.at(-1) !== name) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate<string>(FOCUSED))
    }
    expect(reached).toContain(name)
    expect(await page.evaluate(FOCUS_OUTLINE), name).toBe('solid')
  }

  it('the whole delegated flow works without scripts', async () => {
    await open({ javaScriptEnabled: false })
    await page.goto(home())
    await click('Connect your account')
    await signIn('bob', 'builder')
    await page.getByRole('checkbox', { name: 'Create invoices' }).uncheck()
    await click('Use another account')
    await signIn('bob', 'builder')
    await page.getByRole('checkbox', { name: 'Read your payments' }).uncheck()
    await click('Allow')
    await page.waitForURL(home())
    expect(await heading()).toBe('Connected as Bob Baker')
    expect(await page.getByRole('cell', { name: 'Wendy Roofing' }).count()).toBe(1)
    expect(await fact('Not allowed')).toBe('payments:list')
    await click('Refresh the tokens')
    expect(await notice()).toContain('valid for 3600 s')
    await click('Use the old refresh token again')
    expect(await notice()).toContain('Harbour Ledger has ended this connection')
    await click('Connect your account')
    await click('Allow')
    await page.waitForURL(home())
    await click('Disconnect')
    await click('Sign out')
    await page.waitForURL((url) => url.href.startsWith(home()))
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
  })
})
