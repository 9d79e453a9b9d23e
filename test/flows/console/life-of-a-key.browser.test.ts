import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { daysAgo } from '../../support/days-ago.ts'
import { openPage } from './browser-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describeWithChromium('the life of a key in a browser without scripts', () => {
  let host: ConsoleHost
  let browser: Browser
  /** The people who have just signed in again. */
  const proved = new Set<string>()
  beforeAll(async () => {
    browser = await startChromium()
    host = await startConsole({
      store: memoryStore(),
      accounts: {
        find: (id, userId) => (userId === 'nora' ? undefined : { id, kycLevel: 'verified' }),
        confirm: (ctx, permission, { returnTo }) =>
          permission === 'keys:delete' && !proved.has(ctx.get('Cookie'))
            ? `/prove?next=${encodeURIComponent(String(returnTo))}`
            : true,
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await host?.close()
  })

  it('on a phone, each step works, and no page has a complaint or is wider than the screen', async () => {
    const account = 'pocket'
    const { apiKeys } = host.gatehouse
    const options = { viewport: { width: 390, height: 800 }, javaScriptEnabled: false }
    const { page, complaints } = await openPage(browser, host.origin, account, options)
    const open = (below: string) => page.goto(`${host.origin}/console${below}`)
    const main = page.locator('.gatehouse')
    async function look(): Promise<void> {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      expect(complaints).toEqual([])
    }

    // A key with an expiry, two address rules, and a use of its secret.
    await open('/api-keys/new')
    await page.locator('input[name=name]').fill('Nightly export')
    await page.locator('input[value=invoices]').check()
    await page.locator('input[name=expiresAt]').fill(dayIn(20))
    await page.locator('form button.primary').click()
    const secret = await page.locator('#client-secret').innerText()
    const clientId = await page.locator('#client-id').innerText()
    await open(`/api-keys/${clientId}`)
    await page.locator('textarea[name=allowedAddresses]').fill('127.0.0.0/8\n2001:db8::/32')
    await page.locator('#addresses button').click()
    await expect.poll(() => main.innerText()).toContain('127.0.0.0/8')
    const token = await host.requestDirectToken({ client_id: clientId, client_secret: secret })
    expect(token.status).toBe(200)
    await open(`/api-keys/${clientId}`)
    await expect.poll(() => main.innerText()).toMatch(/Last used (this minute|\d+ minutes? ago)/)
    await look()

    // What needs attention, button by button.
    const common = { accountId: account, products: ['invoices'], createdBy: 'anna' }
    const year = inDays(365)
    await daysAgo(120, () => apiKeys.create({ ...common, name: 'Forgotten', expiresAt: year }))
    await apiKeys.create({ ...common, name: 'Endless' })
    await apiKeys.create({ ...common, name: 'Of Nora', expiresAt: year, createdBy: 'nora' })
    const { apiKey: two } = await apiKeys.create({ ...common, name: 'Two secrets', expiresAt: year })
    await daysAgo(9, () => apiKeys.rotateSecret(two.clientId, { overlapSeconds: 30 * 86_400 }))
    await open('')
    await page.locator('a[href$="/hygiene"]').click()
    expect(await page.locator('tbody tr').count()).toBe(5)
    await look()

    let clicks = 0
    for (; (await page.locator('tbody tr').count()) > 0; clicks += 1) {
      expect(clicks).toBeLessThan(10)
      const action = page.locator('tbody tr').first().locator('button, a.button').first()
      await action.click()
      if (page.url().includes('confirm=')) await page.locator('.panel form button').click()
      if (await page.locator('#client-secret').count()) await look()
      await open('/hygiene')
    }
    expect(clicks).toBe(5)
    expect(await main.innerText()).toContain('Nothing needs attention.')
    await look()

    // A secret that was found in a log is pasted, and revoked.
    await open('/token-inspector')
    await page.locator('textarea').fill(secret)
    await page.locator('button.primary').click()
    await page.locator('a.button.danger').click()
    await page.locator('button.danger').click()
    await look()
    const after = await host.requestDirectToken({ client_id: clientId, client_secret: secret })
    expect(after.status).toBe(401)
    const call = await host.call('GET /invoices/list', String(token.body['access_token']))
    expect(call.status).toBe(401)

    // Deleting the key needs a fresh sign-in.
    await open(`/api-keys/${clientId}/delete`)
    await page.locator('input[name=name]').fill('Nightly export')
    await page.locator('button.danger').click()
    await look()
    const link = await page.locator('a.button.primary').getAttribute('href')
    const next = new URL(link ?? '', host.origin).searchParams.get('next') ?? ''
    const cookies = await page.context().cookies()
    proved.add(cookies.map(({ name, value }) => `${name}=${value}`).join('; '))
    await page.goto(next)
    await look()
    await page.locator('form button.danger').click()
    expect(await main.innerText()).toContain('deleted')
    expect(await apiKeys.find(clientId)).toBeUndefined()
  })
})
