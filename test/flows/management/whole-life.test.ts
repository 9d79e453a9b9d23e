import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CALLBACK, connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { createClient, type Fields } from './client.ts'
import type { OpenApi } from './described.ts'
import { browserOf, request, startManagement, type ManagementHost } from './setup.ts'

interface Product {
  readonly operations: readonly { readonly scope: string; readonly sensitive: boolean }[]
}

/** The scopes of the operations that an answer marks as sensitive. */
const sensitiveIn = ({ products }: { readonly products: readonly Product[] }) =>
  products.flatMap(({ operations }) =>
    operations.filter(({ sensitive }) => sensitive).map(({ scope }) => scope),
  )

describeEachStore('the whole life of a client, through the management API', (makeStore) => {
  let host: ManagementHost
  /** Another process on the same store, with the same addresses behind a load balancer. */
  let other: ManagementHost
  let document: OpenApi
  /** A public key. */
  let key: object
  const called = new Set<string>()

  beforeAll(async () => {
    const data = `life ${Date.now()}`
    const { publicKey } = await generateKeyPair('ES256')
    const { x = '', y = '' } = await exportJWK(publicKey)
    key = { kty: 'EC', crv: 'P-256', x, y, kid: 'first' }
    host = await startManagement({ store: makeStore(data), gatehouse: { privateKeyJwt: true } })
    const { issuer, audience } = host
    other = await startManagement({
      store: makeStore(data),
      gatehouse: { issuer, audience, privateKeyJwt: true },
    })
    document = (await request(host, 'GET', '/openapi.json')).body
  })
  afterAll(() => Promise.all([host.close(), other.close()]))

  const clientFor = (person: string) => createClient(host, person, called)

  const getToken = async (client_id: string, client_secret = '') =>
    host.requestDirectToken({ client_id, client_secret })
  async function statusAt({ origin }: ManagementHost, target: string, token: unknown) {
    const [method = '', path = ''] = target.split(' ')
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${String(token)}` },
    })
    await response.text()
    return response.status
  }

  it('an API key is created, used, limited, rotated, reported compromised and deleted', async () => {
    const api = clientFor('acme')
    expect((await api.GET('/session')).data).toMatchObject({ accountId: 'acme', operator: false })
    const catalog = await api.GET('/catalog')
    expect(catalog.data?.products.map(({ id }: Fields) => id)).toEqual(['invoices', 'payments'])
    expect(sensitiveIn(catalog.data)).toEqual(['payments:transfer'])

    const created = await api.POST('/api-keys', { body: { name: 'Nightly export' } })
    const { apiKey, clientSecret } = created.data!
    const at = { params: { path: { clientId: apiKey.clientId } } }
    await api.PUT('/api-keys/{clientId}/products/{product}', {
      params: { path: { ...at.params.path, product: 'invoices' } },
    })
    const token = (await getToken(apiKey.clientId, clientSecret)).body['access_token']
    for (const process of [host, other])
      expect(await statusAt(process, 'GET /invoices/list', token)).toBe(200)

    // One operation is removed: 403 with a new token. Tokens issued before are rejected.
    const scope = { params: { path: { ...at.params.path, scope: 'invoices:read' } } }
    await api.DELETE('/api-keys/{clientId}/operations/{scope}', scope)
    expect(await statusAt(host, 'GET /invoices/list', token)).toBe(401)
    const limited = (await getToken(apiKey.clientId, clientSecret)).body['access_token']
    expect(await statusAt(host, 'GET /invoices/list', limited)).toBe(403)
    const preview = await api.GET('/api-keys/{clientId}/access', at)
    const operations = preview.data!.products.flatMap((product: Fields) => product.operations)
    expect(sensitiveIn(preview.data)).toEqual(['payments:transfer'])
    expect(operations.map(({ scope: name, callable, missing }: Fields) => [name, callable, missing])).toEqual(
      [
        ['invoices:read', false, ['operation']],
        ['invoices:create', true, []],
        ['payments:list', false, ['product']],
        ['payments:transfer', false, ['product']],
      ],
    )
    await api.PUT('/api-keys/{clientId}/operations/{scope}', scope)

    // Both secrets work after a rotation, and then only one.
    const rotated = await api.POST('/api-keys/{clientId}/secrets', { ...at, body: { overlapSeconds: 60 } })
    const newSecret = rotated.data!.clientSecret
    for (const secret of [clientSecret, newSecret]) {
      expect((await getToken(apiKey.clientId, secret)).status).toBe(200)
    }
    expect((await api.GET('/api-keys/{clientId}/secrets', at)).data?.items).toHaveLength(2)
    await api.DELETE('/api-keys/{clientId}/secrets/old', at)
    expect((await getToken(apiKey.clientId, clientSecret)).status).toBe(401)
    await api.POST('/api-keys/{clientId}/secrets', { ...at, body: {} })
    await api.DELETE('/api-keys/{clientId}/secrets/new', at)
    const last = await getToken(apiKey.clientId, newSecret)
    expect(last.status).toBe(200)

    // The secret leaked: every token is rejected in both processes.
    expect(await statusAt(other, 'GET /invoices/list', last.body['access_token'])).toBe(200)
    await api.POST('/api-keys/{clientId}/report-compromised', at)
    expect(await statusAt(host, 'GET /invoices/list', last.body['access_token'])).toBe(401)
    await until(async () =>
      expect(await statusAt(other, 'GET /invoices/list', last.body['access_token'])).toBe(401),
    )
    expect((await getToken(apiKey.clientId, newSecret)).status).toBe(401)

    const added = await api.POST('/api-keys/{clientId}/keys', { ...at, body: { key } })
    expect(added.data?.keys).toEqual(['first'])
    expect((await api.GET('/api-keys/{clientId}/keys', at)).data?.items).toMatchObject([
      { kid: 'first', kty: 'EC' },
    ])
    const ofKey = { params: { path: { ...at.params.path, kid: 'first' } } }
    expect((await api.DELETE('/api-keys/{clientId}/keys/{kid}', ofKey)).error).toMatchObject({
      code: 'ERR_ONE_SECRET',
    })
    await api.POST('/api-keys/{clientId}/secrets', { ...at, body: {} })
    expect((await api.DELETE('/api-keys/{clientId}/keys/{kid}', ofKey)).data?.keys).toBeUndefined()

    await api.PATCH('/api-keys/{clientId}', { ...at, body: { name: 'Old export' } })
    await api.POST('/api-keys/{clientId}/disable', at)
    await api.POST('/api-keys/{clientId}/enable', at)
    await api.DELETE('/api-keys/{clientId}/products/{product}', {
      params: { path: { ...at.params.path, product: 'invoices' } },
    })
    expect((await api.GET('/api-keys/{clientId}', at)).data).toMatchObject({
      name: 'Old export',
      products: [],
    })
    expect((await api.DELETE('/api-keys/{clientId}', at)).status).toBe(204)
    expect((await api.GET('/api-keys/{clientId}', at)).error).toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect((await api.GET('/api-keys', { params: { query: { limit: 10 } } })).data).toEqual({ items: [] })
  })

  it('an application is created, a user connects it, and disconnects it', async () => {
    const api = clientFor('acme')
    const created = await api.POST('/applications', {
      body: { name: 'Ledger', products: ['invoices'], redirectUris: [CALLBACK] },
    })
    const { application, clientSecret } = created.data!
    const { clientId } = application
    const at = { params: { path: { clientId } } }
    await api.PATCH('/applications/{clientId}', { ...at, body: { homepageUri: 'https://ledger.example/' } })
    expect((await api.GET('/applications/{clientId}', at)).data).toMatchObject({
      homepageUri: 'https://ledger.example/',
      redirectUris: [CALLBACK],
    })
    await api.PUT('/applications/{clientId}/products/{product}', {
      params: { path: { clientId, product: 'payments' } },
    })
    const preview = (await api.GET('/applications/{clientId}/access', at)).data!
    expect(preview.kycLevel).toBe('verified')
    expect(
      preview.products.every(({ operations }: Fields) =>
        operations.every(({ callable }: Fields) => callable),
      ),
    ).toBe(true)

    // Alice connects the partner.
    const browser = browserOf(host, 'alice')
    const client = { client_id: clientId, client_secret: clientSecret ?? '' }
    const tokens = await connect(host, client, { browser })
    expect(await statusAt(host, 'GET /invoices/list', tokens.access_token)).toBe(200)

    // Alice disconnects it.
    const alice = clientFor('alice')
    const { items } = (await alice.GET('/authorizations', { params: { query: {} } })).data!
    expect(items).toMatchObject([
      {
        clientId,
        accountId: 'alice',
        application: { name: 'Ledger', homepageUri: 'https://ledger.example/' },
      },
    ])
    const grant = { params: { path: { grantId: items[0]!.grantId } } }
    expect((await api.DELETE('/authorizations/{grantId}', grant)).error).toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    expect((await alice.DELETE('/authorizations/{grantId}', grant)).status).toBe(204)
    expect((await alice.GET('/authorizations')).data).toEqual({ items: [] })
    expect(await statusAt(host, 'GET /invoices/list', tokens.access_token)).toBe(401)
    expect((await host.refresh(client, tokens.refresh_token)).status).toBe(400)

    // Alice connects it twice more, and disconnects all of it at once. Another account disconnects nothing.
    const again = [await connect(host, client, { browser }), await connect(host, client, { browser })]
    const ofClient = { params: { query: { clientId } } }
    expect((await api.DELETE('/authorizations', ofClient)).data).toEqual({ grants: 0 })
    expect((await alice.DELETE('/authorizations', ofClient)).data?.grants).toBeGreaterThan(0)
    expect((await alice.DELETE('/authorizations', ofClient)).data).toEqual({ grants: 0 })
    expect((await alice.GET('/authorizations')).data).toEqual({ items: [] })
    for (const { access_token: token } of again) {
      expect(await statusAt(host, 'GET /invoices/list', token)).toBe(401)
    }

    const scope = { params: { path: { clientId, scope: 'invoices:read' } } }
    await api.DELETE('/applications/{clientId}/operations/{scope}', scope)
    await api.PUT('/applications/{clientId}/operations/{scope}', scope)
    await api.DELETE('/applications/{clientId}/products/{product}', {
      params: { path: { clientId, product: 'payments' } },
    })
    await api.POST('/applications/{clientId}/secrets', { ...at, body: {} })
    await api.DELETE('/applications/{clientId}/secrets/new', at)
    await api.DELETE('/applications/{clientId}/secrets/old', at)
    await api.GET('/applications/{clientId}/secrets', at)
    await api.POST('/applications/{clientId}/keys', { ...at, body: { key } })
    expect((await api.GET('/applications/{clientId}/keys', at)).data?.items).toMatchObject([{ kid: 'first' }])
    await api.DELETE('/applications/{clientId}/keys/{kid}', {
      params: { path: { clientId, kid: 'first' } },
    })
    await api.PUT('/applications/{clientId}/owner', { ...at, body: { userId: null } })
    await api.POST('/applications/{clientId}/disable', at)
    await api.POST('/applications/{clientId}/enable', at)
    await api.POST('/applications/{clientId}/report-compromised', at)
    await api.DELETE('/applications/{clientId}', at)
    expect((await api.GET('/applications')).data).toEqual({ items: [] })
  })

  it('an operator reads any client and account, and revokes everything of a client, a user and an account', async () => {
    const root = clientFor('root')
    expect((await root.GET('/session')).data?.operator).toBe(true)
    const keys = await Promise.all(
      ['acme/olga', 'acme/otto', 'acme'].map(async (person) => {
        const { data } = await clientFor(person).POST('/api-keys', {
          body: { name: person, products: ['invoices'] },
        })
        const { apiKey, clientSecret } = data!
        const getOne = async () =>
          String((await getToken(apiKey.clientId, clientSecret)).body['access_token'])
        return { clientId: apiKey.clientId, getOne, token: await getOne() }
      }),
    )
    const statuses = () => Promise.all(keys.map(({ token }) => statusAt(host, 'GET /invoices/list', token)))
    expect(await statuses()).toEqual([200, 200, 200])

    const account = { params: { path: { accountId: 'acme' } } }
    expect((await root.GET('/operator/accounts/{accountId}', account)).data).toEqual({
      accountId: 'acme',
      kycLevel: 'verified',
    })
    expect((await root.GET('/operator/accounts/{accountId}/api-keys', account)).data?.items).toHaveLength(3)
    const found = await root.GET('/operator/search', { params: { query: { text: 'acme' } } })
    expect(found.data?.accounts).toMatchObject([{ accountId: 'acme' }])
    expect((await root.GET('/operator/accounts/{accountId}/applications', account)).data).toEqual({
      items: [],
    })
    expect((await root.GET('/operator/accounts/{accountId}/authorizations', account)).data).toEqual({
      items: [],
    })

    // A host whose lookup of the user failed must not revoke the whole account.
    const unknownUser = { accountId: 'acme', userId: undefined } as unknown as { accountId: string }
    await expect(host.gatehouse.tokens.revokeAll(unknownUser)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    // The key stays the account's until it is given to the person who made it.
    const user = { params: { path: { accountId: 'acme', userId: 'olga' } } }
    const owned = { params: { path: { clientId: keys[0]!.clientId } } }
    expect(
      (await clientFor('acme/olga').PUT('/api-keys/{clientId}/owner', { ...owned, body: { userId: 'olga' } }))
        .data,
    ).toMatchObject({ userId: 'olga', createdBy: 'olga' })
    expect(await statuses()).toEqual([401, 200, 200])
    keys[0]!.token = await keys[0]!.getOne()
    expect(await statuses()).toEqual([200, 200, 200])
    expect((await root.POST('/operator/accounts/{accountId}/users/{userId}/revoke', user)).data).toEqual({
      clients: 1,
      grants: 0,
    })
    expect(await statuses()).toEqual([401, 200, 200])
    const client = { params: { path: { clientId: keys[1]!.clientId } } }
    expect((await root.GET('/operator/clients/{clientId}', client)).data).toMatchObject({
      kind: 'apiKey',
      createdBy: 'otto',
    })
    await root.POST('/operator/clients/{clientId}/revoke', client)
    expect(await statuses()).toEqual([401, 401, 200])
    await root.POST('/operator/accounts/{accountId}/revoke', account)
    expect(await statuses()).toEqual([401, 401, 401])

    // Revoked tokens are replaced by new ones. A client that is disabled, or whose secret leaked, gets none.
    const ofOlga = keys[0]!
    const ofClient = { params: { path: { clientId: ofOlga.clientId } } }
    expect(await ofOlga.getOne()).toMatch(/^ey/)
    expect((await root.POST('/operator/clients/{clientId}/disable', ofClient)).status).toBe(204)
    expect(await ofOlga.getOne()).toBe('undefined')
    await root.POST('/operator/clients/{clientId}/enable', ofClient)
    expect(await ofOlga.getOne()).toMatch(/^ey/)
    await root.POST('/operator/clients/{clientId}/report-compromised', ofClient)
    expect(await ofOlga.getOne()).toBe('undefined')

    const before = (await root.GET('/operator/signing-keys')).data!.items
    await root.POST('/operator/signing-keys/rotate')
    const current = (await root.GET('/operator/signing-keys')).data!.items.find(
      ({ alg, state }: Fields) => alg === 'ES256' && state === 'current',
    )
    expect(before.map(({ kid, state }: Fields) => [kid, state])).not.toContainEqual([current?.kid, 'current'])
    const token = await keys[2]!.getOne()
    expect(await statusAt(host, 'GET /invoices/list', token)).toBe(200)
    await root.POST('/operator/signing-keys/{kid}/revoke', { params: { path: { kid: current!.kid } } })
    expect(await statusAt(host, 'GET /invoices/list', token)).toBe(401)
    expect((await root.GET('/operator/health')).data?.ready).toBe(true)
  })

  it('an operator erases a user and an account: their keys are deleted, and the trail does not name them', async () => {
    const root = clientFor('root')
    const accountId = 'kepler-4410'
    const make = async (userId?: string) => {
      const key = { accountId, userId, name: 'Nina North', products: ['invoices'], address: '203.0.113.77' }
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create(key)
      return { clientId: apiKey.clientId, clientSecret }
    }
    const ofNina = await make('nina-8842')
    await make()
    const user = { params: { path: { accountId, userId: 'nina-8842' } } }
    const { data } = await root.POST('/operator/accounts/{accountId}/users/{userId}/erase', user)
    expect(data).toEqual({ clients: 1, grants: 0, entries: 2 })
    const ofOne = { params: { path: { clientId: ofNina.clientId } } }
    expect((await root.GET('/operator/clients/{clientId}', ofOne)).error).toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    expect((await getToken(ofNina.clientId, ofNina.clientSecret)).status).toBe(401)
    const account = { params: { path: { accountId } } }
    expect((await root.GET('/operator/accounts/{accountId}/api-keys', account)).data?.items).toHaveLength(1)

    const rest = await root.POST('/operator/accounts/{accountId}/erase', account)
    expect(rest.data).toMatchObject({ clients: 1, grants: 0 })
    const again = await root.POST('/operator/accounts/{accountId}/erase', account)
    expect(again.data).toEqual({ clients: 0, grants: 0, entries: 0 })
    const trail = (await root.GET('/operator/audit', { params: { query: { limit: 20 } } })).data!
    expect(trail.items.filter(({ name }: Fields) => name === 'account.erased')).toMatchObject([
      { actor: 'root' },
      { actor: 'root' },
      // Who acted on something of an erased account is erased too: it may be the person, under another name.
      { target: expect.stringMatching(/^[\w-]{43}$/), erased: true },
    ])
    expect(JSON.stringify(trail)).not.toMatch(/kepler-4410|nina-8842|Nina North|203\.0\.113\.77/)
    const forbidden = await clientFor('acme').POST('/operator/accounts/{accountId}/erase', account)
    expect(forbidden.error).toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('a leaked secret is found and revoked: by its owner, by an operator, and by no other account', async () => {
    const bob = clientFor('bob')
    const leak = async (person: string, secret: string) =>
      clientFor(person).POST('/secrets/report-leaked', {
        body: { secret, leakSource: 'commit', leakUrl: `https://code.example/?${secret.trim()}` },
      })
    for (const path of ['/api-keys', '/applications'] as const) {
      const { data } = await bob.POST(path, { body: { name: 'Leaky' } })
      const { clientSecret: secret = '' } = data!
      const { clientId, kind } = 'apiKey' in data! ? data.apiKey : data!.application
      expect((await leak('alice', secret)).error).toMatchObject({ code: 'ERR_NOT_FOUND' })
      expect((await leak('alice', `${secret}x`)).error).toMatchObject({ code: 'ERR_NOT_FOUND' })
      expect((await leak('bob', ` ${secret}`)).data).toEqual({ kind, clientId, wasValid: true })
      expect((await leak('bob', secret)).data).toEqual({ kind, clientId, wasValid: false })
      expect((await getToken(clientId, secret)).status).toBe(401)
      const { items } = (await bob.GET('/audit', { params: { query: { clientId } } })).data!
      expect(items[0]).toMatchObject({
        name: 'client.compromised',
        leakSource: 'commit',
        leakUrl: 'https://code.example/…',
      })
    }
    const { data } = await bob.POST('/api-keys', { body: { name: 'Leaky' } })
    const { clientSecret: secret = '' } = data!
    const byOperator = await clientFor('root').POST('/operator/secrets/report-leaked', { body: { secret } })
    expect(byOperator.data).toMatchObject({ kind: 'apiKey', wasValid: true })
    const wrong = await clientFor('bob').POST('/secrets/report-leaked', {
      body: { secret, leakUrl: 'x'.repeat(1001), colour: 1 },
    })
    expect(wrong.error).toMatchObject({
      code: 'ERR_INPUT',
      errors: [{ path: 'leakUrl' }, { path: 'colour' }],
    })
    expect(JSON.stringify(wrong.error)).not.toContain(secret)
  })

  it('what needs attention is listed for its owner and for operators, each client with what is wrong', async () => {
    const dora = clientFor('dora')
    await dora.POST('/api-keys', { body: { name: 'Ownerless' } })
    await dora.POST('/applications', { body: { name: 'Ownerless' } })
    const own = (await dora.GET('/hygiene')).data!
    const found = { accountId: 'dora', name: 'Ownerless', findings: ['owner-gone'] }
    expect(own.items).toMatchObject([
      { kind: 'apiKey', ...found },
      { kind: 'application', ...found },
    ])
    const query = { accountId: 'dora', limit: 1 }
    const root = clientFor('root')
    const first = (await root.GET('/operator/hygiene', { params: { query } })).data!
    expect(first.items).toMatchObject([{ kind: 'apiKey', ...found }])
    const cursor = first.cursor!
    const second = (await root.GET('/operator/hygiene', { params: { query: { ...query, cursor } } })).data!
    expect(second).toEqual({ items: [own.items[1]] })
    const keys = (await dora.GET('/hygiene', { params: { query: { kind: 'apiKey' } } })).data!
    expect(keys.items).toEqual([own.items[0]])
    expect((await dora.GET('/operator/hygiene')).error).toMatchObject({ code: 'ERR_FORBIDDEN' })
    expect((await root.GET('/operator/hygiene/products')).data).toEqual({ items: expect.any(Array) })
  })

  it('operators give a client limits of its own, which its owner reads and cannot change', async () => {
    const [acme, root] = [clientFor('acme'), clientFor('root')]
    const { clientId } = (await acme.GET('/api-keys')).data!.items[0]!
    const params = { path: { clientId } }
    const limits = { perMinute: 60, perDay: 5000 }
    const set = await root.PUT('/operator/clients/{clientId}/limits', { params, body: limits })
    expect(set.data).toMatchObject({ clientId, limits })
    expect((await acme.GET('/api-keys/{clientId}', { params })).data).toMatchObject({ limits })
    const own = await acme.PUT('/operator/clients/{clientId}/limits', { params, body: limits })
    expect(own.error).toMatchObject({ code: 'ERR_FORBIDDEN' })
    const wrong = await root.PUT('/operator/clients/{clientId}/limits', { params, body: { perMinute: 0 } })
    expect(wrong.error).toMatchObject({ code: 'ERR_INPUT' })
    const removed = await root.DELETE('/operator/clients/{clientId}/limits', { params })
    expect(removed.data).not.toHaveProperty('limits')
  })

  it('usage is listed for its owner, and with the busiest clients for operators', async () => {
    const [acme, root] = [clientFor('acme'), clientFor('root')]
    const { clientId } = (await acme.GET('/api-keys')).data!.items[0]!
    await host.usage.flush()
    const by = 'operation,outcome'
    const mine = (await acme.GET('/usage', { params: { query: { clientId, by } } })).data!
    expect(mine.items).toContainEqual({
      operation: 'POST /oauth2/token',
      outcome: 'issued',
      count: expect.any(Number),
    })
    expect((await acme.GET('/usage', { params: { query: { by: 'client' } } })).data!.items).toContainEqual({
      clientId,
      count: expect.any(Number),
    })
    expect((await clientFor('dora').GET('/usage', { params: { query: { clientId } } })).error).toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
    const all = (await root.GET('/operator/usage', { params: { query: { by: 'day,result' } } })).data!
    expect(all.items[0]).toEqual({
      at: expect.stringMatching(/T00:00:00Z$/),
      result: expect.any(String),
      count: expect.any(Number),
    })
    const top = (await root.GET('/operator/usage/top-clients')).data!.items
    expect(top.map((each: Fields) => each.clientId)).toContain(clientId)
    expect((await root.GET('/operator/usage/uncalled-operations')).data).toEqual({})
    expect((await acme.GET('/operator/usage')).error).toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('the audit trail of the account tells that life in order, with actor and address, and without a secret', async () => {
    const api = clientFor('acme')
    type Entry = Readonly<Record<string, string>>
    const entries: Entry[] = []
    let cursor: string | undefined
    do {
      const { data } = await api.GET('/audit', {
        params: { query: { limit: 20, ...(cursor && { cursor }) } },
      })
      entries.push(...data!.items)
      cursor = data!.cursor
    } while (cursor !== undefined)
    entries.reverse()
    const ofKey = entries.filter(({ clientId }) => clientId === entries[0]!.clientId)
    expect(ofKey.map(({ name, change, target }) => [name, change, target].filter(Boolean).join(' '))).toEqual(
      [
        'client.created',
        'client.changed product.added invoices',
        'client.changed operation.removed invoices:read',
        'client.changed operation.restored invoices:read',
        'client.changed secret.rotated',
        'client.changed secret.revoked old',
        // The second rotation within a minute is counted, and listed when the minute is over.
        'client.changed secret.revoked new',
        'client.compromised',
        'client.changed key.added first',
        'client.changed key.removed first',
        'client.changed name',
        'client.changed disabled',
        'client.changed enabled',
        'client.changed product.removed invoices',
        'client.deleted',
      ],
    )
    for (const entry of ofKey) {
      expect(entry).toMatchObject({ accountId: 'acme', actor: 'acme', userAgent: 'node', outcome: 'success' })
      expect(entry.address).toMatch(/127\.0\.0\.1|::1/)
    }
    expect(JSON.stringify(entries)).not.toMatch(/gatehouse_|sha256:|eyJ/)

    // Another account sees only its own entries, whatever cursor it sends.
    const alice = clientFor('alice')
    const newest = (await api.GET('/audit', { params: { query: { limit: 1 } } })).data!
    for (const query of [{}, { cursor: newest.cursor! }]) {
      const items = (await alice.GET('/audit', { params: { query } })).data!.items
      expect(items.filter(({ accountId }: Fields) => accountId !== 'alice')).toEqual([])
    }
    expect((await host.api('alice').call('GET /audit?accountId=acme')).status).toBe(422)
    const whole = await clientFor('root').GET('/operator/audit', { params: { query: { accountId: 'acme' } } })
    expect(whole.data!.items[0]).toMatchObject({ accountId: 'acme' })
  })

  it('operator routes reject everyone else, and change nothing', async () => {
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const forOperators = routes.filter((each) => each.includes(' /operator/'))
    expect(forOperators.length).toBeGreaterThan(10)
    for (const each of forOperators) {
      const answer = await host.api('acme').call(each.replaceAll(/\{\w+\}/g, 'acme'))
      expect(answer, each).toMatchObject({ status: 403, body: { code: 'ERR_FORBIDDEN' } })
    }
  })

  it('the tests above call every route of the document', async () => {
    await clientFor('acme').GET('/openapi.json')
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect([...called].toSorted()).toEqual(routes.toSorted())
  })
})
