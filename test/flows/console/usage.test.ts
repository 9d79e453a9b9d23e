import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createUsage, type Usage } from '../../../src/usage.ts'
import { createConsole } from '../../../src/console.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const DAY_MS = 86_400_000
const NOON = Date.parse('2026-03-10T12:30:00Z')

/** Without the clock of the store, the test decides about the time. */
function withoutClock(store: Store): Store {
  const copy = { ...store }
  delete copy.inspect
  return copy
}

describe('the pages about usage', () => {
  let host: ConsoleHost
  let usage: Usage
  afterEach(async () => {
    await host.close()
    vi.useRealTimers()
  })

  async function start(store = memoryStore()): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    await startAgain(store)
  }
  async function startAgain(store: Store): Promise<void> {
    host = await startConsole({
      store: withoutClock(store),
      gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(createConsole(gatehouse, { usage }))
      },
    })
  }

  async function callAs(key: { client_id: string; client_secret: string }, ...targets: readonly string[]) {
    const { body } = await host.requestDirectToken(key)
    for (const target of targets) await host.call(target, String(body['access_token']))
    await usage.flush()
  }

  it('the page of a client shows its calls, and what to do about those that were rejected', async () => {
    await start()
    const [key, other] = [await host.createApiKey(['invoices']), await host.createApiKey(['payments'])]
    await callAs(key, 'GET /invoices/list', 'GET /invoices/list', 'GET /payments/list')
    await callAs(other, 'GET /payments/list')
    const { open } = host.visit('acme')
    const client = await open(`/console/api-keys/${key.client_id}`)
    expect(client.body).toContain(`/console/api-keys/${key.client_id}/usage"`)
    const { body, status } = await open(`/console/api-keys/${key.client_id}/usage`)
    expect(status).toBe(200)
    expect(body).toContain('4 calls')
    expect(body).toMatch(/Successful:\s+3/)
    expect(body).toMatch(/Rejected:\s+1/)
    expect(body).toMatch(/<rect class="successful"/)
    expect(body).toContain('Add the operation to the client, or stop calling it.')
    const account = (await open('/console/usage')).body
    expect(account).toContain('6 calls')
    expect(account).toContain(`/console/api-keys/${other.client_id}/usage"`)
    const all = (await host.visit('root').open('/console/operator/usage')).body
    expect(all).toContain('6 calls')
    expect(all).toContain(`/console/operator/clients/${key.client_id}/usage"`)
    expect(
      (await host.visit('root').open(`/console/operator/clients/${key.client_id}/usage`)).body,
    ).toContain('4 calls')
  })

  it('a button removes the operations that an API key has not called for 90 days, and no others', async () => {
    const store = memoryStore()
    await start(store)
    const key = await host.createApiKey()
    await callAs(key, 'POST /invoices/create')
    expect((await host.visit('acme').open('/console/hygiene/operations')).body).toContain(
      'Usage is known for less than 90 days.',
    )
    await host.close()
    vi.setSystemTime(NOON + 91 * DAY_MS)
    await startAgain(store)
    await callAs(key, 'GET /invoices/list')
    const { open, submit } = host.visit('acme')
    const page = await open('/console/hygiene/operations')
    expect(page.body).toContain('Remove 3 operations')
    // It is called after the page was shown.
    await callAs(key, 'GET /payments/list')
    const done = await submit(page, 'removeOperations')
    expect(done.body).toContain('The operations were removed.')
    const { removedOperations } = (await host.gatehouse.apiKeys.find(key.client_id)) ?? {}
    expect(removedOperations).toEqual(['invoices:create', 'payments:transfer'])
    expect((await open('/console/hygiene/operations')).body).toContain('Every operation was called.')
    expect((await open('/console/hygiene')).body).toContain('/console/hygiene/operations')
  })

  it('without the option `usage`, the console has no page and no link about usage', async () => {
    host = await startConsole({ store: memoryStore(), console: { usage: undefined, limits: undefined } })
    const key = await host.createApiKey()
    const { open, get } = host.visit('acme')
    expect((await get('/console/usage')).status).toBe(404)
    for (const path of ['', `/api-keys/${key.client_id}`, '/hygiene'])
      expect((await open(`/console${path}`)).body).not.toMatch(/usage|operations"/)
    expect((await host.visit('root').open('/console/operator')).body).not.toContain('/operator/usage')
  })
})
