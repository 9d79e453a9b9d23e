import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Permission, PermissionTarget } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { request, startManagement, type ManagementHost } from './setup.ts'
import { createManagementApi } from '../../../src/management.ts'

let host: ManagementHost
/** The answer of `accounts.can`, and the arguments of its calls. */
let allowed: unknown = true
const asked: { permission: Permission; target: PermissionTarget }[] = []

beforeAll(async () => {
  host = await startManagement({
    store: memoryStore(),
    accounts: {
      can(_ctx, permission, target) {
        asked.push({ permission, target })
        return allowed as boolean
      },
    },
  })
})
afterAll(() => host.close())

async function createKey(person: string, name = 'Nightly export'): Promise<string> {
  const { body, status } = await host.api(person).call('POST /api-keys', { name, products: ['invoices'] })
  expect(status).toBe(201)
  return String(body.apiKey.clientId)
}

describe('clients of other accounts', () => {
  const REQUESTS = [
    'GET /api-keys/ID',
    'PATCH /api-keys/ID',
    'DELETE /api-keys/ID',
    'PUT /api-keys/ID/products/payments',
    'DELETE /api-keys/ID/products/invoices',
    'PUT /api-keys/ID/operations/invoices:read',
    'DELETE /api-keys/ID/operations/invoices:read',
    'POST /api-keys/ID/disable',
    'POST /api-keys/ID/enable',
    'POST /api-keys/ID/report-compromised',
    'GET /api-keys/ID/secrets',
    'POST /api-keys/ID/secrets',
    'DELETE /api-keys/ID/secrets/old',
    'DELETE /api-keys/ID/secrets/new',
  ]
  it('requests for a client of another account are answered exactly as for an unknown id, and change nothing', async () => {
    const id = await createKey('acme')
    const unknown = `key_${'x'.repeat(id.length - 4)}`
    const { call } = host.api('bob')
    for (const line of REQUESTS) {
      const body = line.startsWith('PATCH') ? { name: 'Mine now' } : undefined
      const theirs = await call(line.replace('ID', id), body)
      const none = await call(line.replace('ID', unknown), body)
      expect([line, theirs.status]).toEqual([line, 404])
      expect(JSON.stringify(theirs.body).replaceAll(id, unknown)).toBe(JSON.stringify(none.body))
    }
    const { body: key } = await host.api('acme').call(`GET /api-keys/${id}`)
    expect(key).toMatchObject({ name: 'Nightly export', products: ['invoices'], disabled: false })
    expect((await host.api('acme').call(`GET /api-keys/${id}/secrets`)).body.items).toHaveLength(1)
  })

  it('the id of an API key is unknown among the applications', async () => {
    const id = await createKey('acme')
    expect((await host.api('acme').call(`GET /applications/${id}`)).status).toBe(404)
  })

  it('a cursor of another account lists only clients of the caller', async () => {
    const own = await createKey('alice')
    for (const name of ['One', 'Two']) await createKey('acme', name)
    const { body } = await host.api('acme').call('GET /api-keys?limit=1')
    const page = await host.api('alice').call(`GET /api-keys?cursor=${encodeURIComponent(body.cursor)}`)
    expect(page.body.items.map(({ clientId }: { clientId: string }) => clientId)).toEqual([own])
  })
})

describe('permissions', () => {
  it('accounts.can receives the permission, the account and the client, and a denial gets 403', async () => {
    const id = await createKey('acme')
    asked.length = 0
    allowed = false
    try {
      const { call } = host.api('acme')
      for (const line of [
        'GET /api-keys',
        'POST /applications',
        `GET /api-keys/${id}`,
        `POST /api-keys/${id}/disable`,
        `POST /api-keys/${id}/secrets`,
        `DELETE /api-keys/${id}`,
      ]) {
        expect(await call(line)).toMatchObject({ status: 403, body: { code: 'ERR_FORBIDDEN' } })
      }
      const target = { accountId: 'acme', clientId: id }
      expect(asked).toEqual([
        { permission: 'keys:read', target: { accountId: 'acme' } },
        { permission: 'applications:create', target: { accountId: 'acme' } },
        { permission: 'keys:read', target },
        { permission: 'keys:write', target },
        { permission: 'keys:rotate', target },
        { permission: 'keys:delete', target },
      ])
      // Another account's client is unknown before any permission is asked for.
      asked.length = 0
      expect((await host.api('bob').call(`DELETE /api-keys/${id}`)).status).toBe(404)
      expect(asked).toEqual([])
    } finally {
      allowed = true
    }
    expect((await host.api('acme').call(`GET /api-keys/${id}`)).body.disabled).toBe(false)
  })

  it('an answer of accounts.can that is neither true nor false gets 500', async () => {
    allowed = { allowed: false }
    const answer = await host.api('acme').call('GET /api-keys')
    allowed = true
    expect(answer).toMatchObject({ status: 500, body: { code: 'ERR_HOST_CALLBACK' } })
    expect(JSON.stringify(answer.body)).not.toContain('accounts.can')
    expect(host.errors).toHaveLength(1)
  })
})

