import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findViolations } from '../support/accessibility.ts'
import { createBrowser } from '../support/browser.ts'
import { describeWithChromium, startChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { runToEnd } from '../support/package-copy.ts'
import { packExamples, type BuiltExamples, type ExampleProcess } from './example-process.ts'

/** The folder for screenshots of the pages. If the variable is unset, the tests make no screenshots. */
const screenshotFolder = process.env['SCREENSHOTS']

describe('the examples of the packed package', () => {
  let examples: BuiltExamples
  let example: ExampleProcess
  beforeAll(async () => {
    examples = await packExamples()
    example = await examples.start()
    await example.ready()
  }, 120_000)
  afterAll(async () => {
    await example?.stop()
    await examples?.remove()
    expect(example.stderr()).toBe('')
  })

  const host = () => `http://localhost:${example.port}`

  /** The status of an API call with a token. */
  async function callApi(token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${host()}/api/invoices/list`, { headers })).status
  }

  describeWithChromium('the single-page app, in a browser', () => {
    let browser: Browser
    let page: Page
    beforeAll(async () => {
      browser = await startChromium()
    })
    afterAll(() => browser?.close())

    const home = () => `http://localhost:${example.spaPort}/`
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const storedTokens = async (): Promise<Record<string, string>> =>
      JSON.parse((await page.evaluate('sessionStorage.getItem("tokens")')) ?? 'null')

    /** Opens the app in a new browser profile. Returns the list of errors, which the browser adds to. */
    async function open(): Promise<string[]> {
      const problems: string[] = []
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      page = await context.newPage()
      page.setDefaultTimeout(10_000)
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('console', (message) => {
        if (!message.location().url.endsWith('/favicon.ico')) problems.push(message.text())
      })
      await page.goto(home())
      return problems
    }

    async function signIn(): Promise<void> {
      await click('Sign in')
      await page.getByLabel('Name').fill('alice')
      await page.getByLabel('Password').fill('wonderland')
      await click('Sign in')
    }

    /** Checks a page in a wide and a narrow window: nothing is cut off, and axe finds no violation. */
    async function checkPage(name: string): Promise<void> {
      expect(await findViolations(page)).toEqual([])
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        )
        if (screenshotFolder === undefined) continue
        await page.screenshot({ path: path.join(screenshotFolder, `${name}-${width}.png`), fullPage: true })
      }
    }

    it('a user signs in and approves; the app calls the API, refreshes, keeps its tokens on reload, and revokes them on sign-out', async () => {
      const problems = await open()
      await checkPage('single-page-app-signed-out')
      await signIn()
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Glance')
      await checkPage('single-page-app-consent')
      await click('Allow')
      await page.getByRole('cell', { name: 'Mad Hatter Teas' }).waitFor()
      await page.getByRole('heading', { name: 'Invoices of Alice Liddell' }).waitFor()
      expect(page.url()).toBe(home())
      await checkPage('single-page-app-signed-in')

      const first = await storedTokens()
      await click('Refresh the tokens')
      await page.getByText('New tokens, valid for 3600 s.').waitFor()
      const second = await storedTokens()
      expect(second['refresh_token']).not.toBe(first['refresh_token'])
      await page.reload()
      await page.getByRole('cell', { name: 'Mad Hatter Teas' }).waitFor()
      expect(await storedTokens()).toEqual(second)
      expect(await callApi(String(second['access_token']))).toBe(200)

      await click('Sign out')
      await page.getByText('Signed out: the tokens of this app are revoked.').waitFor()
      expect(await storedTokens()).toBeNull()
      expect(await callApi(String(second['access_token']))).toBe(401)
      expect(await page.evaluate('sessionStorage.length')).toBe(0)
      expect(problems).toEqual([])
    })

    it('after the user has disconnected the app, the app says that the sign-in has ended', async () => {
      await open()
      await signIn()
      await click('Allow')
      await page.getByRole('cell', { name: 'Mad Hatter Teas' }).waitFor()
      // The page may also read an error that the handler of the API throws.
      const call = `fetch('${host()}/api/invoices/none', { headers: { authorization: 'Bearer ${(await storedTokens())['access_token']}' } })`
      expect(await page.evaluate(`${call}.then(({ status }) => status)`)).toBe(404)
      const other = await page.context().newPage()
      await other.goto(`${host()}/applications`)
      await other
        .locator('.panel', { hasText: 'Glance' })
        .getByRole('link', { name: /Disconnect/ })
        .click()
      await other.getByRole('button', { name: 'Disconnect' }).click()
      await other.getByText(/is disconnected/).waitFor()
      await click('Show the invoices again')
      await page.getByText('This sign-in has ended. Sign in again to go on.').waitFor()
      expect(await storedTokens()).toBeNull()
    })

    it('a page that was opened with the code of another browser gets no tokens', async () => {
      await open()
      await page.goto(`${home()}?code=stolen&state=x&iss=${encodeURIComponent(`${host()}/auth`)}`)
      await page.getByText('This sign-in was not started in this tab.').waitFor()
      expect(page.url()).toBe(home())
    })

    it('a page at another origin gets no tokens with the client_id of the app, although the client_id is public', async () => {
      const server: Server = createServer((_request, response) => response.end('another page')).listen(0)
      await once(server, 'listening')
      try {
        await open()
        const { clientId } = (await (await fetch(`${home()}settings.json`)).json()) as { clientId: string }
        await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
        const body = `grant_type=refresh_token&refresh_token=x&client_id=${clientId}`
        const send = (headers: object) =>
          page.evaluate(
            ([url, init]) =>
              fetch(url as string, init as RequestInit).then(
                async (response) => [response.status, await response.text()],
                (error: unknown) => String(error),
              ),
            [`${host()}/auth/oauth2/token`, { method: 'POST', body, headers }] as const,
          )
        // A form needs no preflight. A header of the page's own needs one, which the example answers for every origin, because
        // a client metadata document may name it. The request itself is rejected.
        const form = { 'content-type': 'application/x-www-form-urlencoded' }
        for (const headers of [form, { ...form, 'x-own': '1' }]) {
          expect(await send(headers)).toEqual([
            400,
            expect.stringContaining('requests from this origin are rejected'),
          ])
        }
        const call = `fetch('${host()}/api/invoices/list').then(({ status }) => status)`
        expect(await page.evaluate(call)).toBe(401)
      } finally {
        server.close()
        server.closeAllConnections()
      }
    })
  })

  it('the command-line program gets tokens over a port of its own, calls the API, refreshes, and revokes', async () => {
    const { address, program, output } = await startCommandLine()
    const redirectUri = new URL(address.searchParams.get('redirect_uri') ?? '')
    expect(redirectUri.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const state = address.searchParams.get('state') ?? ''
    const forged = await fetch(`${redirectUri.href}?code=x&state=forged`)
    expect(forged.status).toBe(404)

    const decided = await decide(address, 'approve')
    expect(decided.body).toBe('Go back to the terminal. You can close this page.')
    expect(decided.url.searchParams.get('state')).toBe(state)
    expect(await once(program, 'close')).toEqual([0, null])
    expect(output().match(/^200 .*Mad Hatter Teas/gm)).toHaveLength(2)
    expect(output()).toContain('New tokens, valid for 3600 s.\n')
    expect(output()).toMatch(/The tokens are revoked\.\n$/)
  })

  it('the command-line program ends with exit code 1 if the user denies the access', async () => {
    const { address, program, output } = await startCommandLine()
    await decide(address, 'deny')
    expect(await once(program, 'close')).toEqual([1, null])
    expect(output()).toContain('The access was not approved: access_denied')
  })

  /** Runs the command that `npm start` prints, until it prints an address. */
  async function startCommandLine() {
    const [, command = ''] = /^node (build\/examples\/command-line\.js .*)$/m.exec(example.stdout()) ?? []
    const program = spawn(process.execPath, command.split(' '), { cwd: examples.folder })
    let text = ''
    program.stderr.on('data', (chunk) => (text += chunk))
    const address = await new Promise<URL>((resolve, reject) => {
      program.stdout.on('data', (chunk) => {
        text += chunk
        const [url] = /^http:\S+$/m.exec(text) ?? []
        if (url !== undefined) resolve(new URL(url))
      })
      program.once('close', () => reject(new Error(text)))
    })
    return { address, program, output: () => text }
  }

  /** Signs in as Alice, decides on the consent page, and returns the page that the program shows. */
  async function decide(address: URL, action: 'approve' | 'deny') {
    const { origin } = new URL(address.searchParams.get('redirect_uri') ?? '')
    const browser = createBrowser({ follow: [host(), origin] })
    const signIn = await browser.open(address)
    const consent = await browser.submit(signIn, { change: { username: 'alice', password: 'wonderland' } })
    expect(consent.body).toContain('A program on this computer gets access (')
    expect(consent.body).toContain(origin)
    return browser.submit(consent, { action: /consent$/, button: ['action', action] })
  }

  it('the program with a key pair registers its public key, gets a token with private_key_jwt, and calls the API', async () => {
    const args = ['--import', './examples/hide-runtime-warning.mjs', 'build/examples/key-pair.js']
    const environment = { PORT: String(await freePort()) }
    const printed = await runToEnd(examples.folder, process.execPath, args, environment)
    expect(printed).toBe('200 {"invoices":[],"account":"acme"}\n')
  })
})
