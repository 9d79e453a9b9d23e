// Also runs on: Koa 2
import type { Middleware } from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { journey } from './journey.ts'

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Rewrites the keys of each object in a response, as APIs in camel case do. */
const camelCaseKeys: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return
  ctx.body = Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value]))
}

/** Wraps each object in a response, and turns each response without a body into a 404. */
const envelope: Middleware = async (ctx, next) => {
  await next()
  if (typeof ctx.body === 'object' && ctx.body !== null) ctx.body = { data: ctx.body }
  if (ctx.status === 200 && !ctx.body) ctx.status = 404
}

describe.each([
  ['rewrites the keys of objects', camelCaseKeys],
  ['wraps objects, and turns an empty response into a 404', envelope],
])('a gatehouse below middleware that %s', (_name, above) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({
      above: [above],
      // The middleware in `above` rewrites only objects. This middleware turns the responses of the host's
      // own handlers into text, so that `above` does not change them.
      mount(app, gatehouse) {
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(async (ctx, next) => {
          await next()
          ctx.body = JSON.stringify(ctx.body)
        })
      },
    })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it('all endpoints and the API work below middleware that rewrites responses', async () => {
    await journey(host)
    expect(host.errors).toEqual([])
  })

  it('revoking a token answers 200 with an empty object below middleware that rewrites responses (RFC 7009 2.2)', async () => {
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application)
    for (const token of [refresh_token, 'unknown']) {
      const answer = await host.post('/oauth2/revoke', { ...application, token })
      expect([answer.status, answer.text]).toEqual([200, '{}'])
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it('error responses keep the names of their members below middleware that rewrites responses', async () => {
    const names = { error: expect.any(String), error_description: expect.any(String) }
    const key = await host.createApiKey()
    const { client_id } = await host.createApplication()
    const get = async (address: string | URL, method = 'GET') => {
      const response = await fetch(address, { method, redirect: 'manual' })
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      return response.json()
    }
    const { status, body } = await host.token({
      ...key,
      client_secret: 'x',
      grant_type: 'client_credentials',
    })
    expect([status, body]).toEqual([401, names])
    expect((await host.token({ ...key, grant_type: 'authorization_code' })).body).toEqual(names)
    expect((await host.token({ ...key, grant_type: 'client_credentials', scope: 'x' })).body).toEqual({
      ...names,
      scope: 'x',
    })
    expect((await host.token({})).body).toEqual(names)
    expect(await get(`${host.issuer}/oauth2/token`)).toEqual(names)
    expect(await get(`${host.issuer}/oauth2/revocations`)).toEqual(names)
    expect(await get(`${host.issuer}/oauth2/userinfo`)).toEqual({ error_description: expect.any(String) })
    expect(await get(authorizationUrl(host, 'unknown'))).toEqual({ ...names, state: 'xyz' })
    const unregistered = authorizationUrl(host, client_id, { redirect_uri: 'https://evil.example/' })
    expect(await get(unregistered)).toEqual({ ...names, state: 'xyz' })
    expect(await get(`${host.audience}/unknown`)).toEqual(names)
    expect(await get(`${host.audience}/invoices/list`)).toEqual({ error_description: expect.any(String) })
  })

  it('a server error keeps the names of its members below middleware that rewrites responses', async () => {
    const failing = await startHost({
      above: [above],
      gatehouse: {
        accounts: {
          find: () => {
            throw new Error('the database is down')
          },
        },
      },
    })
    const key = await failing.createApiKey()
    const { status, body } = await failing.requestDirectToken(key)
    expect([status, body['error'], typeof body['error_description']]).toEqual([500, 'server_error', 'string'])
    await failing.close()
  })
})
