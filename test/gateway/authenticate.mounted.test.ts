import { beforeAll, describe, expect, it } from 'vitest'
import type { AuthenticateOptions } from '../../src/gateway/authenticate.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from './support/api.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

let gateway: Gateway
let issuer: TokenIssuer
beforeAll(async () => {
  ;({ gateway, issuer } = await createTestGateway())
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/**
 * Asks the gateway as a handler below a mount does: such a framework removes the path of the mount from `url`, and keeps
 * the whole in `originalUrl`.
 */
async function ask(mount: string, whole: string, token?: string, options?: AuthenticateOptions) {
  const url = whole.slice(mount.length).replace(/^(?!\/)/, '/')
  const headers = token === undefined ? {} : bearer(token)
  const outcome = await gateway.authenticate({ method: 'GET', url, originalUrl: whole, headers }, options)
  return outcome.ok ? 200 : outcome.status
}

describe('authenticate() below a mount of a framework such as Express', () => {
  it('the operation is the one that the whole path names', async () => {
    const token = await issuer.mint()
    for (const path of ['/api/invoices/list', '/API/Invoices/List/?x=1', '/api/invoices/7']) {
      expect([path, await ask('/api', path)]).toEqual([path, 401])
      expect([path, await ask('/api', path, token)]).toEqual([path, 200])
    }
    for (const mount of ['/api/invoices/list', '/api/invoices', '/api', ''])
      expect(await ask(mount, '/api/invoices/list?x=1')).toBe(401)
    expect(await ask('/api', '/api/reports/all', token)).toBe(403)
    for (const path of ['/api', '/api/unknown']) expect(await ask('/api', path, token)).toBe(404)
  })

  it('with mountPath, the path of the mount may be another than the path of the audience', async () => {
    const options = { mountPath: '/v1' }
    expect(await ask('/v1', '/v1/invoices/list', undefined, options)).toBe(401)
    expect(await ask('/v1', '/v1/invoices/list', await issuer.mint(), options)).toBe(200)
    expect(await ask('/v1', '/v1/invoices/list', await issuer.mint())).toBe(404)
  })

  it('a target in absolute form is guarded', async () => {
    const call = { method: 'GET', url: '/invoices/list', originalUrl: 'http://h/api/invoices/list' }
    expect(await gateway.authenticate({ ...call, headers: {} })).toHaveProperty('status', 401)
    const headers = bearer(await issuer.mint())
    expect(await gateway.authenticate({ ...call, headers })).toHaveProperty('ok', true)
  })

  it('a call whose url was rewritten is rejected, because url and originalUrl may name different operations', async () => {
    const headers = bearer(await issuer.mint({ scope: 'reports:all invoices:read' }))
    const url = '/api/reports/all'
    for (const originalUrl of ['/api/invoices/list', '/elsewhere', '/api/reports/7'])
      expect(await gateway.authenticate({ method: 'GET', url, originalUrl, headers })).toHaveProperty(
        'status',
        404,
      )
    expect(await gateway.authenticate({ method: 'GET', url, originalUrl: url, headers })).toHaveProperty(
      'ok',
      true,
    )
  })

  it('a token in the query of url or of originalUrl is rejected', async () => {
    const headers = bearer(await issuer.mint())
    for (const call of [
      { method: 'GET', url: '/invoices/list', originalUrl: '/api/invoices/list?access_token=x', headers },
      { method: 'GET', url: '/invoices/list?access_token=x', originalUrl: '/api/invoices/list', headers },
    ]) {
      expect(await gateway.authenticate(call)).toHaveProperty('status', 400)
      expect(await gateway.authenticate(call, { scope: 'invoices:read' })).toHaveProperty('status', 400)
    }
  })

  it('a client that asks for exactly the scopes of each 403 passes a step-up in a handler', async () => {
    const asked = ['invoices:read']
    const call = { method: 'GET', url: '/invoices/list', originalUrl: '/api/invoices/list' }
    const stepUp = { scope: ['reports:read', 'reports:all'] }
    let last = 403
    while (last === 403 && asked.length < 5) {
      const headers = bearer(await issuer.mint({ scope: asked.at(-1) ?? '' }))
      const outcome = await gateway.authenticate({ ...call, headers }, stepUp)
      last = outcome.ok ? 200 : outcome.status
      const challenge = outcome.ok ? '' : (outcome.headers['WWW-Authenticate'] ?? '')
      asked.push(/ scope="([^"]+)"/.exec(challenge)?.[1] ?? '')
    }
    expect(asked).toEqual(['invoices:read', 'reports:read reports:all invoices:read', ''])
    expect(last).toBe(200)
  })
})
