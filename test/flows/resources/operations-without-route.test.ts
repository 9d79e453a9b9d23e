import { afterAll, beforeAll, expect, it } from 'vitest'
import { createManagementApi } from '../../../src/management.ts'
import { createConsole } from '../../../src/console.ts'
import { findApiDrift, openApiOf } from '../../../src/openapi.ts'
import { products } from '../../fixtures/products.ts'
import { connect, authorize } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

const PRODUCTS = {
  ...products,
  assistant: {
    title: 'Assistant',
    operations: { 'reminders:send': { title: 'Send reminders', kycLevel: 'basic', sensitive: true } },
  },
} as const

const textOf = (body: string) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describeEachStore('an operation without a route', (makeStore) => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({
      store: makeStore(),
      gatehouse: { products: PRODUCTS },
      mount(app, gatehouse) {
        app.use(createManagementApi(gatehouse))
        app.use(createConsole(gatehouse))
      },
    })
  })
  afterAll(() => host.close())

  it('is in the tokens of an API key with its product, and no request of the API matches it', async () => {
    const key = await host.createApiKey(['assistant', 'payments'])
    const { body } = await host.requestDirectToken(key)
    expect(body['scope']).toBe('payments:list payments:transfer reminders:send')
    const token = String(body['access_token'])
    for (const target of ['POST /', 'GET /reminders:send', 'POST /reminders/send', 'POST /assistant']) {
      expect((await host.call(target, token)).status).toBe(404)
    }
    const { headers } = new Request(host.origin, { headers: { authorization: `Bearer ${token}` } })
    const outcome = await host.gatehouse.gateway.authenticate(
      { url: '/mcp', headers },
      { scope: 'reminders:send' },
    )
    expect(outcome).toMatchObject({ ok: true, scope: 'reminders:send' })
  })

  it('is approved, remembered and denied on the consent page, and needs its KYC level', async () => {
    const application = await host.createApplication({ products: ['assistant'] })
    const { browser } = host.visit('alice')
    const parameters = { scope: 'reminders:send' }
    const { pages } = await authorize(host, application.client_id, { browser, parameters, deny: true })
    expect(textOf(pages[0]?.body ?? '')).toContain('Send reminders')
    const tokens = await connect(host, application, { browser, parameters })
    expect(tokens.scope).toBe('reminders:send')
    const connected = await host.visit('alice').open('/console/connected-applications')
    expect(textOf(connected.body)).toContain('Send reminders')

    host.accounts.set('acme', { id: 'acme', kycLevel: 'none' })
    const { callback } = await authorize(host, application.client_id, { browser, parameters })
    expect(callback.searchParams.get('error')).toBe('unauthorized_client')
    host.accounts.set('acme', { id: 'acme', kycLevel: 'verified' })
  })

  it('a client can lose it and get it back, and losing it revokes its tokens', async () => {
    const key = await host.createApiKey(['assistant'])
    const token = async () => String((await host.requestDirectToken(key)).body['access_token'])
    const accepts = async (accessToken: string) => {
      const call = { headers: { authorization: `Bearer ${accessToken}` } }
      return (await host.gatehouse.gateway.authenticate(call, { scope: 'reminders:send' })).ok
    }
    const first = await token()
    expect(await accepts(first)).toBe(true)
    await host.gatehouse.apiKeys.removeOperation(key.client_id, 'reminders:send')
    expect(await accepts(first)).toBe(false)
    await host.gatehouse.apiKeys.restoreOperation(key.client_id, 'reminders:send')
    expect(await accepts(await token())).toBe(true)
  })

  it('the console shows it in the guide and in the token inspector', async () => {
    const key = await host.createApiKey(['assistant'])
    const { open, submit } = host.visit('acme')
    const guide = await open(`/console/api-keys/${key.client_id}/guide`)
    expect(guide.status).toBe(200)
    expect(textOf(guide.body)).toMatch(/Send reminders no address of its own/)
    const { body } = await host.requestDirectToken(key)
    const token = String(body['access_token'])
    const inspected = await submit(await open('/console/token-inspector'), 'inspect', { token })
    expect(textOf(inspected.body)).toMatch(/Send reminders reminders:send no address of its own/)
    const client = await open(`/console/api-keys/${key.client_id}`)
    expect(textOf(client.body)).toContain('Send reminders')
  })

  it('the catalog of the management API lists it without routes, as the document says', async () => {
    const { browser } = host.visit('acme')
    const answer = await browser.open(`${host.origin}/account/api/catalog`)
    expect(answer.status).toBe(200)
    const body = JSON.parse(answer.body) as { products: { id: string; operations: object[] }[] }
    expect(body.products.find(({ id }) => id === 'assistant')?.operations).toEqual([
      {
        title: 'Send reminders',
        scope: 'reminders:send',
        routes: [],
        kycLevel: 'basic',
        sensitive: true,
        available: true,
      },
    ])
  })

  it('the OpenAPI document of the API names its scope, but no path, and it is no drift', async () => {
    const document = await openApiOf(host.gatehouse)
    expect(JSON.stringify(document['paths'])).not.toContain('reminders:send')
    expect(JSON.stringify(document['components'])).toContain('"reminders:send":"Send reminders"')
    expect(await findApiDrift(host.gatehouse, { document })).toEqual({
      withoutOperation: [],
      withoutRoute: [],
    })
  })
})
