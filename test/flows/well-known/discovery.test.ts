import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'
import { startUsersHost } from '../../support/users-host.ts'

const DOCUMENTS = [
  '/auth/.well-known/openid-configuration',
  '/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/openid-configuration/auth',
  '/.well-known/oauth-protected-resource/api',
]

describe('the discovery documents', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  const openIdConfiguration = async () =>
    (await (await fetch(`${host.issuer}/.well-known/openid-configuration`)).json()) as Record<string, unknown>

  it.each(DOCUMENTS)('the document at %s may be cached for a minute and has an ETag', async (path) => {
    const first = await send(host.port, { target: path })
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(first.headers.get('cache-control')).toBe('public, max-age=60')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*', ' * ']) {
      const headers = { 'if-none-match': known, 'cache-control': 'no-cache' }
      const again = await send(host.port, { target: path, headers })
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toBe('public, max-age=60')
    }
    const other = await send(host.port, { target: path, headers: { 'if-none-match': '"other"' } })
    expect([other.status, other.text]).toEqual([200, first.text])
    const head = await send(host.port, { method: 'HEAD', target: path })
    expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, ''])
  })

  it('the ETag of a discovery document changes when the products change', async () => {
    let more = false
    const changing = await startHost({
      gatehouse: {
        products: () => ({
          one: {
            title: 'One',
            operations: {
              'a:read': { route: 'GET /a', title: 'A' },
              ...(more && { 'b:read': { route: 'GET /b' as const, title: 'B' } }),
            },
          },
        }),
      },
    })
    await changing.gatehouse.ready()
    const etagOf = async () =>
      (await fetch(`${changing.issuer}/.well-known/openid-configuration`)).headers.get('etag')
    const before = await etagOf()
    more = true
    await changing.gatehouse.catalog.reload()
    expect(await etagOf()).not.toBe(before)
    await changing.close()
  })

  it('the discovery document names the signing algorithms of ID tokens, and query as the only response mode', async () => {
    expect(await openIdConfiguration()).toMatchObject({
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      response_modes_supported: ['query'],
    })
  })

  it('the discovery document names only claims that tokens or user info can have', async () => {
    const { claims_supported: claims } = await openIdConfiguration()
    expect(claims).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time', 'name', 'email']))
    expect(claims).not.toContain('sid')
    // The accounts of this host have no users: `find` takes one parameter.
    expect(claims).not.toContain('user_id')
  })

  it('the discovery document names user_id if accounts.find takes a user, and no claims of users but those of the option claims', async () => {
    const claimsOf = async (host: Host) => {
      await host.gatehouse.ready()
      const response = await fetch(`${host.issuer}/.well-known/openid-configuration`)
      await host.close()
      return ((await response.json()) as { claims_supported: string[] }).claims_supported.toSorted()
    }
    expect(await claimsOf(await startUsersHost({ store: memoryStore() }))).toContain('user_id')
    const narrow = await startHost({ gatehouse: { claims: { profile: ['name'], firm: ['vat_number'] } } })
    const claims = ['account_id', 'auth_time', 'iss', 'name', 'sub', 'vat_number']
    expect(await claimsOf(narrow)).toEqual(claims)
  })
})