describe('requests with a session cookie', () => {
  const BODY = JSON.stringify({ name: 'Made by another site' })
  const JSON_TYPE = { 'content-type': 'application/json' }

  /** Cookies of the browser that all persons of a test use. */
  let cookie = ''
  async function csrfToken(person = 'acme') {
    const { body, headers } = await request(host, 'GET', '/session', {
      headers: { 'test-session': person, cookie },
    })
    cookie = headers.get('set-cookie')?.split(';')[0] ?? cookie
    return String(body.csrfToken)
  }
  const create = (headers: Record<string, string>) =>
    request(host, 'POST', '/api-keys', {
      headers: { 'test-session': 'acme', cookie, ...JSON_TYPE, ...headers },
      body: BODY,
    })
  const count = async () => (await host.api('acme').call('GET /api-keys?limit=500')).body.items.length

  it('the session route names the caller', async () => {
    const answer = await request(host, 'GET', '/session', { headers: { 'test-session': 'acme/olga' } })
    expect(answer.body).toEqual({
      accountId: 'acme',
      userId: 'olga',
      operator: false,
      csrfToken: expect.any(String),
    })
  })

  it('a page of this site with the CSRF token may change something', async () => {
    const token = { 'x-csrf-token': await csrfToken() }
    expect((await create({ 'sec-fetch-site': 'same-origin', ...token })).status).toBe(201)
    expect((await create({ origin: host.origin, ...token })).status).toBe(201)
  })

  it('a change without a valid CSRF token, or from another page, is rejected', async () => {
    const own = { 'sec-fetch-site': 'same-origin' }
    const before = await count()
    const found: unknown[] = []
    for (const [person, headers] of [
      // Without a token, with an invalid one, and with those of other persons.
      ['', own],
      ['AAAA', own],
      ['bob', own],
      ['acme/olga', own],
      // From other sites, a sandboxed page, and without any word about the page.
      ['acme', { 'sec-fetch-site': 'cross-site' }],
      ['acme', { 'sec-fetch-site': 'same-site' }],
      ['acme', { origin: 'https://evil.example' }],
      ['acme', { origin: 'null' }],
      ['acme', {}],
    ] as [string, Record<string, string>][]) {
      const token = person === '' || person === 'AAAA' ? person : await csrfToken(person)
      const { status, body } = await create({ ...headers, ...(token !== '' && { 'x-csrf-token': token }) })
      if (status !== 403 || body.code !== 'ERR_CSRF') found.push([person, headers, status])
    }
    expect(found).toEqual([])
    expect(await count()).toBe(before)
  })

  it('a body of a type that a form of another site can send is rejected', async () => {
    const own = { 'sec-fetch-site': 'same-origin', 'x-csrf-token': await csrfToken() }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      const answer = await create({ ...own, 'content-type': type })
      expect(answer, type).toMatchObject({ status: 415, body: { code: 'ERR_MEDIA_TYPE' } })
    }
  })

  it('other sites cannot read anything: no answer allows another origin', async () => {
    const headers = { 'test-session': 'acme', origin: 'https://evil.example' }
    for (const [method, path] of [
      ['GET', '/session'],
      ['GET', '/openapi.json'],
      ['OPTIONS', '/api-keys'],
    ] as const) {
      const answer = await request(host, method, path, { headers })
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('a gatehouse without accounts.current cannot serve the API', async () => {
    const { createGatehouse } = await import('koa-gatehouse')
    const gatehouse = createGatehouse({
      issuer: 'http://localhost:9/auth',
      audience: 'http://localhost:9/api',
      store: memoryStore(),
      products: {},
      accounts: { find: () => undefined },
    })
    expect(() => createManagementApi(gatehouse)).toThrow(expect.objectContaining({ code: 'ERR_OPTIONS' }))
    await gatehouse.close()
  })
})
