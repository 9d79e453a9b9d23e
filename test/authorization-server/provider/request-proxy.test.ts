import { once } from 'node:events'
import type { Middleware } from 'koa'
import { afterEach, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'

let host: Host
afterEach(() => host.close())

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
