// Also runs on: Koa 2
import Koa from 'koa'
import mount from 'koa-mount'
import { afterEach, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost } from '../../support/host.ts'
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
  for (const options of [{ path: 'account' }, { mountPath: '/account/' }]) {
    expect(() => createManagementApi(host.gatehouse, options)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
    )
  }
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
