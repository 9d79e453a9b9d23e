import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { credentialsOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400

describe('the key of a gateway in the console', () => {
  let host: ConsoleHost
  let clientId: string
  beforeAll(async () => {
    // Without a policy, a key that never expires needs attention.
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())
  beforeEach(async () => {
    const { apiKeys } = host.gatehouse
    for (const key of (await apiKeys.listByOwner('acme')).items) await apiKeys.delete(key.clientId)
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Edge', resourceServer: true })
    clientId = apiKey.clientId
  })

  const read = async (path: string, person = 'acme') =>
    (await host.visit(person).open(`/console${path}`)).body
  const text = async (path: string, person?: string) => textOf(await read(path, person))

  it('lists, the overview and operators call it a gateway, and no page proposes a product or an expiry', async () => {
    for (const [path, person] of [
      ['/', 'acme'],
      ['/api-keys', 'acme'],
      [`/api-keys/${clientId}`, 'acme'],
      ['/operator/accounts/acme', 'root'],
      [`/operator/clients/${clientId}`, 'root'],
    ] as const) {
      const shown = await text(path, person)
      expect(shown, path).toMatch(/Edge[^]*?Gateway/)
      expect(shown, path).not.toMatch(/No product yet|until it has a product/)
    }
    const page = await read(`/api-keys/${clientId}`)
    expect(textOf(page)).toContain('A gateway in another process reads revocations with this key.')
    expect(page).not.toMatch(/key_[\w-]+\/(guide|access|usage)"/)
    expect(await read(`/api-keys/${clientId}/restrictions`)).not.toMatch(/id="expiry"|id="limits"/)
    const access = await host.visit('acme').get(`/console/api-keys/${clientId}/access`)
    expect(access.status).toBe(404)
    expect(await text(`/operator/clients/${clientId}`, 'root')).toContain('It needs no tokens.')
    expect(await text(`/api-keys/${clientId}/guide`)).not.toContain('Add a product')
    for (const [path, person] of [
      ['/hygiene', 'acme'],
      ['/operator/hygiene', 'root'],
    ] as const) {
      expect(await text(path, person)).toContain('Nothing needs attention.')
    }
  })

  it('its page says what it is for, for which resources, and when its gateway was last seen, and offers nothing that needs a token', async () => {
    const { apiKeys } = host.gatehouse
    const page = await read(`/api-keys/${clientId}`)
    expect(textOf(page)).toMatch(
      /May introspect tokens for\s+all resources\s+Gateway last seen\s+never\s+Expiry\s+never/,
    )
    expect(page).not.toMatch(/key_\S+\/usage"|What it may call|Last token|Call limits/)
    const resources = [host.audience]
    const input = { accountId: 'acme', name: 'MCP', resourceServer: true, resources } as const
    const { apiKey, clientSecret } = await apiKeys.create(input)
    const basic = Buffer.from(`${apiKey.clientId}:${clientSecret}`).toString('base64')
    await fetch(`${host.issuer}/oauth2/revocations`, { headers: { authorization: `Basic ${basic}` } })
    const seen = [
      [`/api-keys/${apiKey.clientId}`, 'acme'],
      [`/operator/clients/${apiKey.clientId}`, 'root'],
    ] as const
    for (const [path, person] of seen) {
      await vi.waitFor(async () =>
        expect(await text(path, person)).toMatch(
          /introspect tokens for\s+\S+\/api\s+Gateway last seen\s+within the last hour/,
        ),
      )
    }
  })

  it('what disables, reports and deletes it speaks of its gateway, because it has no tokens', async () => {
    const input = { accountId: 'root', name: 'Edge', resourceServer: true } as const
    const { apiKey } = await host.gatehouse.apiKeys.create(input)
    const own = `/api-keys/${apiKey.clientId}`
    const operators = `/operator/clients/${apiKey.clientId}`
    const stops = ['/settings', '/secrets', '/settings?confirm=disable', '/report-compromised'].map(
      (below) => own + below,
    )
    const ofOperators = ['/settings', '/secrets?confirm=reportCompromised'].map((below) => operators + below)
    for (const path of [...stops, ...ofOperators, `${own}/delete`]) {
      const shown = (await text(path, 'root')).replaceAll('It needs no tokens.', '')
      expect(shown, path).not.toMatch(/\btokens?\b/)
      if (!path.endsWith('/delete'))
        expect(shown, path).toContain('Its gateway receives no revocations until it has a valid key.')
    }
    const visitor = host.visit('root')
    const done = await visitor.submit(await visitor.open(`/console${own}`), 'disable')
    expect(textOf(done.body)).toContain('It is disabled.')
    for (const path of [own, `${own}/settings`, `${operators}/settings`])
      expect(await text(path, 'root'), path).not.toMatch(/gets no tokens|tokens again|Its tokens/)
  })

  it('it is still called a gateway when it is disabled, and is found by its state', async () => {
    for (const each of 'abcdef') await host.gatehouse.apiKeys.create({ accountId: 'acme', name: each })
    expect(await text('/api-keys?state=gateway')).toContain('Edge')
    expect(await text('/api-keys?state=no-product')).not.toContain('Edge')
    await host.gatehouse.apiKeys.disable(clientId)
    expect(await text(`/api-keys/${clientId}`)).toMatch(/Edge\s+Gateway\s+Disabled/)
    expect(await text('/api-keys?state=disabled')).toMatch(/Edge\s+Gateway[^]*?Disabled/)
    expect(await text('/applications?state=disabled')).not.toContain('Gateway')
  })

  it('an operator removes an expiry that is near, and its owner sees no button', async () => {
    const { apiKeys } = host.gatehouse
    await apiKeys.update(clientId, { expiresAt: inDays(10) })
    const seen = await read('/hygiene')
    expect(textOf(seen)).toContain('It expires in')
    expect(seen).not.toContain('Remove the expiry')
    const visitor = host.visit('root')
    const page = await visitor.open('/console/operator/hygiene')
    expect(page.body).toContain('Remove the expiry')
    await visitor.submit(page, 'fix')
    expect((await apiKeys.find(clientId))?.expiresAt).toBeUndefined()
  })
})

describe('the expiry of the key of a gateway in the console, under a policy', () => {
  it('is removed on its page, although the policy requires an expiry', async () => {
    const gatehouse = { keyPolicy: { maxAgeDays: 30, required: true } }
    const host = await startConsole({ store: memoryStore(), gatehouse })
    try {
      const { apiKeys } = host.gatehouse
      const input = { accountId: 'root', name: 'Edge', resourceServer: true, expiresAt: inDays(400) } as const
      const { clientId } = (await apiKeys.create(input)).apiKey
      const visitor = host.visit('root')
      const page = await visitor.open(`/console/api-keys/${clientId}/restrictions`)
      expect(textOf(page.body)).not.toContain('longer than this service allows')
      const saved = await visitor.submit(page, 'restrict', { expiry: '' })
      expect(textOf(saved.body)).toContain('The settings are saved')
      expect((await apiKeys.find(clientId))?.expiresAt).toBeUndefined()
    } finally {
      await host.close()
    }
  })
})

describe('the form for the key of a gateway', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    const resources = { 'https://example.com/mcp': { products: ['invoices'], title: 'MCP' } }
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { keyPolicy: { maxAgeDays: 30 }, resources },
      accounts: { can: (ctx, permission) => ctx.get('denied') !== permission },
    })
  })
  afterAll(() => host.close())

  it('an operator creates a key that never expires, for the chosen resources, and its secret works', async () => {
    const visitor = host.visit('root/rita')
    const other = await visitor.open('/console/api-keys/new')
    expect(other.body).toContain('/console/api-keys/new-gateway"')
    const form = await visitor.open('/console/api-keys/new-gateway')
    expect(textOf(form.body)).toContain(`${host.audience} https://example.com/mcp`)
    const none = await visitor.submit(form, 'create', { name: 'Edge', resources: '' })
    expect([none.status, textOf(none.body)]).toEqual([
      422,
      expect.stringContaining('May introspect tokens for : must not be empty'),
    ])
    expect(none.body).toContain('value="Edge"')
    const shown = await visitor.submit(form, 'create', { name: 'Edge', resources: host.audience })
    const { client_id: clientId, client_secret: secret } = credentialsOf(shown)
    // A form that is sent twice creates one key.
    expect(
      credentialsOf(await visitor.submit(form, 'create', { name: 'Edge', resources: host.audience })),
    ).toEqual({
      client_id: clientId,
      client_secret: secret,
    })
    const [key, ...others] = (await host.gatehouse.apiKeys.listByOwner('root')).items
    expect(others).toEqual([])
    expect(key).toMatchObject({
      clientId,
      resourceServer: true,
      resources: [host.audience],
      createdBy: 'rita',
    })
    expect(key).not.toHaveProperty('expiresAt')
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    const feed = await fetch(`${host.issuer}/oauth2/revocations`, { headers: { authorization } })
    expect(feed.status).toBe(200)

    await visitor.submit(await visitor.open('/console/api-keys/new-gateway'), 'create', {
      name: 'Everywhere',
    })
    const found = (await host.gatehouse.apiKeys.listByOwner('root', { name: 'Everywhere' })).items
    expect(found).toMatchObject([{ resourceServer: true }])
    expect(found[0]).not.toHaveProperty('resources')
  })

  it('no other member gets the form or its button, and a form that is sent without the right creates nothing', async () => {
    const visitor = host.visit('acme')
    expect((await visitor.open('/console/api-keys/new')).body).not.toContain('new-gateway')
    expect((await visitor.open('/console/api-keys/new-gateway')).status).toBe(403)
    const operator = host.visit('root')
    const form = await operator.open('/console/api-keys/new-gateway')
    const sent = await operator.submit(form, 'create', { name: 'Denied' }, { denied: 'keys:create' })
    expect(sent.status).toBe(403)
    expect((await host.gatehouse.apiKeys.listByOwner('root', { name: 'Denied' })).items).toEqual([])
  })
})
