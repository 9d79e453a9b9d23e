import { noRevocations } from '../../src/gateway/dependencies.ts'
import Koa from 'koa'
import compose from 'koa-compose'
import { Router } from '@koa/router'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from './support/api.ts'
import { principalOfClaims } from './support/token-issuer.ts'

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

function serve(gateway: Gateway, scopes: [string, ...string[]], above?: Koa.Middleware) {
  const app = new Koa()
  const router = new Router()
  const handler = vi.fn((ctx: Koa.Context) => {
    ctx.body = ctx.state['auth'].accountId
  })
  if (above) app.use(above)
  router.get('/reports', gateway.requireScope(...scopes), handler)
  router.get('/api/invoices/list', gateway.requireScope(...scopes), handler)
  app.use(router.routes())
  return { agent: request(app.callback()), handler }
}

describe('requireScope()', () => {
  it('requireScope() without the middleware guards a route outside of the API', async () => {
    const { gateway, issuer } = await createTestGateway()
    const valid = bearer(await issuer.mint())
    const { agent, handler } = serve(gateway, ['invoices:read'])
    const missing = await agent.get('/reports').expect(401)
    expect(missing.headers['www-authenticate']).not.toContain('error=')
    await agent.get('/reports').set(bearer('nonsense')).expect(401)
    await agent.get('/reports?access_token=a').expect(400)
    const short = await agent
      .get('/reports')
      .set(bearer(await issuer.mint({ scope: 'invoices:create' })))
      .expect(403)
    expect(short.body.error).toBe('insufficient_scope')
    expect(handler).not.toHaveBeenCalled()
    await agent.get('/reports').set(valid).expect(200, 'acme')
  })

  it('requireScope() requires all of its scopes, and names the missing scopes', async () => {
    const { gateway, issuer } = await createTestGateway()
    const { agent, handler } = serve(gateway, ['invoices:read', 'reports:read', 'reports:all'])
    const { headers, body } = await agent
      .get('/reports')
      .set(bearer(await issuer.mint({ scope: 'reports:read' })))
      .expect(403)
    expect(headers['www-authenticate']).toContain('scope="invoices:read reports:read reports:all"')
    expect(body.error_description).toBe('the access token does not carry the scope invoices:read reports:all')
    expect(handler).not.toHaveBeenCalled()
    await agent
      .get('/reports')
      .set(bearer(await issuer.mint({ scope: 'reports:all invoices:read reports:read' })))
      .expect(200)
  })

  it('requireScope() reuses the principal of the middleware', async () => {
    const isTokenRevoked = vi.fn(() => false)
    const { gateway, issuer } = await createTestGateway({ revocations: { ...noRevocations, isTokenRevoked } })
    const valid = bearer(await issuer.mint())
    const { agent, handler } = serve(gateway, ['invoices:read', 'reports:read'], gateway.middleware())
    await agent.get('/api/invoices/list').set(valid).expect(403)
    expect(handler).not.toHaveBeenCalled()
    await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint({ scope: 'invoices:read reports:read' })))
      .expect(200)
    // For each request, the gateway checks twice whether the token is revoked: a token may be revoked during
    // a long request. The signature of each token is verified once.
    expect(isTokenRevoked).toHaveBeenCalledTimes(4)
    expect(issuer.lookups()).toBe(2)
  })

  it('requireScope() names all scopes that the call needs: those of the guards above too', async () => {
    const { gateway, issuer } = await createTestGateway()
    const above = compose([gateway.middleware(), gateway.requireScope('reports:read')])
    const { agent } = serve(gateway, ['reports:all', 'invoices:read'], above)
    const get = async (scope: string) =>
      agent.get('/api/invoices/list').set(bearer(await issuer.mint({ scope })))

    // A client asks for exactly the scopes of each challenge, until it is accepted.
    const asked: string[] = []
    let response = await get('invoices:read')
    while (response.status === 403 && asked.length < 5) {
      asked.push(/ scope="([^"]+)"/.exec(response.headers['www-authenticate'] ?? '')?.[1] ?? '')
      response = await get(asked.at(-1) ?? '')
    }
    expect(asked).toEqual(['invoices:read reports:read', 'invoices:read reports:read reports:all'])
    expect(response.status).toBe(200)
  })

  it('requireScope() names the scope of the operation for a token that the gateway knows', async () => {
    const { gateway, issuer } = await createTestGateway()
    const { agent } = serve(gateway, ['reports:all'], gateway.middleware())
    const token = bearer(await issuer.mint())
    for (const _ of [1, 2]) {
      const { headers } = await agent.get('/api/invoices/list').set(token).expect(403)
      expect(headers['www-authenticate']).toContain('scope="invoices:read reports:all"')
    }
  })

  it('requireScope() ignores a principal that the gateway did not create', async () => {
    const { gateway } = await createTestGateway()
    const { gateway: other, issuer: otherIssuer } = await createTestGateway()
    const foreign = bearer(await otherIssuer.mint())
    const forged = principalOfClaims()
    for (const auth of [forged, { ...forged, has: () => true }, true, 'acme', null]) {
      const { agent, handler } = serve(gateway, ['invoices:read'], async (ctx, next) => {
        ctx.state['auth'] = auth
        await next()
      })
      await agent.get('/reports').expect(401)
      expect(handler).not.toHaveBeenCalled()
    }
    const { agent } = serve(gateway, ['invoices:read'], other.middleware())
    await agent.get('/api/invoices/list').set(foreign).expect(401)
  })

  it('requireScope() throws at construction without a scope and with an unknown scope', async () => {
    const { gateway } = await createTestGateway()
    const none = [] as unknown as [string]
    expect(() => gateway.requireScope(...none)).toThrow(expect.objectContaining({ code: 'ERR_OPTIONS' }))
    expect(() => gateway.requireScope('invoices:read', 'invoices:lst')).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTIONS',
        problems: [
          { path: 'scopes[1]', code: 'not-found', message: 'no operation has the scope invoices:lst' },
        ],
      }),
    )
    expect(() => gateway.requireScope(undefined as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS' }),
    )
  })

  it('requireScope() accepts every scope while the products are not loaded', async () => {
    const { gateway } = await createTestGateway({ isKnownScope: () => true })
    expect(() => gateway.requireScope('from:database')).not.toThrow()
  })
})
