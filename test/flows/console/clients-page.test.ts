import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { products } from '../../fixtures/products.ts'
import { credentialsOf, panelOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('the page of an API key', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterEach(() => host.close())

  /** Creates a key of acme, and opens its page. */
  async function openKey(products = ['invoices']) {
    const key = await host.createApiKey(products)
    const path = `/console/api-keys/${key.client_id}`
    const visitor = host.visit('acme')
    const tokenOf = async (client = key) =>
      String((await host.requestDirectToken(client)).body['access_token'])
    const read = async (token: string) => (await host.call('GET /invoices/list', token)).status
    const open = (part: string) => visitor.open(path + part)
    return { key, path, visitor, page: await open(''), open, tokenOf, read }
  }

  it('an operation and a product that are removed end the tokens, and come back with the next token', async () => {
    const { key, visitor, page, tokenOf, read } = await openKey()
    const before = await tokenOf()
    const removed = await visitor.submit(page, 'removeOperation', { operation: 'invoices:read' })
    expect(removed.status).toBe(200)
    expect(textOf(removed.body)).toContain(
      'The operation is removed. Tokens issued so far no longer work. Programs then need a new token; most get one by themselves after a 401.',
    )
    expect(textOf(panelOf(removed, 'access'))).toContain('GET /invoices/:id Removed Restore')
    expect(await read(before)).toBe(401)
    expect(await read(await tokenOf())).toBe(403)

    const restored = await visitor.submit(removed, 'restoreOperation', { operation: 'invoices:read' })
    expect(textOf(panelOf(restored, 'access'))).toContain('GET /invoices/:id Allowed Remove')
    const after = await tokenOf()
    expect(await read(after)).toBe(200)

    const without = await visitor.submit(restored, 'removeProduct', { product: 'invoices' })
    expect(textOf(without.body)).toContain('No product yet')
    expect(await read(after)).toBe(401)
    const added = await visitor.submit(without, 'addProduct', { product: 'invoices' })
    expect(textOf(added.body)).toContain('The product is added.')
    expect(await read(await tokenOf())).toBe(200)
    expect(await host.gatehouse.apiKeys.find(key.client_id)).toMatchObject({
      products: ['invoices'],
      removedOperations: [],
    })
  })

  it('a rotation shows the new secret, and the old secret works until it expires or is revoked', async () => {
    const { key, path, visitor } = await openKey()
    const page = await visitor.open(`${path}/secrets?confirm=rotateSecret`)
    const rotated = await visitor.submit(page, 'rotateSecret', { overlap: 'hour' })
    expect(rotated.status).toBe(200)
    const next = credentialsOf(rotated)
    expect(next.client_id).toBe(key.client_id)
    expect(rotated.body).toContain('The old secret works until')
    expect(credentialsOf(await visitor.submit(page, 'rotateSecret', { overlap: 'hour' }))).toEqual(next)
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toHaveLength(2)
    expect((await visitor.open(`${path}/secrets`)).body).toContain('No program has used the new secret yet.')
    expect((await host.requestDirectToken(key)).status).toBe(200)
    expect((await host.requestDirectToken(next)).status).toBe(200)

    const both = await visitor.open(`${path}/secrets`)
    expect(panelOf(both, 'secrets')).not.toContain(next.client_secret)
    const conflict = await visitor.submit(page, 'rotateSecret', { overlap: 'hour', request: 'another' })
    expect(conflict.status).toBe(422)
    expect(conflict.body).toContain('It was changed meanwhile')
    const done = await visitor.submit(both, 'revokeSecret', { which: 'old' })
    expect(textOf(done.body)).toContain('The old secret is revoked.')
    expect((await host.requestDirectToken(key)).status).toBe(401)
    expect((await host.requestDirectToken(next)).status).toBe(200)
  })

  it('a rotation is undone once, and a form from an old tab revokes no other secret', async () => {
    const { key, path, visitor, page, open } = await openKey()
    const next = credentialsOf(await visitor.submit(page, 'rotateSecret', { overlap: 'week' }))
    const both = await open('/secrets')
    const undo = await visitor.open(
      `${path}/secrets?confirm=revokeSecret&${/which=new[^"]*/.exec(both.body)?.[0].replaceAll('&amp;', '&')}`,
    )
    for (let time = 0; time < 2; time += 1) {
      expect((await visitor.submit(undo, 'revokeSecret')).status).toBe(200)
      expect((await host.requestDirectToken(key)).status).toBe(200)
      expect((await host.requestDirectToken(next)).status).toBe(401)
    }
    const [secret, ...others] = await host.gatehouse.apiKeys.listSecrets(key.client_id)
    expect(secret?.expiresAt).toBeUndefined()
    expect(others).toEqual([])
  })

  it('a key is deleted only if its name is typed, and then its pages are gone', async () => {
    const { key, path, visitor, open, tokenOf, read } = await openKey()
    const token = await tokenOf()
    const page = await open('/settings')
    const confirmation = await open('/delete')
    expect(confirmation.body).toContain('Nightly export')
    const wrong = await visitor.submit(confirmation, 'delete', { name: 'nightly export' })
    expect(wrong.status).toBe(422)
    expect(textOf(wrong.body)).toContain('Name : Type it exactly as it is shown.')
    // What is reversible has only an outline.
    expect(wrong.body).toContain('<button class="danger final">')
    expect((await open('/settings?confirm=disable')).body).toContain('<button class="danger">')
    expect(await read(token)).toBe(200)
    const deleted = await visitor.submit(wrong, 'delete', { name: ' Nightly export ' })
    expect(deleted.url.pathname).toBe('/console/api-keys')
    expect(textOf(deleted.body)).toContain('It is deleted')
    expect(await read(token)).toBe(401)
    expect(await host.gatehouse.apiKeys.find(key.client_id)).toBeUndefined()
    expect((await visitor.get(path)).status).toBe(404)
    // A form of a tab that was opened before.
    expect((await visitor.submit(page, 'disable')).status).toBe(404)
    expect((await visitor.submit(confirmation, 'delete', { name: 'Nightly export' })).status).toBe(404)
  })
})

