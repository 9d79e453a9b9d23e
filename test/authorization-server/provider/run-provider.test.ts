import { once } from 'node:events'
import type { Context, Middleware } from 'koa'
import { afterEach, expect, it } from 'vitest'
import { ProviderRequest } from '../../../src/authorization-server/provider/run-provider.ts'
import { guarded } from '../../support/guard-provider-request.ts'
import { startHost, type Host } from '../../support/host.ts'

let host: Host | undefined
afterEach(async () => {
  await host?.close()
  host = undefined
})

/**
 * Creates a body parser that sets only `req.body`, like the body parsers of Express. Later code cannot read the
 * text of the body.
 */
const parsedAs =
  (body: (form: URLSearchParams) => object): Middleware =>
  async (ctx, next) => {
    const chunks: Buffer[] = []
    ctx.req.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(ctx.req, 'end')
    Object.assign(ctx.req, { body: body(new URLSearchParams(Buffer.concat(chunks).toString())) })
    await next()
  }

it('all values of a repeated parameter reach oidc-provider if a body parser turned them into an object (fixed bug: the values were lost)', async () => {
  // The parser qs turns a parameter with more than twenty values into an object.
  const asObject = (form: URLSearchParams) => ({
    ...Object.fromEntries(form),
    resource: Object.fromEntries(form.getAll('resource').entries()),
  })
  host = await startHost({ above: [parsedAs(asObject)] })
  const key = await host.createApiKey()
  const { status, body } = await host.post('/oauth2/token', [
    ...Object.entries({ ...key, grant_type: 'client_credentials' }),
    ['resource', host.audience],
    ['resource', 'https://evil.example/'],
  ])
  expect(status).toBe(400)
  expect(body['error']).toBe('invalid_target')
})

it('a form that a body parser has turned into a nested object is rejected with invalid_request', async () => {
  const nested = (form: URLSearchParams) => ({ ...Object.fromEntries(form), resource: { a: { b: 'deep' } } })
  host = await startHost({ above: [parsedAs(nested)] })
  const key = await host.createApiKey()
  const { status, body } = await host.token({ ...key, grant_type: 'client_credentials' })
  expect(status).toBe(400)
  expect(body['error']).toBe('invalid_request')
})

it('the guard of the tests reports a property that oidc-provider reads and ProviderRequest lacks', () => {
  const missing: string[] = []
  const req = { method: 'POST', headers: {}, httpVersionMajor: 1, socket: {} }
  const request = new ProviderRequest({ req } as Context, '/oauth2/token', 'a=b')
  const watched = guarded(request, ({ message }) => missing.push(message))
  expect([watched.method, watched.url, watched.readable]).toEqual(['POST', '/oauth2/token', true])
  expect(missing).toEqual([])
  expect(Reflect.get(watched, 'rawHeaders')).toBeUndefined()
  expect(missing).toEqual(['ProviderRequest has no property rawHeaders'])
})

it('the host and its callbacks see their own request while oidc-provider handles it', async () => {
  const seen: unknown[] = []
  let request: Context['req'] | undefined
  const remember: Middleware = (ctx, next) => {
    request = ctx.req
    return next()
  }
  const see = (id: string) => {
    seen.push(request?.url, request?.headers.authorization)
    return { id }
  }
  host = await startHost({ above: [remember], gatehouse: { accounts: { find: see } } })
  const { client_id, client_secret } = await host.createApiKey()
  seen.length = 0
  // oidc-provider receives this header in another form.
  const authorization = `basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  const { status } = await host.post('/oauth2/token?from=cron', [['grant_type', 'client_credentials']], {
    authorization,
  })
  expect(status).toBe(200)
  expect(seen).toEqual(['/auth/oauth2/token?from=cron', authorization])
})
