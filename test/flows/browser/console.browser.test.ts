import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildExamples, type BuiltExamples, type ExampleProcess } from '../../examples/example-process.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { complaintsIn } from '../../support/complaints.ts'

/** The people of the example, and their passwords. */
const PASSWORDS = { acme: 'dynamite', alice: 'wonderland', bob: 'builder', olga: 'lighthouse' }

describeWithChromium('the console of the example, in a browser', () => {
  let examples: BuiltExamples
  let example: ExampleProcess
  let browser: Browser
  beforeAll(async () => {
    ;[examples, browser] = await Promise.all([buildExamples(), startChromium()])
    example = await examples.start()
    await example.ready()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await example?.stop()
    await examples?.remove()
    expect(complaintsIn(`${example.stdout()}\n${example.stderr()}`)).toEqual([])
  })

  const host = () => `http://localhost:${example.port}`
  const partner = () => `http://localhost:${example.partnerPort}/`

  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    page.on('dialog', () => expect.unreachable('a page opened a dialog'))
    return page
  }

  async function signIn(page: Page, person: keyof typeof PASSWORDS): Promise<void> {
    await page.waitForURL(({ pathname }) => pathname === '/login')
    await page.getByLabel('Name').fill(person)
    await page.getByLabel('Password').fill(PASSWORDS[person])
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(({ pathname }) => pathname !== '/login')
  }

  /** Presses a button, and waits until the page shows a text. */
  async function press(page: Page, name: string | RegExp, shown: string | RegExp): Promise<void> {
    await page.getByRole('button', { name }).first().click()
    await page.getByText(shown).first().waitFor()
  }

  const credentials = async (page: Page) => ({
    client_id: await page.locator('#client-id').innerText(),
    client_secret: await page.locator('#client-secret').innerText(),
  })

  /** A phone in dark mode, without scripts. */
  const PHONE = {
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
    javaScriptEnabled: false,
  } as const

  it('the navigation is one line on a phone, which the keyboard opens, and one row of links on a wide screen', async () => {
    const operator = await open(PHONE)
    await operator.goto(`${host()}/console/operator/audit`)
    await signIn(operator, 'olga')
    const nav = operator.getByRole('navigation')
    const heightOf = async () => (await nav.boundingBox())?.height
    expect(await heightOf()).toBeLessThan(60)
    await operator.getByText('Menu: Audit trail').focus()
    await operator.keyboard.press('Enter')
    await nav.getByRole('link', { name: 'Health' }).click()
    await operator.getByText('Menu: Health').waitFor()
    await operator.setViewportSize({ width: 1280, height: 800 })
    expect(await nav.getByRole('link').count()).toBe(8)
    expect(await nav.getByText('Menu').isVisible()).toBe(false)
    expect(await nav.getByRole('link', { name: 'Audit trail' }).isVisible()).toBe(true)
    expect(await heightOf()).toBeLessThan(60)
    await operator.context().close()
  })

  it('a developer creates an application, a user connects it and disconnects it, and the next call of the partner fails', async () => {
    const application = 'Ledger of Acme'
    const developer = await open(PHONE)
    await developer.goto(`${host()}/console/applications/new`)
    await signIn(developer, 'acme')
    await developer.getByLabel('Name').fill(application)
    await developer.getByRole('checkbox', { name: 'Invoices' }).check()
    await developer.getByRole('checkbox', { name: 'Payments' }).check()
    await developer.getByLabel(/Redirect URIs/).fill(`${partner()}callback`)
    await press(developer, 'Create application', 'This is the only time you see the secret.')
    const client = await credentials(developer)
    await developer.context().close()

    const user = await open(PHONE)
    await user.goto(partner())
    await user.getByLabel('Client ID').fill(client.client_id)
    await user.getByLabel('Client secret').fill(client.client_secret)
    await user.getByRole('button', { name: 'Connect with this application' }).click()
    await signIn(user, 'alice')
    await user.getByRole('button', { name: 'Allow' }).click()
    await user.waitForURL(partner())
    expect(await user.getByRole('heading', { level: 1 }).innerText()).toBe('Connected as Alice Liddell')

    await user.goto(`${host()}/applications`)
    const card = user.locator('.panel', { hasText: application })
    expect(await card.innerText()).toContain('Read your invoices')
    expect(await card.innerText()).toContain('Acme Software Ltd.')
    await card.getByRole('link', { name: /Disconnect/ }).click()
    await user.getByRole('button', { name: 'Disconnect' }).click()
    await user.getByText(/is disconnected/).waitFor()
    expect(await user.locator('.panel', { hasText: application }).count()).toBe(0)
    await user.goto(partner())
    expect(await user.getByRole('status').innerText()).toContain('Harbour Ledger has ended this connection')
    await user.context().close()

    const operator = await open(PHONE)
    await operator.goto(`${host()}/console/operator/accounts/acme`)
    await signIn(operator, 'olga')
    expect(await operator.locator('.gatehouse').innerText()).toContain(application)
    await operator.context().close()
  })
})
