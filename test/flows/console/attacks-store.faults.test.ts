import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { formsOf, type Page } from '../../support/browser.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { WRITES } from '../../support/killable-store.ts'
import { addressOf, createTargets, csrfTokenOf, fieldsOf, PAGES, type Targets } from './attack-setup.ts'
import { credentialsOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The pages that read nothing from the store, or say themselves that the store is down. */
const WITHOUT_STORE = [
  '/api-keys/new',
  '/api-keys/new-gateway',
  '/applications/new',
  '/token-inspector',
  '/operator',
  '/operator/health',
]

/** How often a form is sent with another failing call. */
const MAX_CALLS = 40

describe('the console while the store fails', () => {
  const faulty = faultyStore(memoryStore())
  let host: ConsoleHost
  let targets: Targets
  let csrf: string
  beforeAll(async () => {
    // Each failing call has two new clients of one account.
    const gatehouse = { storeTimeoutMs: 200, maxClientsPerAccount: 5000 }
    host = await startConsole({ store: faulty.store, gatehouse })
    targets = await createTargets(host)
    csrf = await csrfTokenOf(host, 'acme')
  })
  afterAll(async () => {
    faulty.comeBack()
    await host.close()
  })

  const personOf = (isForOperators: boolean) => (isForOperators ? 'root' : 'acme')

  function expectBusy({ status, headers, body }: Page): void {
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body).toMatch(/<h1>/)
    expect(body).not.toContain('ECONNRESET')
  }

  it('each page says that the service is busy and when to try again, and is shown once the store is back', async () => {
    const reads = PAGES.filter(({ path }) => !WITHOUT_STORE.includes(path))
    faulty.goAway()
    for (const { path, isForOperators } of reads) {
      const page = await host.visit(personOf(isForOperators)).get(addressOf(path, targets))
      // The accounts are the host's, and clients are kept in memory for some seconds.
      if (page.status !== 200) expectBusy(page)
    }
    for (const path of ['/console/api-keys', '/console/activity', '/console/operator/audit']) {
      expectBusy(await host.visit(personOf(path.includes('operator'))).get(path))
    }
    faulty.comeBack()
    for (const { path, isForOperators } of PAGES) {
      const visitor = host.visit(personOf(isForOperators))
      await expect.poll(async () => (await visitor.get(addressOf(path, targets))).status).toBe(200)
    }
  })

  /** The changes, and what proves that they were made. */
  const CHANGES: readonly {
    readonly path: string
    readonly action: string
    isDone(sent: Targets, page: Page): Promise<boolean>
  }[] = [
    {
      path: '/api-keys/new',
      action: 'create',
      isDone: async (_, page) => (await host.requestDirectToken(credentialsOf(page))).status === 200,
    },
    {
      path: '/api-keys/:clientId/secrets',
      action: 'rotateSecret',
      isDone: async (_, page) => (await host.requestDirectToken(credentialsOf(page))).status === 200,
    },
    {
      path: '/api-keys/:clientId/settings',
      action: 'save',
      isDone: async ({ apiKey }) => (await host.gatehouse.apiKeys.find(apiKey))?.name === 'Renamed',
    },
    {
      path: '/api-keys/:clientId/settings',
      action: 'disable',
      isDone: async ({ apiKey }) => (await host.gatehouse.apiKeys.find(apiKey))?.disabled === true,
    },
    {
      path: '/api-keys/:clientId/access',
      action: 'removeProduct',
      isDone: async ({ apiKey }) => (await host.gatehouse.apiKeys.find(apiKey))?.products.length === 0,
    },
    {
      path: '/api-keys/:clientId/report-compromised',
      action: 'reportCompromised',
      isDone: async ({ apiKey }) => (await host.gatehouse.apiKeys.listSecrets(apiKey)).length === 0,
    },
    {
      path: '/api-keys/:clientId/delete',
      action: 'delete',
      isDone: async ({ apiKey }) => (await host.gatehouse.apiKeys.find(apiKey)) === undefined,
    },
    {
      path: '/connected-applications',
      action: 'disconnect',
      isDone: async ({ application }) => {
        const { items } = await host.gatehouse.grants.list({ accountId: 'acme', limit: 100 })
        return items.every(({ clientId }) => clientId !== application)
      },
    },
  ]

  /** Makes a change on new targets while a call of the store fails. Returns the call, or undefined if no call failed. */
  async function expectHonest(
    { path, action, isDone }: (typeof CHANGES)[number],
    at: number,
    fault: 'rejected' | 'unanswered',
  ): Promise<string | undefined> {
    const what = `${action} at ${at}, ${fault}`
    const fresh = await createTargets(host, { isConnected: action === 'disconnect' })
    const address = new URL(host.origin + addressOf(path, fresh))
    const { browser, get } = host.visit('acme')
    // A form that saves fields has the version of the client.
    const fields = formsOf(await get(address.pathname)).flatMap((form) => form.fields)
    const version = fields.find(([name]) => name === 'version')?.[1] ?? ''
    const init: RequestInit = {
      method: 'POST',
      body: new URLSearchParams({ ...fieldsOf(action, fresh), action, csrf, version }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    faulty.arm(at, fault, { thenAway: true })
    const page = await browser.request(address, init)
    const failed = faulty.calls[at]
    faulty.comeBack()
    const isClaimed = page.status === 200 || page.status === 303
    if (isClaimed) {
      await expect.poll(() => isDone(fresh, page), { message: `${what}: ${page.body}` }).toBe(true)
    } else expectBusy(page)
    if (failed === undefined) return undefined
    let again = page
    await expect
      .poll(async () => {
        again = await browser.request(address, init)
        return again.status
      })
      .not.toBe(503)
    // A client that was deleted has no page.
    expect(action === 'delete' ? [303, 404] : [200, 303], what).toContain(again.status)
    if (again.status !== 404) expect(await isDone(fresh, again)).toBe(true)
    return failed
  }

  it.each(CHANGES)(
    'wherever a call of the store is rejected, or a write is executed without an answer, “$action” is not claimed before it is done, and can be sent again',
    async (change) => {
      for (let at = 0; at < MAX_CALLS; at += 1) {
        const failed = await expectHonest(change, at, 'rejected')
        if (failed === undefined) return
        const [method = ''] = failed.split(' ')
        if (WRITES.has(method)) await expectHonest(change, at, 'unanswered')
      }
    },
    120_000,
  )
})
