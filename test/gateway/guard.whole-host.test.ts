import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import request from 'supertest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { GatewayMiddlewareOptions } from '../../src/gateway/guard.ts'
import { createTestGateway } from './support/api.ts'

const AUDIENCE = 'https://api.example.com'
const mounted = (path: string, middleware: Middleware) => mount(path, middleware as never) as Middleware
const limiter = mounted('/invoices', (_ctx, next) => next())
const language: Middleware = (ctx, next) => {
  ctx.path = ctx.path.replace(/^\/de\//, '/')
  return next()
}
const handler: Middleware = (ctx) => void (ctx.body = ctx.path)
const open: GatewayMiddlewareOptions = {
  public: ['GET /shop/status', 'GET /status'],
  optional: ['GET /shop/about'],
  unclaimed: 'pass',
}

let gateway: Gateway
let authorization: string

beforeEach(async () => {
  const { gateway: created, issuer } = await createTestGateway({ audience: AUDIENCE })
  gateway = created
  authorization = `Bearer ${await issuer.mint({ aud: AUDIENCE })}`
})

async function statusesOf(host: readonly Middleware[], paths: readonly string[], headers = {}) {
  const app = new Koa()
  for (const middleware of host) app.use(middleware)
  const callback = app.callback()
  const statuses = []
  for (const path of paths) statuses.push((await request(callback).get(path).set(headers)).status)
  return statuses
}

describe('an API that is a whole host', () => {
  it('in a mounted app, no route is open, because the gateway does not know its whole path', async () => {
    const paths = ['/shop/status', '/shop/about', '/shop/x']
    const guard = gateway.middleware(open) as Middleware
    expect(await statusesOf([mounted('/shop', guard), handler], paths)).toEqual([404, 404, 404])
    expect(await statusesOf([guard, handler], paths)).toEqual([200, 200, 200])
  })

  it('behind a language prefix and a mount that passes requests on, a call needs the scope of its operation', async () => {
    const host = [language, limiter, gateway.middleware() as Middleware, handler]
    const paths = ['/de/invoices/list', '/invoices/list']
    expect(await statusesOf(host, paths)).toEqual([401, 401])
    expect(await statusesOf(host, paths, { authorization })).toEqual([200, 200])
  })
})
