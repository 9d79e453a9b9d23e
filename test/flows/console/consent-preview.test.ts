import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { formsOf } from '../../support/browser.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const pathOf = (clientId: string) => `/console/applications/${clientId}/preview`

describe('the preview of the consent page in the console', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  it('the page shows the consent page in a frame of its own origin, without scripts and forms', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const visitor = host.visit('acme')
    const { body, headers } = await visitor.open(pathOf(client_id))
    expect(body).toMatch(
      new RegExp(`<iframe\\s+sandbox\\s+src="${pathOf(client_id)}/frame"\\s+title="Consent page of Ledger"`),
    )
    expect(headers.get('content-security-policy')).toContain(`frame-src 'self'`)
    expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
  })

  it('the frame has the consent page with the account of the viewer, and decides nothing', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const page = await host.visit('acme').open(`${pathOf(client_id)}/frame`)
    expect(page.status).toBe(200)
    expect(page.body).toContain('<title>Preview: Ledger wants access')
    expect(page.body).toContain('Move money')
    expect(textOf(page.body)).toMatch(/by Acme Ltd[^]*Signed in as Acme Ltd/)
    expect(textOf(page.body)).toContain('You will be sent back to http://localhost:9')
    expect(page.body).not.toMatch(/method="post"|\/interaction\/|autofocus/i)
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'none'`)
    expect(page.body).not.toContain('class="gatehouse"')
    expect(page.body).not.toContain('name="csrf"')
    expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors 'self'`)
    expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(formsOf(page).every(({ method }) => method === 'GET')).toBe(true)
    expect(await host.gatehouse.grants.list({ accountId: 'acme' })).toMatchObject({ items: [] })
  })

  it('the preview leaves out the operations that the developer may not request', async () => {
    const { client_id } = await host.createApplication({ accountId: 'alice' })
    const visitor = host.visit('alice')
    const { body } = await visitor.open(`${pathOf(client_id)}/frame`)
    expect(body).toContain('Read your invoices')
    expect(body).not.toContain('Move money')
    expect(textOf((await visitor.open(pathOf(client_id))).body)).toContain(
      'Not shown: Move money . Your account has the level “ basic ”; it needs “ verified ”.',
    )
    const german = await visitor.get(pathOf(client_id), { 'accept-language': 'de' })
    expect(textOf(german.body)).toContain('Ihr Konto hat die Stufe „ basic “; nötig ist „ verified “.')
  })

  it('the page says why users do not see the consent page yet', async () => {
    const { client_id } = await host.createApplication({ redirectUris: [], products: [] })
    await host.gatehouse.applications.disable(client_id)
    const visitor = host.visit('acme')
    const { body } = await visitor.open(pathOf(client_id))
    for (const reason of ['there is no redirect URI', 'has no product yet', 'The application is disabled']) {
      expect(body).toContain(reason)
    }
    expect((await visitor.open(`${pathOf(client_id)}/frame`)).status).toBe(200)
  })
})
