// Also runs on: Koa 2
import querystring from 'node:querystring'
import { bodyParser } from '@koa/bodyparser'
import type { Middleware } from 'koa'
import session from 'koa-session'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { collectOutput } from '../../support/complaints.ts'
import { authorizationUrl, startHost } from '../../support/host.ts'
import { bystander } from './bystander.ts'
import { journey } from './journey.ts'

/** Reads the whole body of a request. */
async function textOf(request: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A parser like Express's `urlencoded()`. It sets the parsed body as `ctx.req.body` and keeps no text. */
const expressStyle: Middleware = async (ctx, next) => {
  if (ctx.method === 'POST') {
    Object.assign(ctx.req, { body: querystring.parse(await textOf(ctx.req)) })
  }
  await next()
}

/** A parser that sets `ctx.request.body` to the text of the body. */
const textParser: Middleware = async (ctx, next) => {
  if (ctx.method === 'POST') Object.assign(ctx.request, { body: await textOf(ctx.req) })
  await next()
}

/** A parser that reads the whole body and discards the text. */
const discardingParser: Middleware = async (ctx, next) => {
  await textOf(ctx.req)
  await next()
}

const parseAll = bodyParser() as Middleware

const PARSERS: Record<string, Middleware> = {
  '@koa/bodyparser': parseAll,
  '@koa/bodyparser for JSON only': bodyParser({ enableTypes: ['json'] }) as Middleware,
  '@koa/bodyparser twice': (ctx, next) => parseAll(ctx, () => parseAll(ctx, next)),
  'a parser that sets req.body': expressStyle,
  'a parser that keeps the text': textParser,
}

const output = collectOutput()
beforeEach(() => void output.lines.splice(0))
afterAll(() => output.stop())

/**
 * Starts a host whose body parser runs around the gatehouse.
 *
 * @param hasSession whether the host also has `app.keys` and a signed session
 */
async function startWith(parser: Middleware, hasSession = false) {
  const visits: number[] = []
  const around = bystander({ isSigned: hasSession })
  const host = await startHost({
    mount(app, gatehouse) {
      if (hasSession) {
        app.keys = ['keys of the host']
        app.use(session({ key: 'harbour.session' }, app))
        app.use(async (ctx, next) => {
          await next()
          // The host writes its session after the gatehouse has answered.
          ctx.session!['visits'] = Number(ctx.session!['visits'] ?? 0) + 1
          visits.push(Number(ctx.session!['visits']))
        })
      }
      app.use(parser)
      app.use(around.middleware)
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
  })
  await host.gatehouse.ready()
  return { host, around, visits }
}

it.each(Object.entries(PARSERS))(
  'behind %s, all endpoints and the API work, no warning is printed, and an authorization request by POST is redirected',
  async (_name, parser) => {
    const hasSession = parser === parseAll
    const { host, around, visits } = await startWith(parser, hasSession)
    await journey(host)
    expect(around.seen.length).toBeGreaterThan(12)
    // All requests from sign-in to sign-out belong to one session of the host.
    if (hasSession) expect(Math.max(...visits)).toBeGreaterThan(8)
    const { client_id } = await host.createApplication()
    const posted = await host.post('/oauth2/authorize', [...authorizationUrl(host, client_id).searchParams])
    expect(posted.status).toBe(303)
    expect(posted.headers.get('location')).toContain(`client_id=${client_id}`)
    expect([...host.errors, ...around.changes, ...output.complaints()]).toEqual([])
    await host.close()
  },
)

it('behind a parser that discards the body, requests are rejected immediately, like requests with an empty body', async () => {
  const { host } = await startWith(discardingParser)
  const rejected = await host.requestDirectToken(await host.createApiKey())
  expect(rejected).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect(rejected.headers.get('cache-control')).toBe('no-store')
  const { client_id } = await host.createApplication()
  const posted = await host.post('/oauth2/authorize', [...authorizationUrl(host, client_id).searchParams])
  expect(posted.status).toBe(400)
  expect(host.errors).toEqual([])
  expect(output.complaints()).toEqual([])
  await host.close()
})
