import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startConsole, type ConsoleHost } from './setup.ts'
import { copyTextOf, credentialsOf, textOf } from './markup.ts'

describe('creating an API key', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterEach(() => host.close())

  it('the secret is shown once and works, and the operations that were not ticked are rejected', async () => {
    const visitor = host.visit('acme')
    const page = await visitor.open('/console/api-keys/new')
    const created = await visitor.submit(page, 'create', {
      name: 'Nightly export',
      product: ['invoices'],
      operation: ['invoices invoices:read'],
    })
    expect(created.status).toBe(200)
    expect(created.headers.get('cache-control')).toBe('no-store')
    const credentials = credentialsOf(created)
    expect(await host.gatehouse.apiKeys.find(credentials.client_id)).toMatchObject({
      accountId: 'acme',
      name: 'Nightly export',
      products: ['invoices'],
      removedOperations: ['invoices:create'],
    })
    const { status, body } = await host.requestDirectToken(credentials)
    expect(status).toBe(200)
    expect(body['scope']).toBe('invoices:read')
    const accessToken = String(body['access_token'])
    expect((await host.call('GET /invoices/list', accessToken)).status).toBe(200)
    expect((await host.call('POST /invoices/create', accessToken)).status).toBe(403)
    const { items } = await host.gatehouse.audit.list({ clientId: credentials.client_id })
    expect(items.at(-1)).toMatchObject({ name: 'client.created', actor: 'acme' })
  })
})

describe('the form for a new client', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterEach(() => host.close())

  const keysOfAcme = async () => (await host.gatehouse.apiKeys.listByOwner('acme')).items

  it('a shell that runs the lines of the page gets a token, and calls the API with it', async () => {
    const visitor = host.visit('acme')
    const page = await visitor.open('/console/api-keys/new')
    const created = await visitor.submit(page, 'create', { name: 'Export', product: ['payments'] })
    const lines = `${copyTextOf(created, 'token-command')}\n${copyTextOf(created, 'call-command')}`
    expect(lines).toContain(`${host.audience}/payments/list`)
    const { client_secret: secret } = credentialsOf(created)
    expect(lines).not.toContain(secret)
    const running = promisify(execFile)('sh', ['-c', lines])
    running.child.stdin?.end(`${secret}\n`)
    const { stdout } = await running
    expect(stdout).toMatch(/^Client secret: \n\{"access_token":/)
    expect(stdout).toContain('HTTP/1.1 200 OK')
    expect(stdout.endsWith('\n')).toBe(true)
    expect(stdout).toContain('"reached":"/api/payments/list"')
  })

  it('a form without a ticked product is shown again with its values, and creates nothing', async () => {
    const visitor = host.visit('acme')
    for (const base of ['api-keys', 'applications']) {
      const page = await visitor.open(`/console/${base}/new`)
      expect(page.body).not.toContain('Tick at least one product.')
      const rejected = await visitor.submit(page, 'create', {
        name: 'Empty',
        operation: ['invoices invoices:read'],
      })
      expect(rejected.status).toBe(422)
      const [alert = ''] = /<div class="notice bad" role="alert"[^]*?<\/div>/.exec(rejected.body) ?? []
      expect(alert).toContain('href="#products"')
      expect(textOf(alert)).toBe(
        'Nothing was saved Products : Tick at least one product. Operations count only if their product is ticked.',
      )
      expect(rejected.body).toMatch(/<fieldset id="products" aria-describedby="products-problem"/)
      expect(rejected.body).toMatch(/id="products-problem"><span>Tick at least one product\./)
      expect(rejected.body).toContain('value="Empty"')
      expect(rejected.body).toMatch(/value="invoices invoices:read"\s+checked/)
      expect(rejected.body).not.toMatch(/value="invoices invoices:create"\s+checked/)
      expect((await visitor.submit(rejected, 'create', { product: ['invoices'] })).status).toBe(200)
    }
    expect(await keysOfAcme()).toMatchObject([{ name: 'Empty', products: ['invoices'] }])
    expect((await host.gatehouse.applications.listByOwner('acme')).items).toHaveLength(1)
  })

  it('an operation of two products is removed if its box is empty in one of them', async () => {
    await host.close()
    const read = { route: 'GET /items/list', title: 'Read items' } as const
    host = await startConsole({
      store: memoryStore(),
      gatehouse: {
        products: {
          one: { title: 'One', operations: { 'items:read': read } },
          two: { title: 'Two', operations: { 'items:read': read } },
        },
      },
    })
    const visitor = host.visit('acme')
    await visitor.submit(await visitor.open('/console/api-keys/new'), 'create', {
      name: 'Both',
      product: ['one', 'two'],
      operation: ['one items:read'],
    })
    expect(await keysOfAcme()).toMatchObject([{ removedOperations: ['items:read'] }])
  })

  it('a rejected form is shown again with its values, and nothing is created', async () => {
    const visitor = host.visit('acme')
    const page = await visitor.open('/console/applications/new')
    const rejected = await visitor.submit(page, 'create', {
      name: ' ',
      product: ['invoices'],
      operation: ['invoices invoices:read'],
      redirectUris: '\r\nhttps://example.com/*\r\n\r\nhttp://example.com/',
    })
    // The line break after the tag does not count, so the first line that the browser shows is empty.
    expect(rejected.body).toMatch(/<textarea[^>]*>\n\r\nhttps:/)
    const [, problem = ''] = /id="redirectUris-problem"[^>]*>([^]*?)<\/p/.exec(rejected.body) ?? []
    expect(textOf(problem)).toMatch(/^Line 2: .*wildcard.* Line 4: .*https/)
    expect(textOf(rejected.body)).toMatch(
      /Redirect URIs, line 2 : .*wildcard.* Redirect URIs, line 4 : .*https/,
    )
    expect(rejected.status).toBe(422)
    expect(rejected.body).toContain('must not be empty')
    expect(rejected.body).toContain('must not have a wildcard')
    expect(rejected.body).toMatch(/value="invoices"\s+checked/)
    expect(rejected.body).not.toMatch(/value="payments"\s+checked/)
    expect(rejected.body).not.toMatch(/value="invoices invoices:create"\s+checked/)
    expect((await host.gatehouse.applications.listByOwner('acme')).items).toEqual([])

    const created = await visitor.submit(rejected, 'create', {
      name: 'Ledger',
      redirectUris: 'https://example.com/callback\r\n\r\nhttp://localhost:3000/callback\r\n',
    })
    expect(created.status).toBe(200)
    expect((await host.gatehouse.applications.listByOwner('acme')).items).toMatchObject([
      {
        clientId: credentialsOf(created).client_id,
        name: 'Ledger',
        products: ['invoices'],
        removedOperations: ['invoices:create'],
        redirectUris: ['https://example.com/callback', 'http://localhost:3000/callback'],
      },
    ])
  })
})
