import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../../src/catalog/create-catalog.ts'
import { enter, type FrontDoorParts, type Guarded } from '../../../src/parts/front-door/access.ts'
import { isCsrfTokenExpired, requireOwnPage } from '../../../src/parts/front-door/access.ts'
import { createPageTokens } from '../../../src/http/csrf.ts'

const ISSUER = 'https://example.com'

/** A request, and an array that collects the steps in their order. */
function setUp(accounts: Partial<FrontDoorParts['accounts']> = {}) {
  const steps: string[] = []
  const parts: FrontDoorParts = {
    accounts: {
      async current() {
        steps.push('caller')
        return { accountId: 'acme', via: 'session' }
      },
      async can(_ctx, permission) {
        steps.push(permission)
        return true
      },
      async isOperator() {
        steps.push('operator')
        return true
      },
      clientsBelongTo: 'account',
      find: async (id) => ({ id }),
      ...accounts,
    },
    catalog: { current: createCatalog({}) },
    tokens: createPageTokens([new Uint8Array(32)], { name: 'test', issuer: ISSUER, path: '' }),
    issuerOrigin: ISSUER,
    async ready() {
      steps.push('ready')
    },
  }
  const headers: Record<string, string> = {}
  const cookies: Record<string, string> = {}
  const ctx = {
    get: (name: string) => headers[name] ?? '',
    ip: '192.0.2.1',
    cookies: { get: (name: string) => cookies[name] },
    append(_name: string, cookie: string) {
      const [name = '', value = ''] = cookie.split(/[=;]/)
      cookies[name] = value
    },
    protocol: 'https',
    host: 'example.com',
  } as unknown as Context
  const guarded: Guarded<string> = {
    access: 'keys:read',
    async find({ accountId }, { id }) {
      steps.push('find')
      return `${accountId}/${id}`
    },
    target: (resource) => ({ clientId: resource }),
  }
  return { steps, parts, ctx, headers, guarded }
}

describe('enter()', () => {
  it('asks once each, in this order: ready, caller, find, permission', async () => {
    const { steps, parts, ctx, guarded } = setUp()
    const visit = await enter(guarded, parts, ctx, { id: 'key_1' })
    expect(steps).toEqual(['ready', 'caller', 'find', 'keys:read'])
    expect(visit).toMatchObject({ resource: 'acme/key_1', change: { actor: 'acme', address: '192.0.2.1' } })
  })

  it('rejects a caller who is not signed in, and finds nothing', async () => {
    const { steps, parts, ctx, guarded } = setUp({ current: async () => undefined })
    await expect(enter(guarded, parts, ctx, {})).rejects.toMatchObject({ reason: 'signedOut', status: 401 })
    expect(steps).toEqual(['ready'])
  })

  it('rejects others than operators before it finds what is for operators', async () => {
    const { steps, parts, ctx, guarded } = setUp({ isOperator: async () => false })
    const entering = enter({ ...guarded, access: 'operator' }, parts, ctx, {})
    await expect(entering).rejects.toMatchObject({ reason: 'forbidden', details: { limit: 'operator' } })
    expect(steps).toEqual(['ready', 'caller'])
  })

  it('asks for the permission with the account and the target, and names it in the rejection', async () => {
    const asked: unknown[] = []
    const { parts, ctx, guarded } = setUp({
      async can(_ctx, permission, target) {
        asked.push([permission, target])
        return false
      },
    })
    const entering = enter(guarded, parts, ctx, { id: 'key_1' })
    await expect(entering).rejects.toMatchObject({ reason: 'forbidden', details: { needs: 'keys:read' } })
    expect(asked).toEqual([['keys:read', { accountId: 'acme', clientId: 'acme/key_1' }]])
  })

  it('a host without accounts.can permits everything, and one without isOperator has no operators', async () => {
    const { parts, ctx, guarded } = setUp({ can: undefined, isOperator: undefined })
    const visit = await enter(guarded, parts, ctx, {})
    expect(await visit.may('keys:delete')).toBe(true)
    expect(await visit.isOperator()).toBe(false)
  })

  it('asks the host once whether the caller is an operator', async () => {
    const { steps, parts, ctx } = setUp()
    const visit = await enter({ access: 'operator' }, parts, ctx, {})
    expect([await visit.isOperator(), await visit.isOperator()]).toEqual([true, true])
    expect(steps.filter((step) => step === 'operator')).toHaveLength(1)
  })
})

describe('requests that change something', () => {
  it('rejects a request of another site', () => {
    const { parts, ctx, headers } = setUp()
    headers['Sec-Fetch-Site'] = 'cross-site'
    for (const surface of ['console', 'management'] as const) {
      expect(() => requireOwnPage({ ctx }, surface, parts)).toThrowError(
        expect.objectContaining({ reason: 'foreignPage', code: 'ERR_CSRF', status: 403 }),
      )
    }
    headers['Sec-Fetch-Site'] = 'same-origin'
    requireOwnPage({ ctx }, 'console', parts)
  })

  it('rejects a CSRF token of another person, and says whether a token is too old', async () => {
    const { parts, ctx, guarded } = setUp()
    const visit = await enter(guarded, parts, ctx, {})
    const token = parts.tokens.issue(ctx, visit.caller)
    expect(isCsrfTokenExpired(visit, token, parts)).toBe(false)
    const other = { ...visit, caller: { ...visit.caller, accountId: 'bob' } }
    expect(() => isCsrfTokenExpired(other, token, parts)).toThrowError(
      expect.objectContaining({ reason: 'csrfToken', code: 'ERR_CSRF' }),
    )
    expect(() => isCsrfTokenExpired(visit, null, parts)).toThrow()
  })
})
