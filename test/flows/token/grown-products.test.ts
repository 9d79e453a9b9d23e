import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLogger, type Logger } from '../../../src/host/logger.ts'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { checkOf } from '../health/health-checks.ts'

/** A product with operations whose scopes have 25 characters, so each takes 26 bytes of a token's scope. */
function productWith(count: number) {
  const operations = Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const number = String(at).padStart(4, '0')
      return [`resource-${number}:operations`, { route: `GET /r${number}/things`, title: 'Read' }] as const
    }),
  )
  return {
    large: { title: 'Large', operations },
    small: { title: 'Small', operations: { s: { title: 'S' } } },
  }
}

const NAMED = 'products have grown: tokens of these clients carry more than 4096 bytes of scope'

describe('a product that grows', () => {
  const store = memoryStore()
  const range = vi.spyOn(store, 'range')
  const warn = vi.fn<Logger['warn']>()
  const logger = { ...silentLogger, warn }
  let host: Host
  let size = 10
  let key: Awaited<ReturnType<Host['createApiKey']>>
  let application: Awaited<ReturnType<Host['createApplication']>>

  beforeAll(async () => {
    host = await startHost({ store, gatehouse: { products: () => productWith(size), logger } })
    key = await host.createApiKey(['large'])
    application = await host.createApplication({ products: ['large'] })
    await host.createApiKey(['small'])
  })
  afterAll(() => host.close())

  const call = (token: unknown) =>
    fetch(`${host.origin}/api/r0001/things`, { headers: { authorization: `Bearer ${String(token)}` } })
  const grow = (to: number) => {
    size = to
    return host.gatehouse.catalog.reload()
  }

  it('as long as all operations together fit a token, catalog.reload() reads no client', async () => {
    range.mockClear()
    expect(await grow(150)).toEqual({ clientsOverScopeLimit: 0 })
    expect(range.mock.calls.filter(([index]) => /apiKey|application/.test(index))).toEqual([])
    expect(checkOf(await host.gatehouse.health(), 'client scopes')).toBeUndefined()
  })

  it('above 4096 bytes of scope catalog.reload() counts the clients, health() and the log name them, and tokens are issued and accepted', async () => {
    expect(await grow(354)).toEqual({ clientsOverScopeLimit: 2 })
    const named = expect.stringContaining(`${key.client_id}, ${application.client_id}`) as string
    expect(warn).toHaveBeenCalledExactlyOnceWith({ clients: named }, expect.stringContaining(NAMED))
    const check = checkOf(await host.gatehouse.health(), 'client scopes')
    expect(check).toMatchObject({ status: 'warn', message: named })
    expect(check?.message).toContain(NAMED)

    const { status, body } = await host.requestDirectToken(key)
    expect({ status, scopes: String(body['scope']).split(' ').length }).toEqual({ status: 200, scopes: 354 })
    expect((await call(body['access_token'])).status).toBe(200)
  })

  it('a token that the gateway would reject is not issued: invalid_scope says what to do, also to an application before the user approves', async () => {
    await grow(400)
    const invalid = {
      status: 400,
      body: {
        error: 'invalid_scope',
        error_description:
          'a token with more than 9216 bytes of scope is too long for a header; request fewer operations with the parameter scope, or remove operations from this client',
      },
    }
    expect(await host.requestDirectToken(key)).toMatchObject(invalid)
    const scope = 'resource-0001:operations resource-0399:operations'
    const { body } = await host.requestDirectToken(key, { scope })
    expect(body['scope']).toBe(scope)
    expect((await call(body['access_token'])).status).toBe(200)

    const { callback } = await authorize(host, application.client_id)
    expect(Object.fromEntries(callback.searchParams)).toMatchObject(invalid.body)
    const { code } = await authorize(host, application.client_id, { parameters: { scope } })
    expect(await host.exchangeCode(application, code)).toMatchObject({ status: 200 })
  })

  it('after a deployment with more operations, health() and the log name the clients', async () => {
    warn.mockClear()
    const { issuer, audience } = host
    const gatehouse = { issuer, audience, products: productWith(200), logger }
    const next = await startHost({ store, gatehouse })
    await next.gatehouse.ready()
    await vi.waitFor(async () =>
      expect(checkOf(await next.gatehouse.health(), 'client scopes')?.message).toContain(key.client_id),
    )
    expect(warn).toHaveBeenCalledWith(
      { clients: expect.stringContaining(key.client_id) as string },
      expect.stringContaining(NAMED),
    )
    await next.close()
  })
})
