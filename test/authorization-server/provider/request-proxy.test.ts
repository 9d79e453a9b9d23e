import { once } from 'node:events'
import type { Middleware } from 'koa'
import { afterEach, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'

let host: Host
afterEach(() => host.close())

/** A body parser that leaves `body` where Express's do, and no text. */
const parsedAs =
  (body: (form: URLSearchParams) => object): Middleware =>
  async (ctx, next) => {
    const chunks: Buffer[] = []
    ctx.req.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(ctx.req, 'end')
    Object.assign(ctx.req, { body: body(new URLSearchParams(Buffer.concat(chunks).toString())) })
    await next()
  }

it('passes on all values of a list that a body parser made an object of (bug: they came to nothing)', async () => {
  // As qs does with more than twenty of them.
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

it('takes nothing from a form of which a body parser left what is no form', async () => {
  const nested = (form: URLSearchParams) => ({ ...Object.fromEntries(form), resource: { a: { b: 'deep' } } })
  host = await startHost({ above: [parsedAs(nested)] })
  const key = await host.createApiKey()
  const { status, body } = await host.token({ ...key, grant_type: 'client_credentials' })
  expect(status).toBe(400)
  expect(body['error']).toBe('invalid_request')
})
