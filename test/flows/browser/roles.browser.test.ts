import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { findViolations } from '../../support/accessibility.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests, type Client } from '../../support/host-requests.ts'
import { authorizationUrl, startHost, type Host, type Tokens } from '../../support/host.ts'
import { temporaryFolder } from '../../support/package-copy.ts'
import { describeEachRedis } from '../../support/stores.ts'

/** The folder for screenshots of the pages. If the variable is unset, the tests make no screenshots. */
const screenshotFolder = process.env['SCREENSHOTS']

const READ = 'GET /invoices/list'
const CREATE = 'POST /invoices/create'
const SCOPE = 'openid invoices:read invoices:create payments:list'
const VIEWER = ['invoices:read']
const EDITOR = ['invoices:read', 'invoices:create']

describeEachRedis('the roles of a company, in a browser and in two processes', (deploy, deployment) => {
  describeWithChromium('the roles of a company', () => {
    let program: HostProgram
    let browser: Browser
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    /** This process shows the pages. The other process issues tokens and answers API calls. */
    let host: Host
    let other: HostProcess & ReturnType<typeof hostRequests>
    let application: Client

    const accounts: Record<string, Account> = {
      acme: { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } },
      firm: { id: 'firm', claims: { name: 'The firm' } },
      'firm/admin': { id: 'firm', claims: { name: 'Ada Admin', email: 'ada@firm.example' } },
      'firm/editor': { id: 'firm', claims: { name: 'Ed Editor' }, operations: EDITOR },
      'firm/viewer': { id: 'firm', claims: { name: 'Vera Viewer' }, operations: VIEWER },
    }
    const save = () => writeFileSync(path.join(folder.folder, 'accounts.json'), JSON.stringify(accounts))
    function setRole(user: string, operations: readonly string[]): void {
      accounts[`firm/${user}`] = { ...accounts[`firm/${user}`], id: 'firm', operations }
      save()
    }

    beforeAll(async () => {
      folder = await temporaryFolder('koa-gatehouse-roles')
      save()
      const data = randomUUID()
      ;[program, browser] = await Promise.all([compileHostProgram(), startChromium()])
      host = await startHost({
        store: deploy(data),
        gatehouse: {
          accounts: {
            find: (id, user) => accounts[user === undefined ? id : `${id}/${user}`],
            authenticate({ identifier }) {
              const [accountId = '', userId] = identifier.split('/')
              return { accountId, userId }
            },
          },
        },
      })
      await host.gatehouse.ready()
      const { issuer, audience } = host
      const accountsFile = path.join(folder.folder, 'accounts.json')
      const child = await program.start({ deployment, keyPrefix: `${data}:`, issuer, audience, accountsFile })
      const addresses = { issuer: child.address, audience: `http://localhost:${child.port}/api` }
      other = { ...child, ...hostRequests({ fetch, ...addresses }) }
      application = await host.createApplication({ redirectUris: [`${host.origin}/callback`] })
    }, 120_000)
    afterAll(async () => {
      await browser?.close()
      await host?.close()
      await program?.remove()
      await folder?.remove()
    })

    /** Signs a user in at an application, up to the consent page or, without one, to the application. */
    async function open(user: string, client = application, prompt = ''): Promise<Page> {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      page.setDefaultTimeout(20_000)
      const redirect_uri = `${host.origin}/callback`
      await page.goto(authorizationUrl(host, client.client_id, { scope: SCOPE, redirect_uri, prompt }).href)
      await page.locator('input[name=identifier]').fill(`firm/${user}`)
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit], form[action$=sign-in] button').first().click()
      return page
    }
    const offered = (page: Page) =>
      page
        .locator('input[name=scope]')
        .evaluateAll((all) => all.map((each) => (each as { value?: string }).value))
    async function exchange(page: Page, client = application): Promise<Tokens> {
      await page.waitForURL(/\/callback\?/)
      const code = new URL(page.url()).searchParams.get('code') ?? ''
      await page.context().close()
      const redirect_uri = `${host.origin}/callback`
      return (await other.exchangeCode(client, code, { redirect_uri })).body as unknown as Tokens
    }
    async function connect(user: string): Promise<Tokens> {
      const page = await open(user, application, 'consent')
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      return exchange(page)
    }
    const refresh = async ({ refresh_token }: Tokens) =>
      (await other.refresh(application, refresh_token)).body as unknown as Tokens
    const callBoth = async (target: string, token: string) => [
      (await host.call(target, token)).status,
      (await other.call(target, token)).status,
    ]

    async function photograph(page: Page, name: string): Promise<void> {
      expect(await findViolations(page)).toEqual([])
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        )
        if (screenshotFolder === undefined) continue
        mkdirSync(screenshotFolder, { recursive: true })
        await page.screenshot({ path: path.join(screenshotFolder, `${name}-${width}.png`), fullPage: true })
      }
    }

    it("each member is offered the operations of the member's role, and the tokens of the other process carry no others", async () => {
      const roles = {
        admin: ['invoices:read', 'invoices:create', 'payments:list'],
        editor: EDITOR,
        viewer: VIEWER,
      }
      for (const [user, operations] of Object.entries(roles)) {
        const page = await open(user)
        await page.waitForURL(/\/interaction\//)
        await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
        expect((await offered(page)).filter((scope) => scope !== 'openid')).toEqual(operations)
        await photograph(page, `consent-${user}`)
        await page.getByRole('button', { name: 'Allow', exact: true }).click()
        const tokens = await exchange(page)
        expect(tokens.scope).toBe(['openid', ...operations].join(' '))
        expect(await callBoth(READ, tokens.access_token)).toEqual([200, 200])
        const status = operations.includes('invoices:create') ? 200 : 403
        expect(await callBoth(CREATE, tokens.access_token)).toEqual([status, status])
        expect((await refresh(tokens)).scope).toBe(tokens.scope)
      }
    }, 60_000)

    it("the host's own application shows no consent page, and gets the operations of the role", async () => {
      const own = await host.createApplication({
        firstParty: true,
        redirectUris: [`${host.origin}/callback`],
      })
      expect((await exchange(await open('viewer', own), own)).scope).toBe('openid invoices:read')
    }, 60_000)

    it('after a role is lowered in one process, no token with a lost operation is accepted in any process, although the other process refreshes all the time', async () => {
      const families = [await connect('editor'), await connect('editor'), await connect('editor')]
      const issued: string[] = families.map(({ access_token }) => access_token)
      let isOver = false
      onTestFinished(() => void (isOver = true))
      const refreshing = Promise.all(
        families.map(async (family) => {
          let last = family
          while (!isOver) {
            last = await refresh(last)
            issued.push(last.access_token)
          }
          return last
        }),
      )
      await vi.waitFor(() => expect(issued.length).toBeGreaterThan(15), { timeout: 50_000 })
      setRole('editor', VIEWER)
      const { grants } = await host.gatehouse.accounts.changed('firm', { userId: 'editor' })
      expect(grants).toBeGreaterThanOrEqual(3)
      for (const token of issued.slice()) {
        if (scopesOf(token).includes('invoices:create'))
          expect((await host.call(CREATE, token)).status).toBe(401)
      }
      isOver = true
      const latest = await refreshing
      await vi.waitFor(
        async () => {
          for (const token of issued) {
            const isLost = scopesOf(token).includes('invoices:create')
            expect(await callBoth(CREATE, token)).toEqual(isLost ? [401, 401] : [403, 403])
          }
        },
        { timeout: 20_000 },
      )
      for (const family of latest) {
        const limited = await refresh(family)
        expect(limited.scope).toBe('openid invoices:read')
        expect(await callBoth(READ, limited.access_token)).toEqual([200, 200])
      }
    }, 120_000)
  })
})

function scopesOf(token: string): string[] {
  const [, claims = ''] = token.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { scope: string }).scope.split(' ')
}
