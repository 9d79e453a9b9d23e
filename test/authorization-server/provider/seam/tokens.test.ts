import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import type { Context } from 'koa'
import { Provider, type KoaContextWithOIDC } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { requestState, startRequest } from '../../../../src/authorization-server/provider/request-state.ts'
import { signAccessTokens } from '../../../../src/authorization-server/provider/seam/tokens.ts'
import type { Client } from '../../../../src/clients/client.ts'
import { accessTokenSigner } from '../../../../src/keys/token-signers.ts'
import { generateSigningKey, toPublicJwk, type SigningJwk } from '../../../../src/keys/generate-key.ts'

const ISSUER = 'https://example.com'
const AUDIENCE = 'https://example.com/api'

describe('access tokens', () => {
  let key: SigningJwk
  beforeAll(async () => {
    // oidc-provider warns of every option that is left at its default.
    for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => {})
    const ctx = {} as KoaContextWithOIDC
    vi.spyOn(Provider, 'ctx', 'get').mockReturnValue(ctx)
    startRequest(ctx, {} as Context)
    requestState(ctx).clients.set('app', { clientId: 'app' } as Client)
    key = await generateSigningKey('ES256')
  })
  afterAll(() => void vi.restoreAllMocks())

  const extraTokenClaims = async () => ({ access_mode: 'direct', user_id: undefined })

  function build(signsHere: boolean): Provider {
    const provider = new Provider(ISSUER, {
      jwks: { keys: [key] },
      clients: [{ client_id: 'app', client_secret: 'a secret', redirect_uris: ['https://app.example/'] }],
      ttl: { AccessToken: 600 },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      extraTokenClaims,
    })
    if (signsHere) signAccessTokens(provider, extraTokenClaims, accessTokenSigner([key]).signHere)
    return provider
  }

  function withoutId(jwt: string): object {
    const { jti: _random, ...claims } = decodeJwt(jwt)
    return claims
  }

  /** The JWT of a delegated token, as `provider` makes it. */
  async function issue(provider: Provider): Promise<string[]> {
    const client = await provider.Client.find('app')
    if (!client) throw new Error('the client was not found')
    const scope = 'items:read items:list'
    const common = { client, scope }
    const tokens = [new provider.AccessToken({ ...common, accountId: 'acme', grantId: 'grant' } as never)]
    const info = {
      audience: AUDIENCE,
      scope,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    } as const
    return Promise.all(
      tokens.map(async (token) => {
        token.resourceServer = new provider.ResourceServer(AUDIENCE, info)
        return token.save()
      }),
    )
  }

  it('the JWT has the same header and the same claims as the JWT that oidc-provider signs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_750_000_000_000 })
    const [theirs, ours] = [await issue(build(false)), await issue(build(true))]
    vi.useRealTimers()
    expect(ours).toHaveLength(1)
    expect(ours.map(decodeProtectedHeader)).toEqual(theirs.map(decodeProtectedHeader))
    expect(ours.map(withoutId)).toEqual(theirs.map(withoutId))
  })

  it('the signature is valid for the public key', async () => {
    const publicKey = await importJWK(toPublicJwk(key))
    for (const jwt of await issue(build(true))) {
      const { payload } = await jwtVerify(jwt, publicKey, {
        issuer: ISSUER,
        audience: AUDIENCE,
        algorithms: ['ES256'],
      })
      expect(payload.jti).toMatch(/^[\w-]{43}$/)
    }
  })

  it('a token without a resource server stays an opaque token', async () => {
    const provider = build(true)
    const client = await provider.Client.find('app')
    const token = new provider.AccessToken({ client, accountId: 'acme', scope: 'openid' } as never)
    expect(await token.save()).not.toContain('.')
  })
})
