import Koa from 'koa'
import mount from 'koa-mount'
import { afterEach, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost } from '../../support/host.ts'
import { createGrantLifecycle } from '../../../src/grants/grant-lifecycle.ts'
import { startManagement } from './setup.ts'
import { createManagementApi } from '../../../src/management.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const accounts = {
  find: (id: string) => ({ id }),
  current: () => ({ accountId: 'acme', via: 'token' as const }),
  signInUrl: () => '/login',
}

it.each([
  ['at the path of the option', (app: Koa, api: Koa.Middleware) => void app.use(api)],
  ['by koa-mount', (app: Koa, api: Koa.Middleware) => void app.use(mount('/developer/api', api))],
  [
    'by koa-mount in a mounted app',
    (app: Koa, api: Koa.Middleware) => {
      const inner = new Koa()
      inner.use(mount('/api', api))
      app.use(mount('/developer', inner))
    },
  ],
])('the API answers when it is mounted %s', async (_, use) => {
  const host = await startHost({
    gatehouse: { accounts },
    mount: (app, gatehouse) => use(app, createManagementApi(gatehouse, { path: '/developer/api' })),
  })
  closing.push(host.close)
  await host.gatehouse.ready()
  const created = await fetch(`${host.origin}/developer/api/api-keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"name":"Nightly export"}',
  })
  expect(created.status).toBe(201)
  const document = await (await fetch(`${host.origin}/developer/api/openapi.json`)).json()
  expect(document).toMatchObject({ servers: [{ url: '/developer/api' }] })
  expect(await (await fetch(`${host.origin}/developer/apis`)).json()).toMatchObject({
    reached: '/developer/apis',
  })
})

it('an invalid path is rejected when the API is mounted', async () => {
  const host = await startManagement({ store: memoryStore() })
  closing.push(host.close)
  expect(() => createManagementApi(host.gatehouse, { path: 'account' })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
  )
})

it('while the store is away, requests get 503 with Retry-After, and the cause stays on our side', async () => {
  const faulty = faultyStore(memoryStore())
  const host = await startManagement({ store: faulty.store })
  closing.push(host.close)
  const { call } = host.api('acme')
  const { body } = await call('POST /api-keys', { name: 'Nightly export' })
  faulty.goAway()
  for (const line of ['GET /api-keys', 'POST /api-keys', `POST /api-keys/${body.apiKey.clientId}/disable`]) {
    const answer = await call(line, line === 'POST /api-keys' ? { name: 'x' } : undefined)
    expect(answer).toMatchObject({ status: 503, body: { code: 'ERR_STORE_UNAVAILABLE' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(JSON.stringify(answer.body)).not.toContain('ECONNRESET')
  }
  faulty.comeBack()
})

it('if the host manages the clients, routes of clients get 501', async () => {
  const host = await startManagement({
    store: memoryStore(),
    gatehouse: { registry: { find: () => undefined, verifySecret: () => false } },
  })
  closing.push(host.close)
  const { call } = host.api('acme')
  expect(await call('GET /api-keys')).toMatchObject({ status: 501, body: { code: 'ERR_REGISTRY_READ_ONLY' } })
  expect((await call('GET /authorizations')).body).toEqual({ items: [] })
})

it('if the host manages the clients, users see the names of the applications that they authorized', async () => {
  const store = memoryStore()
  const row = {
    kind: 'application',
    clientId: 'ledger',
    accountId: 'acme',
    name: 'Ledger',
    products: [],
    redirectUris: [],
  } as const
  const registry = {
    find: (id: string) => (id === row.clientId ? row : undefined),
    verifySecret: () => false,
  }
  const host = await startManagement({ store, gatehouse: { registry } })
  closing.push(host.close)
  const lifecycle = createGrantLifecycle(store, {
    refreshToken: 86_400,
    delegatedAccessToken: 3600,
  })
  const iat = Math.floor(Date.now() / 1000)
  const versions = await lifecycle.consentVersions.current({ accountId: 'alice' }, row.clientId)
  const grant = { accountId: 'alice', clientId: row.clientId, iat, exp: iat + 3600, versions }
  await lifecycle.records.create('grant-1', grant, 3600)
  await lifecycle.activate('grant-1')
  const { status, body } = await host.api('alice').call('GET /authorizations')
  expect(status).toBe(200)
  expect(body.items).toMatchObject([{ clientId: 'ledger', application: { name: 'Ledger' } }])
})
