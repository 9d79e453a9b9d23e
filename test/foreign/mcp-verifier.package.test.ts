import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth as requireBearerAuth1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { requireBearerAuth as requireBearerAuth2 } from '@modelcontextprotocol/express'
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { limitCalls } from '../../src/limits.ts'
import { mcpVerifier, requireTool } from '../../src/mcp.ts'
import { createTestGateway } from '../gateway/support/api.ts'
import { AUDIENCE } from '../gateway/support/token-issuer.ts'

const resourceMetadataUrl = 'https://example.com/.well-known/oauth-protected-resource/api'

interface Options {
  readonly requiredScopes?: string[]
  readonly expectedResource?: URL
}

/** `requireBearerAuth` of the two generations of the SDK, with our verifier. */
const GENERATIONS: Record<string, (gateway: Gateway, options?: Options) => RequestHandler> = {
  '@modelcontextprotocol/sdk': (gateway, options) =>
    requireBearerAuth1({
      verifier: mcpVerifier(gateway, { invalidToken: (text) => new InvalidTokenError(text) }),
      resourceMetadataUrl,
      ...options,
    }),
  '@modelcontextprotocol/express': (gateway, options) =>
    requireBearerAuth2({
      verifier: mcpVerifier(gateway, {
        invalidToken: (text) => new OAuthError(OAuthErrorCode.InvalidToken, text),
      }),
      resourceMetadataUrl,
      ...options,
    }),
}

describe.each(Object.entries(GENERATIONS))('mcpVerifier() in requireBearerAuth of %s', (_, protect) => {
  let reached: unknown[]
  beforeEach(() => {
    reached = []
  })

  async function serve({ options, ...changes }: Partial<GatewayDependencies> & { options?: Options } = {}) {
    const { gateway, issuer } = await createTestGateway(changes)
    const app = express()
    app.post('/mcp', protect(gateway, options), (req, response) => {
      reached.push((req as { auth?: unknown }).auth)
      response.json({})
    })
    const call = async (token?: string) => {
      const post = request(app).post('/mcp')
      return token === undefined ? post : post.set('Authorization', `Bearer ${token}`)
    }
    return { gateway, mint: issuer.mint, call }
  }

  it('a valid token becomes an AuthInfo with its client, scopes, expiry, resource and principal', async () => {
    const options = { requiredScopes: ['invoices:read'], expectedResource: new URL(AUDIENCE) }
    const { call, mint } = await serve({ options })
    const token = await mint({ user_id: 'anna', grant_id: 'g1', access_mode: 'delegated' })
    expect((await call(token)).status).toBe(200)
    expect(reached).toEqual([
      {
        token,
        clientId: expect.any(String),
        scopes: ['invoices:read'],
        expiresAt: expect.any(Number),
        resource: new URL(AUDIENCE),
        resourceMetadataUrl,
        extra: { principal: expect.objectContaining({ accountId: 'acme', userId: 'anna', grantId: 'g1' }) },
      },
    ])
  })

  it('an expired token gets 401 invalid_token with the address of the metadata', async () => {
    const { call, mint } = await serve()
    const answer = await call(await mint({ exp: 1, iat: 0 }))
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_token'])
    expect(answer.headers['www-authenticate']).toContain(`resource_metadata="${resourceMetadataUrl}"`)
    expect(reached).toEqual([])
  })

  it('a token that cannot be checked gets 500, and not 401, so that the client keeps it', async () => {
    const { call, mint } = await serve({
      ready: () => Promise.reject(new Error('not yet')),
      startTimeoutMs: 1,
    })
    const answer = await call(await mint())
    expect([answer.status, answer.body.error]).toEqual([500, 'server_error'])
    expect(answer.headers['www-authenticate']).toBeUndefined()
    expect(reached).toEqual([])
  })

  it('a missing scope of requiredScopes gets 403 of the SDK', async () => {
    const { call, mint } = await serve({ options: { requiredScopes: ['invoices:create'] } })
    expect((await call(await mint())).status).toBe(403)
  })

  it('requireTool() behind it checks the tool, and counts the call once', async () => {
    const { gateway, issuer } = await createTestGateway()
    limitCalls(gateway, { perMinute: 2 })
    const guard = requireTool(gateway, { list: 'invoices:read', create: 'invoices:create' })
    const app = express()
    app.post('/mcp', protect(gateway), express.json(), async (req, response) => {
      const outcome = await guard.authenticate(req, req.body)
      response.status(outcome.ok ? 200 : outcome.status).set(outcome.headers)
      response.send(outcome.ok ? '{}' : outcome.body)
    })
    const call = async (name: string, token: string) =>
      request(app)
        .post('/mcp')
        .set('Authorization', `Bearer ${token}`)
        .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
    const token = await issuer.mint()
    expect((await call('list', token)).status).toBe(200)
    const answer = await call('create', token)
    expect(answer.status).toBe(403)
    expect(answer.headers['www-authenticate']).toContain('scope="invoices:create"')
    // The third call is beyond the limit. The SDK has no answer for that, and must not answer 401.
    expect((await call('list', token)).status).toBe(500)
  })
})
