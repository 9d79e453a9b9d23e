import path from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findProgram } from '../support/required-programs.ts'
import { buildExamples, type BuiltExamples, type ExampleProcess } from './example-process.ts'

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome')
/** Where to keep pictures of what a person sees, to look at; nowhere if unset. */
const pictures = process.env['SCREENSHOTS']

describe.skipIf(executablePath === undefined)('the third party, in a browser', () => {
  let examples: BuiltExamples
  let example: ExampleProcess
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    examples = await buildExamples()
    example = await examples.start()
    await example.ready()
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await examples?.remove()
  })
  beforeEach(() => open())
  afterEach(() => page.context().close())

  async function open(options: BrowserContextOptions = {}): Promise<void> {
    const context = await browser.newContext(options)
    page = await context.newPage()
    page.setDefaultTimeout(5000)
  }

  const home = () => `http://localhost:${example.partnerPort}/`
  const click = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const fact = (term: string) => page.locator(`dt:text-is("${term}") + dd`).innerText()
  const notice = () => page.getByRole('status').textContent()
  const picture = async (name: string) => {
    if (pictures !== undefined)
      await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true })
  }

  async function signIn(user = 'alice', password = 'wonderland'): Promise<void> {
    await page.goto(home())
    await click('Connect your account')
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.getByLabel('Name').fill(user)
    await page.getByLabel('Password').fill(password)
    await click('Sign in')
  }

  async function connect(unticked?: RegExp): Promise<void> {
    await signIn()
    if (unticked) await page.getByRole('checkbox', { name: unticked }).uncheck()
    // A decision that was made before about all of this is remembered, and nobody is asked.
    if (page.url() !== home()) await click('Allow')
    await page.waitForURL(home())
  }

  it('shows the invoices of a user who allows it, and gets 403 for what they unticked', async () => {
    await connect(/Create invoices/)
    expect(await notice()).toContain('Your account is connected.')
    await expect(page.getByRole('heading', { level: 1 }).textContent()).resolves.toBe(
      'Connected as Alice Liddell',
    )
    expect(await page.getByRole('cell', { name: 'Mad Hatter Teas' }).count()).toBe(1)
    expect((await fact('Allowed'))?.split(', ').toSorted()).toEqual([
      'invoices:read',
      'openid',
      'payments:list',
      'profile',
    ])
    expect(await fact('Not allowed')).toBe('invoices:create')
    expect(await fact('Access token')).toContain('expires_in 3600')

    await click('Create an invoice')
    expect(await notice()).toContain('You did not allow Tallybook to create invoices.')
    expect(await notice()).toContain('403')
    expect(await notice()).toContain('insufficient_scope')
    expect(await page.getByRole('cell', { name: 'March Hare' }).count()).toBe(0)
  })

  it('refreshes; the old refresh token gives 400 invalid_grant and ends the connection', async () => {
    await connect()
    const before = { access: await fact('Access token'), refresh: await fact('Refresh token') }
    await click('Refresh the tokens')
    expect(await notice()).toContain('expires_in 3600')
    expect(await fact('Access token')).not.toBe(before.access)
    expect(await fact('Refresh token')).not.toBe(before.refresh)

    await click('Use the old refresh token again')
    expect(await notice()).toContain('Harbour Ledger has ended this connection.')
    expect(await notice()).toContain('400 invalid_grant')
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
  })

  it('is told when the user says no', async () => {
    await signIn('bob', 'builder')
    await click('Deny')
    await page.waitForURL(home())
    expect(await notice()).toContain('Your account was not connected.')
    expect(await notice()).toContain('access_denied')
  })

  it('does not take a code that it did not ask for', async () => {
    await page.goto(home())
    await click('Connect your account')
    const forged = { code: 'somebody-elses', state: 'forged', iss: `http://localhost:${example.port}/auth` }
    const response = await page.goto(`${home()}callback?${new URLSearchParams(forged).toString()}`)
    expect(response?.status()).toBe(502)
    expect(await notice()).toContain('That did not work with Harbour Ledger.')
    await page.goto(home())
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
  })

  it('a wrong password stays at the sign-in page, and goes on from there', async () => {
    await signIn('alice', 'looking-glass')
    expect(await page.getByRole('alert').textContent()).toBe('Unknown name or wrong password.')
    await page.getByLabel('Name').fill('alice')
    await page.getByLabel('Password').fill('wonderland')
    await click('Sign in')
    expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(1)
  })

  it('disconnects, signs out of the service, and comes back', async () => {
    await connect()
    await click('Disconnect')
    expect(new URL(page.url()).pathname).toBe('/auth/oauth2/logout')
    await click('Sign out')
    await page.waitForURL((url) => url.href.startsWith(home()))
    expect(await page.getByRole('button', { name: 'Connect your account' }).count()).toBe(1)
    await page.goto(`http://localhost:${example.port}/`)
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(1)
  })

  it.each([
    ['wide', { viewport: { width: 1280, height: 800 } }],
    ['narrow', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }],
  ])('fits a %s window', async (name, options) => {
    await page.context().close()
    await open(options)
    const expectItFits = async (shot: string) => {
      await picture(`${name}-${shot}`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(overflow, shot).toBeLessThanOrEqual(0)
    }
    await page.goto(`http://localhost:${example.port}/`)
    await expectItFits('1-host')
    await page.goto(home())
    await expectItFits('2-partner')
    await click('Connect your account')
    await expectItFits('3-sign-in')
    await page.getByLabel('Name').fill('alice')
    await page.getByLabel('Password').fill('wonderland')
    await click('Sign in')
    await page.getByRole('checkbox', { name: /Create invoices/ }).uncheck()
    await expectItFits('4-consent')
    await click('Allow')
    await page.waitForURL(home())
    await expectItFits('5-connected')
    await click('Create an invoice')
    await expectItFits('6-refused')
    await click('Disconnect')
    await expectItFits('7-sign-out')
    await page.goto(`http://localhost:${example.port}/`)
    await expectItFits('8-account')
  })
})
