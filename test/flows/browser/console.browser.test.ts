import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildExamples, type BuiltExamples, type ExampleProcess } from '../../examples/example-process.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { complaintsIn } from '../../support/complaints.ts'
import { runToEnd } from '../../support/package-copy.ts'

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

  /** The status of the token endpoint, and the token. */
  async function requestToken(client: { client_id: string; client_secret: string }) {
    const response = await fetch(`${host()}/auth/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...client, grant_type: 'client_credentials' }),
    })
    const { access_token: token = '' } = (await response.json()) as { access_token?: string }
    return { status: response.status, token }
  }

  async function call(path: string, token: string, method = 'GET'): Promise<number> {
    const { status } = await fetch(`${host()}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    })
    return status
  }

  /** A phone in dark mode, without scripts. */
  const PHONE = {
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
    javaScriptEnabled: false,
  } as const
  const DESKTOP = { viewport: { width: 1280, height: 800 } }
  const name = 'Import of receipts'

  it('without scripts, a developer creates a key, runs the shown commands, removes an operation, rotates the secret and deletes the key', async () => {
    const page = await open(PHONE)
    await page.goto(`${host()}/console/api-keys`)
    await signIn(page, 'acme')
    expect(new URL(page.url()).pathname).toBe('/console/api-keys')
    await page.getByRole('link', { name: 'Create API key' }).first().click()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('checkbox', { name: 'Invoices' }).check()
    await press(page, 'Create API key', 'This is the only time you see the secret.')
    const first = await credentials(page)

    const commands = await page.locator('.copyable code', { hasText: 'curl' }).allInnerTexts()
    expect(commands).toHaveLength(2)
    const output = await runToEnd(examples.folder, 'bash', [
      '-c',
      `{\n${commands.join('\n')}\n} <<'END'\n${first.client_secret}\nEND`,
    ])
    expect(output).toMatch(/^HTTP\/1\.1 200/m)

    await page.getByRole('link', { name: 'I have stored it; go to the key' }).click()
    expect(await page.content()).not.toContain(first.client_secret)
    const { token } = await requestToken(first)
    expect(await call('/invoices/create', token, 'POST')).toBe(422)

    const row = page.locator('li', { hasText: 'invoices:create' }).last()
    await row.getByRole('link', { name: /Remove/ }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await row.getByRole('button', { name: /Restore/ }).waitFor()
    // The token from before is revoked, and a new token lacks the operation.
    expect(await call('/invoices/create', token, 'POST')).toBe(401)
    const limited = (await requestToken(first)).token
    expect(await call('/invoices/list', limited)).toBe(200)
    expect(await call('/invoices/create', limited, 'POST')).toBe(403)

    await page.getByText('Create a new secret').first().click()
    await press(page, /^Create (a )?new secret/, 'This is the only time you see the secret.')
    const second = await credentials(page)
    expect((await requestToken(first)).status).toBe(200)
    expect((await requestToken(second)).status).toBe(200)
    await page.getByRole('link', { name: 'I have stored it; go to the key' }).click()
    await page.getByRole('link', { name: 'Revoke old secret' }).click()
    await page.getByRole('button', { name: 'Revoke old secret' }).click()
    await page.getByText('Create a new secret').first().waitFor()
    expect((await requestToken(first)).status).toBe(401)
    const last = await requestToken(second)
    expect(last.status).toBe(200)

    await page.getByRole('link', { name: /^Delete/ }).click()
    await page.getByLabel(/name/i).fill('another name')
    await press(page, /^Delete/, 'so nothing was deleted')
    expect(await call('/invoices/list', last.token)).toBe(200)
    await page.getByLabel(/name/i).fill(name)
    await page.getByRole('button', { name: /^Delete/ }).click()
    await page.waitForURL(({ pathname }) => pathname === '/console/api-keys')
    expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0)
    expect(await call('/invoices/list', last.token)).toBe(401)
    expect((await requestToken(second)).status).toBe(401)
    await page.context().close()
  })

  it('a developer creates an application, a user connects it and disconnects it, and the next call of the partner fails', async () => {
    const application = 'Ledger of Acme'
    const developer = await open(DESKTOP)
    await developer.goto(`${host()}/console/applications/new`)
    await signIn(developer, 'acme')
    await developer.getByLabel('Name').fill(application)
    await developer.getByRole('checkbox', { name: 'Invoices' }).check()
    await developer.getByRole('checkbox', { name: 'Payments' }).check()
    await developer.getByLabel(/Redirect URIs/).fill(`${partner()}callback`)
    await press(developer, 'Create application', 'This is the only time you see the secret.')
    const client = await credentials(developer)
    await developer.context().close()

    const user = await open(DESKTOP)
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
  })

  it('an operator revokes everything of an account', async () => {
    const developer = await open(DESKTOP)
    await developer.goto(`${host()}/console/api-keys/new`)
    await signIn(developer, 'bob')
    await developer.getByLabel('Name').fill(name)
    await developer.getByRole('checkbox', { name: 'Invoices' }).check()
    await press(developer, 'Create API key', 'This is the only time you see the secret.')
    const { token } = await requestToken(await credentials(developer))
    await developer.context().close()
    expect(await call('/invoices/list', token)).toBe(200)

    const operator = await open(DESKTOP)
    await operator.goto(`${host()}/console/operator/accounts/bob`)
    await signIn(operator, 'olga')
    await operator.getByRole('link', { name: /^Revoke everything/ }).click()
    expect(await operator.locator('.gatehouse').innerText()).toMatch(/\d+ API keys?/)
    await press(operator, /^Revoke all tokens/, /are revoked/)
    expect(await call('/invoices/list', token)).toBe(401)
    await operator.context().close()
  })
})
