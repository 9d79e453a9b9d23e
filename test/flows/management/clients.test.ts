import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startManagement, type ManagementHost } from './setup.ts'

const KINDS = [
  { base: '/api-keys', field: 'apiKey', kind: 'apiKey' },
  { base: '/applications', field: 'application', kind: 'application' },
] as const

describe('API keys and applications over HTTP', () => {
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore() })
  })
  afterAll(() => host.close())

  describe.each(KINDS)('$base', ({ base, field, kind }) => {
    async function create(input: object = {}, person = 'acme') {
      const { status, headers, body } = await host
        .api(person)
        .call(`POST ${base}`, { name: 'Nightly export', ...input })
      expect(status).toBe(201)
      const location = new URL(headers.get('location') ?? '', `${host.origin}/account/api${base}`)
      expect(location.pathname).toBe(`/account/api${base}/${body[field].clientId}`)
      return {
        client: body[field],
        secret: String(body.clientSecret),
        path: `${base}/${body[field].clientId}`,
      }
    }
    const { call } = {
      call: (...args: Parameters<ReturnType<ManagementHost['api']>['call']>) =>
        host.api('acme').call(...args),
    }

    it('a client is created with its products, and only that answer has its secret', async () => {
      const { client, secret, path } = await create({
        products: ['invoices'],
        removedOperations: ['invoices:create'],
      })
      expect(client).toMatchObject({
        kind,
        accountId: 'acme',
        name: 'Nightly export',
        products: ['invoices'],
        removedOperations: ['invoices:create'],
        disabled: false,
      })
      expect(client).not.toHaveProperty('epoch')
      expect(Math.abs(Date.parse(client.createdAt) - Date.now())).toBeLessThan(60_000)
      expect(client.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(secret).toMatch(/^gatehouse_/)
      const read = await call(`GET ${path}`)
      expect(read.body).toEqual(client)
      expect(JSON.stringify(read.body)).not.toMatch(/hash|secret/i)
      expect(read.headers.get('cache-control')).toBe('no-store')
      expect(read.headers.get('x-content-type-options')).toBe('nosniff')
    })

    it('a change is made by the caller: events name the account and the user', async () => {
      const actors: unknown[] = []
      const listener = ({ actor }: { actor?: string | undefined }) => actors.push(actor)
      host.gatehouse.on('client.created', listener)
      host.gatehouse.on('client.changed', listener)
      const { path, client } = await create({}, 'acme/olga')
      expect(client).toMatchObject({ accountId: 'acme', createdBy: 'olga' })
      expect(client.userId).toBeUndefined()
      await call(`PUT ${path}/products/invoices`)
      host.gatehouse.off('client.created', listener)
      host.gatehouse.off('client.changed', listener)
      expect(actors).toEqual(['acme/olga', 'acme'])
    })

    it('products and operations are added, removed and restored, and a repeat changes nothing', async () => {
      const { path } = await create()
      for (const _ of [1, 2]) {
        const added = await call(`PUT ${path}/products/invoices`)
        expect(added).toMatchObject({ status: 200, body: { products: ['invoices'] } })
      }
      for (const _ of [1, 2]) {
        const removed = await call(`DELETE ${path}/operations/invoices:create`)
        expect(removed).toMatchObject({ status: 200, body: { removedOperations: ['invoices:create'] } })
      }
      expect(await call(`PUT ${path}/operations/invoices%3Acreate`)).toMatchObject({
        status: 200,
        body: { removedOperations: [] },
      })
      for (const _ of [1, 2]) {
        expect(await call(`DELETE ${path}/products/invoices`)).toMatchObject({
          status: 200,
          body: { products: [] },
        })
      }
    })

    it('a secret is rotated with an overlap, listed, and revoked', async () => {
      const { path, secret } = await create({ products: ['invoices'] })
      const rotated = await call(`POST ${path}/secrets`, { overlapSeconds: 60 })
      expect(rotated.status).toBe(201)
      // Relative to the address of the request, which is the list of secrets.
      expect(rotated.headers.get('location')).toBe('secrets')
      expect(rotated.body.clientSecret).not.toBe(secret)
      expect(Date.parse(rotated.body.oldSecretExpiresAt)).toBeGreaterThan(Date.now() + 50_000)
      expect((await call(`GET ${path}/secrets`)).body.items).toHaveLength(2)
      expect(await call(`POST ${path}/secrets`, {})).toMatchObject({
        status: 409,
        body: {
          code: 'ERR_TWO_SECRETS',
          detail: expect.stringContaining('DELETE …/secrets/old') as string,
        },
      })
      expect((await call(`DELETE ${path}/secrets/old`)).status).toBe(204)
      expect((await call(`DELETE ${path}/secrets/old`)).status).toBe(204)
      expect((await call(`GET ${path}/secrets`)).body.items).toHaveLength(1)
      expect(await call(`DELETE ${path}/secrets/new`)).toMatchObject({
        status: 409,
        body: { code: 'ERR_ONE_SECRET', detail: expect.stringContaining('POST …/secrets') as string },
      })
    })

    it('a client is disabled, enabled, reported compromised and deleted', async () => {
      const { path } = await create()
      expect(await call(`POST ${path}/disable`)).toMatchObject({ status: 200, body: { disabled: true } })
      expect(await call(`POST ${path}/enable`)).toMatchObject({ status: 200, body: { disabled: false } })
      expect((await call(`POST ${path}/report-compromised`)).status).toBe(204)
      expect((await call(`GET ${path}/secrets`)).body.items).toEqual([])
      expect((await call(`DELETE ${path}`)).status).toBe(204)
      expect((await call(`GET ${path}`)).status).toBe(404)
      expect((await call(`DELETE ${path}`)).status).toBe(404)
    })

    it('a list has the clients of the account, newest first, page by page, filtered and sorted', async () => {
      const mine = []
      for (const name of ['One', 'Two', 'One']) mine.push((await create({ name }, 'bob')).client.clientId)
      await create({ name: 'One' }, 'alice')
      const { call: callAsBob } = host.api('bob')
      const first = await callAsBob(`GET ${base}?limit=2`)
      expect(first.body.items.map(({ clientId }: { clientId: string }) => clientId)).toEqual([
        mine[2],
        mine[1],
      ])
      const second = await callAsBob(`GET ${base}?limit=2&cursor=${encodeURIComponent(first.body.cursor)}`)
      expect(second.body).toEqual({ items: [expect.objectContaining({ clientId: mine[0] })] })
      const named = await callAsBob(`GET ${base}?name=ONE`)
      expect(named.body.items).toHaveLength(2)
      expect(
        (await callAsBob(`GET ${base}?name=ne&sort=name&unusedSince=2026-07-01T00:00:00Z`)).body.items,
      ).toHaveLength(2)
      expect((await callAsBob(`GET ${base}?state=active`)).body).toEqual({ items: [] })
      expect((await callAsBob(`GET ${base}?state=no-product&product=invoices`)).body).toEqual({ items: [] })
      const wrong = await callAsBob(`GET ${base}?state=x&sort=y&unusedSince=yesterday`)
      expect(wrong.status).toBe(422)
      expect(wrong.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
        'sort',
        'state',
        'unusedSince',
      ])
    })

    it('several fields are changed in one change', async () => {
      const { path } = await create()
      const changes: string[] = []
      const listener = ({ change }: { change: string }) => changes.push(change)
      host.gatehouse.on('client.changed', listener)
      const fields =
        kind === 'apiKey'
          ? {}
          : { redirectUris: ['https://tally.example/cb'], homepageUri: 'https://tally.example/' }
      expect(await call(`PATCH ${path}`, { name: ' Renamed ', ...fields })).toMatchObject({
        status: 200,
        body: { name: 'Renamed', ...fields },
      })
      await call(`PATCH ${path}`, { name: 'Renamed' })
      host.gatehouse.off('client.changed', listener)
      expect(changes).toEqual([Object.keys({ name: '', ...fields }).join(',')])
      if (kind === 'application') {
        const removed = await call(`PATCH ${path}`, { homepageUri: null })
        expect(removed.body).not.toHaveProperty('homepageUri')
        expect((await call(`GET ${path}`)).body).toEqual(removed.body)
      }
    })
  })

  it('each mistake in a body has its path', async () => {
    const { call } = host.api('acme')
    const form = await call('POST /applications', {
      name: '',
      products: ['invoices', 1],
      redirectUris: ['ftp://tally.example'],
      logoUri: 'http://tally.example/logo.png',
      colour: 'red',
      accountId: 'bob',
    })
    expect(form.status).toBe(422)
    expect(form.headers.get('content-type')).toBe('application/problem+json')
    expect(form.body).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      code: 'ERR_INPUT',
      detail: 'the body is not valid',
      errors: [
        { path: 'name', code: 'empty', message: 'must not be empty' },
        { path: 'products[1]', code: 'type', message: 'must be a string' },
        { path: 'colour', code: 'unknown', message: 'is unknown here' },
        { path: 'accountId', code: 'unknown', message: 'is unknown here' },
        // The schema knows only the form of these values. The service knows the rules.
        { path: 'redirectUris[0]', code: 'url-https', message: expect.any(String) as string },
        { path: 'logoUri', code: 'url-https-or-loopback', message: expect.any(String) as string },
      ],
    })
    const values = await call('POST /applications', {
      name: 'a\nb',
      products: ['nothing'],
      logoUri: 'javascript:alert(1)',
    })
    expect(values).toMatchObject({ status: 422, body: { code: 'ERR_INVALID_ARGUMENT' } })
    expect(values.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'name',
      'products[0]',
      'logoUri',
    ])
  })

  it('a text that is no time is rejected', async () => {
    for (const expiresAt of ['tomorrow', '2099-02-30T00:00:00Z', '2099-01-01T00:00:00+05', '2099-01-01']) {
      const answer = await host.api('acme').call('POST /api-keys', { name: 'Key', expiresAt })
      const message = expect.stringContaining('2026-07-01T') as string
      const errors = [{ path: 'expiresAt', code: 'type', message }]
      expect(answer, expiresAt).toMatchObject({ status: 422, body: { errors } })
    }
  })

  it('an unknown route gets 404, and an unsupported method 405 with Allow', async () => {
    const { call } = host.api('acme')
    expect(await call('GET /nothing')).toMatchObject({ status: 404, body: { code: 'ERR_NO_ROUTE' } })
    const wrong = await call('PUT /api-keys')
    expect(wrong).toMatchObject({ status: 405, body: { code: 'ERR_METHOD' } })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  it('a request outside the path of the API passes through', async () => {
    const response = await fetch(`${host.origin}/account/apikeys`)
    expect(await response.json()).toMatchObject({ reached: '/account/apikeys' })
  })
})
