// Also runs on: Koa 2
import querystring from 'node:querystring'
import { bodyParser } from '@koa/bodyparser'
import type { Middleware } from 'koa'
import session from 'koa-session'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
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
 * The two kinds of hosts. One host has `app.keys` and a signed session, and the other host has no keys and no
 * session.
 */
const COOKIES = ['koa-session and app.keys', 'no app.keys'] as const

/** Starts a host whose body parser and cookie middleware run around the gatehouse. */
async function startWith(parser: Middleware, cookies: (typeof COOKIES)[number]) {
  const visits: number[] = []
  const around = bystander({ isSigned: cookies !== 'no app.keys' })
  const host = await startHost({
    mount(app, gatehouse) {
      if (cookies !== 'no app.keys') {
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

describe.each(COOKIES)('a host with a body parser and %s', (cookies) => {
  it.each(Object.entries(PARSERS))(
    'all endpoints and the API work behind %s, and no warning is printed',
    async (_name, parser) => {
      const { host, around, visits } = await startWith(parser, cookies)
      await journey(host)
      expect(host.errors).toEqual([])
      expect(around.seen.length).toBeGreaterThan(12)
      expect(around.changes).toEqual([])
      expect(output.complaints()).toEqual([])
      // All requests from sign-in to sign-out belong to one session of the host.
      if (cookies !== 'no app.keys') expect(Math.max(...visits)).toBeGreaterThan(8)
      await host.close()
    },
  )
})

it.each(Object.entries(PARSERS))(
  'behind %s, an authorization request by POST is redirected to the same request by GET',
  async (_name, parser) => {
    const { host } = await startWith(parser, 'no app.keys')
    const { client_id } = await host.createApplication()
    const posted = await host.post('/oauth2/authorize', [...authorizationUrl(host, client_id).searchParams])
    expect(posted.status).toBe(303)
    expect(posted.headers.get('location')).toContain(`client_id=${client_id}`)
    await host.close()
  },
)

it('behind a parser that discards the body, requests are rejected immediately, like requests with an empty body', async () => {
  const { host } = await startWith(discardingParser, 'no app.keys')
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
