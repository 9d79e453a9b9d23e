import { Router } from '@koa/router'
import type Koa from 'koa'
import type { Context } from 'koa'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HOSTILE } from '../../gateway/support/hostile-paths.ts'
import { startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

const TARGETS = [
  ...HOSTILE.filter((target) => /^[\x21-\x7e]+$/.test(target)),
  '/api',
  '/api/',
  '/API/invoices/list',
  '/Api/Invoices/List/',
  '/api/invoices/list/',
  '/api/invoices/list?access=1',
  '/api/unknown',
  '/api/auth/oauth2/token',
  '/auth/../api/invoices/list',
  '/auth/oauth2/../../api/invoices/list',
  '/auth/%2e%2e/api/invoices/list',
  '/auth/interaction/../../api/invoices/list',
  'http://evil.example/api/invoices/list',
  'http://evil.example/API/invoices/list',
  // Koa cannot parse these targets.
  'http://[::1/api/invoices/list',
  'http://[::1/auth/oauth2/token',
  'http://evil.example:port/api/invoices/list',
  'p://[',
  'p://',
]

describe('an app with gatehouse, the gateway and @koa/router behind them', () => {
  let host: Host
  let token: string
  const withAuth: string[] = []
  const withoutAuth: string[] = []
  beforeAll(async () => {
    host = await startHost({
      mount(app: Koa, gatehouse) {
        const router = new Router({ prefix: '/api' })
        const handler = (ctx: Context) => {
          const list = ctx.state['auth'] === undefined ? withoutAuth : withAuth
          list.push(`${ctx.method} ${ctx.originalUrl}`)
          ctx.body = { invoices: [] }
        }
        router
          .all('/', handler)
          .all('/invoices/list', handler)
          .all('/invoices/:id', handler)
          .all('/{*rest}', handler)
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(router.routes() as Koa.Middleware)
        app.use(() => {})
      },
    })
    await host.gatehouse.ready()
    const { body } = await host.requestDirectToken(await host.createApiKey(['payments']))
    token = String(body['access_token'])
  })
  beforeEach(() => {
    withAuth.splice(0)
    withoutAuth.splice(0)
  })
  afterAll(() => host.close())

  it('a request with no token, an invalid token or a token without the scope reaches no handler', async () => {
    const wrong: unknown[] = []
    for (const target of TARGETS) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
        for (const authorization of [undefined, `Bearer ${token}`, 'Bearer x']) {
          const headers = authorization === undefined ? {} : { authorization }
          const { status, text } = await send(host.port, { method, target, headers })
          const isRejected = status >= 400 && status < 500 && !text.includes('invoices"')
          if (!isRejected) wrong.push([method, target, authorization, status])
        }
      }
    }
    expect(wrong).toEqual([])
    expect([...withAuth, ...withoutAuth]).toEqual([])
  })

  it('a call whose token has the scope reaches the handler, and the handler gets ctx.state.auth', async () => {
    const { body } = await host.requestDirectToken(await host.createApiKey())
    for (const target of ['/api/invoices/list', '/API/Invoices/list/', '/api/invoices/7']) {
      const headers = { authorization: `Bearer ${String(body['access_token'])}` }
      expect((await send(host.port, { target, headers })).status).toBe(200)
    }
    expect([withAuth.length, withoutAuth]).toEqual([3, []])
  })
})