describe('the page of a client', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterEach(() => host.close())

  const createKey = async (fields: object = {}) => {
    const { apiKey } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Nightly export',
      products: ['invoices'],
      ...fields,
    })
    return { apiKey, path: `/console/api-keys/${apiKey.clientId}` }
  }

  it('an application shows which operations need a higher KYC level, and keeps its users when a secret leaks', async () => {
    const application = await host.createApplication({ accountId: 'alice', products: ['payments'] })
    const path = `/console/applications/${application.client_id}`
    const visitor = host.visit('alice')
    const access = textOf(panelOf(await visitor.open(`${path}/access`), 'access'))
    expect(access).toContain('payments:list GET /payments/list Allowed')
    expect(access).toContain(
      'payments:transfer POST /payments/transfer Added, but users cannot be asked for it until the account has level “ verified ”.',
    )
    expect(access).toContain('Level too low')
    const removed = await visitor.submit(await visitor.open(path), 'removeOperation', {
      operation: 'payments:transfer',
    })
    expect(textOf(panelOf(removed, 'access'))).toContain(
      'Needs the level “ verified ”. The account has “ basic ”:',
    )
    expect((await visitor.open(`${path}/report-compromised`)).body).toContain('Users stay connected')
  })

  it('the name is changed, and a name that is not valid is shown again with its problem', async () => {
    const { apiKey, path } = await createKey()
    const visitor = host.visit('acme')
    const page = await visitor.open(path)
    const renamed = await visitor.submit(page, 'save', { name: ' Export <b> ' })
    expect(textOf(renamed.body)).toContain('The settings are saved.')
    expect(renamed.url.pathname).toBe(`${path}/settings`)
    expect(renamed.body).toContain('Export &lt;b&gt;')
    for (const name of ['a\u202eb', '']) {
      const rejected = await visitor.submit(renamed, 'save', { name })
      expect(rejected.status).toBe(422)
      expect(rejected.body).toContain('aria-invalid="true"')
    }
    expect(await host.gatehouse.apiKeys.find(apiKey.clientId)).toMatchObject({ name: 'Export <b>' })
  })

  it('a page asks before each action that stops programs, says what happens, and leads back, without a script', async () => {
    const { apiKey, path } = await createKey()
    const visitor = host.visit('acme')
    for (const [part, query, title, what] of [
      ['/settings', 'confirm=disable', 'Disable Nightly export', 'Its tokens stop working at once'],
      ['/access', 'confirm=removeProduct&product=invoices', 'Remove Invoices ?', 'All access tokens'],
      [
        '/access',
        'confirm=removeOperation&operation=invoices%3Aread',
        'Remove “ Read your invoices ”?',
        'All access tokens',
      ],
    ] as const) {
      const page = await visitor.open(path + part)
      expect(page.body).toContain(`href="${path}${part}?${query.replaceAll('&', '&amp;')}"`)
      // Older links lead to the page of the client.
      const { status, url, body } = await visitor.open(`${path}?${query}`)
      expect(url.pathname).toBe(path + part)
      expect(status).toBe(200)
      expect(textOf(body)).toContain(title)
      expect(textOf(body)).toContain(what)
      expect(body).toMatch(new RegExp(`href="${path}${part}"[^>]*>Cancel`))
    }
    expect(await host.gatehouse.apiKeys.find(apiKey.clientId)).toMatchObject({ disabled: false, epoch: 0 })
    expect((await visitor.get(`${path}?confirm=nothing`)).body).toContain('id="client-id"')
  })

  it('an operation whose product was removed in another tab counts as removed', async () => {
    const { apiKey, path } = await createKey()
    const visitor = host.visit('acme')
    const page = await visitor.open(`${path}/access`)
    await host.gatehouse.apiKeys.removeProduct(apiKey.clientId, 'invoices')
    expect((await visitor.submit(page, 'removeOperation', { operation: 'invoices:read' })).status).toBe(200)
    expect((await visitor.submit(page, 'removeProduct', { product: 'invoices' })).status).toBe(200)
    const invalid: [string, Record<string, string>][] = [
      ['removeOperation', { operation: 'nothing' }],
      ['restoreOperation', { operation: 'invoices:read' }],
      ['addProduct', { product: 'nothing' }],
      ['rotateSecret', { overlap: '5' }],
    ]
    for (const [action, fields] of invalid) {
      expect((await visitor.submit(page, action, fields)).status).toBe(422)
    }
  })

  it('a product that the catalog no longer has can be removed', async () => {
    const store = memoryStore()
    await host.close()
    host = await startConsole({ store })
    const { apiKey, path } = await createKey({ products: ['invoices', 'payments'] })
    const other = await startConsole({ store, gatehouse: { products: { invoices: products.invoices } } })
    const visitor = other.visit('acme')
    const page = await visitor.open(`${path}/access`)
    expect(textOf(panelOf(page, 'access'))).toContain('This product is no longer offered')
    await visitor.submit(page, 'removeProduct', { product: 'payments' })
    expect(await other.gatehouse.apiKeys.find(apiKey.clientId)).toMatchObject({ products: ['invoices'] })
    await other.close()
  })
})
