import { describe, expect, it, vi } from 'vitest'
import { noRevocations, type GatewayDependencies } from '../../../src/gateway/dependencies.ts'
import { limitCalls } from '../../../src/limits.ts'
import { mcpVerifier, requireTool } from '../../../src/mcp.ts'
import { createTestGateway } from '../../gateway/support/api.ts'
import { AUDIENCE } from '../../gateway/support/token-issuer.ts'
import { thrownBy } from './thrown-by.ts'

/** The error that an SDK answers with 401. */
class InvalidToken extends Error {}

async function start(changes: Partial<GatewayDependencies> = {}) {
  const { gateway, issuer } = await createTestGateway(changes)
  const verifier = mcpVerifier(gateway, { invalidToken: (text) => new InvalidToken(text) })
  return { gateway, mint: issuer.mint, verify: verifier.verifyAccessToken }
}

describe('mcpVerifier()', () => {
  it('a valid token becomes an AuthInfo with its client, scopes, expiry, resource and principal', async () => {
    const { verify, mint } = await start()
    const token = await mint({ user_id: 'anna', grant_id: 'g1', access_mode: 'delegated' })
    expect(await verify(token)).toEqual({
      token,
      clientId: expect.any(String),
      scopes: ['invoices:read'],
      expiresAt: expect.any(Number),
      resource: new URL(AUDIENCE),
      resourceMetadataUrl: 'https://example.com/.well-known/oauth-protected-resource/api',
      extra: { principal: expect.objectContaining({ accountId: 'acme', userId: 'anna', grantId: 'g1' }) },
    })
  })

  it('a token that is no token, expired or for another resource is rejected with the error of invalidToken', async () => {
    const { verify, mint } = await start()
    const expired = await mint({ exp: 1, iat: 0 })
    const ofOther = await mint({ aud: 'https://example.com/other' })
    for (const token of ['', 'nonsense', 'a,b', 'x'.repeat(15_000), expired, ofOther])
      await expect(verify(token), token.slice(0, 40)).rejects.toThrow(InvalidToken)
  })

  it('a revoked token is rejected at the next call', async () => {
    let revoked = false
    const { verify, mint } = await start({
      revocations: { ...noRevocations, isTokenRevoked: () => revoked },
    })
    const token = await mint()
    await verify(token)
    revoked = true
    await expect(verify(token)).rejects.toThrow(new InvalidToken('the access token has been revoked'))
  })

  it('a token that cannot be checked is not called invalid, so that the client keeps it', async () => {
    const { verify, mint } = await start({
      ready: () => Promise.reject(new Error('not yet')),
      startTimeoutMs: 1,
    })
    await expect(verify(await mint())).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
  })

  it('each call counts once for limits, also if requireTool() checks the request too', async () => {
    const { gateway, verify, mint } = await start()
    limitCalls(gateway, { perMinute: 2 })
    const guard = requireTool(gateway, { list: 'invoices:read', create: 'invoices:create' })
    const token = await mint()
    const call = async (name: string) => {
      const auth = await verify(token)
      const headers = { authorization: `Bearer ${token}` }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }
      return guard.authenticate({ method: 'POST', url: '/mcp', headers, auth } as never, body)
    }
    expect(await call('list')).toMatchObject({ ok: true })
    expect(await call('create')).toMatchObject({ ok: false, status: 403 })
    await expect(verify(token)).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
  })

  it('throws at construction without invalidToken, and for an object that is no gateway', async () => {
    const { gateway } = await createTestGateway()
    const invalidToken = vi.fn(() => new Error('invalid'))
    expect(
      thrownBy(() => mcpVerifier(gateway, {} as { invalidToken: typeof invalidToken })).message,
    ).toContain('invalidToken')
    expect(thrownBy(() => mcpVerifier({ ...gateway }, { invalidToken })).message).toContain(
      'mcpVerifier() takes gatehouse.gateway',
    )
  })
})
