import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { readSession } from '../../support/session-cookie.ts'
import { openPage } from '../console/browser-setup.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

/** The folder for screenshots of the pages. If the variable is unset, the tests make no screenshots. */
const screenshotFolder = process.env['SCREENSHOTS']

/** What the members of the company acme may do. */
const ROLES: Record<string, { operations?: string[]; mayChange: boolean; name: string }> = {
  ada: { name: 'Ada Admin', mayChange: true },
  eve: { name: 'Eve Engineer', mayChange: true },
  dan: { name: 'Dan Dispatcher', mayChange: true, operations: ['invoices:read'] },
  vera: { name: 'Vera Viewer', mayChange: false, operations: [] },
}

describeWithChromium('a company whose people come and go, in the console', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  }, 60_000)
  afterAll(() => browser?.close())

  it.each([1280, 390])(
    'at a width of %i',
    async (width) => {
      const members = new Map(Object.entries(ROLES))
      const host = await startConsole({
        store: memoryStore(),
        accounts: {
          find(accountId, userId) {
            const member = userId === undefined ? undefined : members.get(userId)
            if (!['acme', 'root'].includes(accountId) || (userId !== undefined && !member)) return undefined
            const { operations } = member ?? {}
            return { id: accountId, operations, claims: { name: member?.name ?? 'Acme Ltd' } }
          },
          can: (ctx, permission) =>
            permission.endsWith(':read') || members.get(readSession(ctx)?.userId ?? '')?.mayChange === true,
        },
      })
      try {
        await live(host, width, members)
      } finally {
        await host.close()
      }
    },
    120_000,
  )

  async function live(host: ConsoleHost, width: number, members: Map<string, unknown>): Promise<void> {
    const { apiKeys, accounts } = host.gatehouse
    const as = async (person: string) => {
      const { page, complaints } = await openPage(browser, host.origin, person, {
        viewport: { width, height: 800 },
      })
      const go = async (address: string) => {
        await page.goto(`${host.origin}/console${address}`)
        await check(page)
      }
      return { page, go, complaints }
    }
    let shots = 0
    /** No page scrolls sideways. */
    async function check(page: Page): Promise<void> {
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      if (screenshotFolder === undefined) return
      mkdirSync(screenshotFolder, { recursive: true })
      const file = `company-${width}-${String((shots += 1)).padStart(2, '0')}.png`
      await page.screenshot({ path: path.join(screenshotFolder, file), fullPage: true })
    }
    const send = (page: Page, action: string) =>
      page.locator(`form:has(input[name=action][value=${action}]) button`).first().click()
    const tokenOf = async (client_id: string, client_secret: string) =>
      (await host.requestDirectToken({ client_id, client_secret })).body
    async function createKey({ page, go }: Awaited<ReturnType<typeof as>>, name: string) {
      await go('/api-keys/new')
      await page.locator('input[name=name]').fill(name)
      await page.locator('input[name=product][value=invoices]').check()
      await send(page, 'create')
      const secret = await page
        .locator('code', { hasText: /^gatehouse_/ })
        .first()
        .innerText()
      await check(page)
      const { items } = await apiKeys.listByOwner('acme', { name })
      return { clientId: items[0]?.clientId ?? '', secret }
    }

    // Keys of the company: the admin's may do everything, the dispatcher's only what the dispatcher may do.
    const [ada, dan, vera, root] = [
      await as('acme/ada'),
      await as('acme/dan'),
      await as('acme/vera'),
      await as('root'),
    ]
    const nightly = await createKey(ada, 'Nightly export')
    const dispatch = await createKey(dan, 'Dispatch')
    expect((await tokenOf(nightly.clientId, nightly.secret))['scope']).toBe('invoices:read invoices:create')
    expect((await tokenOf(dispatch.clientId, dispatch.secret))['scope']).toBe('invoices:read')
    const own = await apiKeys.create({
      accountId: 'acme',
      userId: 'dan',
      name: "Dan's key",
      products: ['invoices'],
      removedOperations: ['invoices:create'],
    })

    // A viewer looks, and changes nothing.
    await vera.go('/api-keys')
    await expect.poll(() => vera.page.locator('tbody tr').count()).toBe(3)
    expect(await vera.page.locator('a[href$="/api-keys/new"]').count()).toBe(0)
    await vera.go(`/api-keys/${nightly.clientId}`)
    expect(await vera.page.locator('main form[method=post]').count()).toBe(0)

    // The admin leaves. The key goes on, and its secret is to be rotated, which an engineer does.
    members.delete('ada')
    await accounts.changed('acme', { userId: 'ada', actor: 'hr' })
    expect((await tokenOf(nightly.clientId, nightly.secret))['access_token']).toBeDefined()
    await dan.go('/api-keys')
    expect(await dan.page.getByText('Rotate secret').count()).toBe(1)
    await dan.go(`/api-keys/${nightly.clientId}`)
    expect(await dan.page.getByText('People who have left the account').count()).toBe(1)
    // The dispatcher may not use all operations of the key, and gets no secret of it. An engineer does.
    expect(await dan.page.locator('details:has(input[name=overlap])').count()).toBe(0)
    const eve = await as('acme/eve')
    await eve.go(`/api-keys/${nightly.clientId}`)
    await eve.page.locator('details:has(input[name=overlap]) summary').click()
    await eve.page.locator('input[name=overlap][value=now]').check()
    await send(eve.page, 'rotateSecret')
    await eve.page
      .locator('code', { hasText: /^gatehouse_/ })
      .first()
      .waitFor()
    await check(eve.page)
    expect((await tokenOf(nightly.clientId, nightly.secret))['error']).toBe('invalid_client')
    expect(await accounts.secretsToRotate('acme')).toEqual([])

    // The dispatcher's own key is handed over to the company.
    await dan.go(`/api-keys/${own.apiKey.clientId}/hand-over`)
    await dan.page.locator('input[name=userId]').fill('')
    await send(dan.page, 'handOver')
    await dan.page.waitForURL(/done=/)
    await check(dan.page)
    expect((await apiKeys.find(own.apiKey.clientId))?.userId).toBeUndefined()

    // A key of the dispatcher, a backup, and then the dispatcher is erased by an operator.
    const last = await apiKeys.create({
      accountId: 'acme',
      userId: 'dan',
      name: 'Last',
      products: ['invoices'],
    })
    const backup: string[] = []
    for await (const piece of exportRegistry(host.gatehouse)) backup.push(piece)
    members.delete('dan')
    await root.go('/operator')
    await root.page.locator('input[name=text]').fill('night')
    await send(root.page, 'find')
    await root.page.waitForURL(`**/operator/clients/${nightly.clientId}`)
    await root.go('/operator/accounts/acme/users/dan')
    await root.page.locator('a[href*="confirm=erase"]').click()
    await check(root.page)
    await send(root.page, 'erase')
    await root.page.waitForURL(/\/operator\?/)
    expect(await apiKeys.find(last.apiKey.clientId)).toBeUndefined()

    // The backup from before is restored: what is of the company stays, and the person stays erased.
    await importRegistry(host.gatehouse, backup)
    expect(await apiKeys.find(last.apiKey.clientId)).toBeUndefined()
    const { items } = await apiKeys.listByOwner('acme')
    expect(items.map(({ name }) => name)).toEqual(["Dan's key", 'Dispatch', 'Nightly export'])
    expect(JSON.stringify(items)).not.toContain('"dan"')
    await vera.go('/activity')
    expect(await vera.page.locator('main').innerText()).not.toMatch(/Dan Dispatcher|acme\/dan/)
    await vera.go('/')
    for (const { complaints, page } of [ada, eve, dan, vera, root]) {
      expect(complaints).toEqual([])
      await page.context().close()
    }
  }
})
