import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { RefreshTokenFormat } from '../../../grants/refresh-tokens/token-format.ts'
import type { TokenSigner } from '../../../keys/token-signers.ts'
import { registeredClaims } from '../endpoints/token/access-token-claims.ts'
import { currentContext, recordOf } from '../request-state.ts'

/** Because of the colon, a token with this prefix does not look like a JWT. */
const DISGUISE = 'token:'

const TAKES_ANY_TOKEN: ReadonlySet<string> = new Set(['introspection', 'revocation'])

/**
 * Makes it possible to introspect and revoke JWTs. oidc-provider does not store them, so it rejects every
 * token that looks like a JWT, without asking a model.
 *
 * Relies on: oidc-provider first reads the parameters, then authenticates the client, and then uses the
 * parameter `token`. The authentication of the client calls this function.
 */
export function disguiseToken({ oidc: { route, params } }: KoaContextWithOIDC): void {
  const token = params?.['token']
  if (!params || !TAKES_ANY_TOKEN.has(route) || typeof token !== 'string' || token === '') return
  params['token'] = DISGUISE + token
}

export function tokenAsIssued({ oidc: { route } }: KoaContextWithOIDC, token: string): string {
  return TAKES_ANY_TOKEN.has(route) && token.startsWith(DISGUISE) ? token.slice(DISGUISE.length) : token
}

/**
 * The format contains the grant and the generation of the token.
 *
 * Relies on: the id of a refresh token is the token itself, and comes from `generateTokenId()`. When oidc-provider
 * calls this method, `grantId` is set, and the token is the first of its family.
 */
export function nameRefreshTokensAfterTheirFamily(provider: Provider, format: RefreshTokenFormat): void {
  const { prototype } = provider.RefreshToken as unknown as { prototype: Record<string, unknown> }
  prototype['generateTokenId'] = function (this: { grantId: string }) {
    return format.mint({ grantId: this.grantId, generation: 0 })
  }
}

type ExtraTokenClaims = NonNullable<Configuration['extraTokenClaims']>

type AccessToken = Parameters<ExtraTokenClaims>[1] & {
  readonly accountId?: string | undefined
  readonly format?: 'jwt' | 'opaque'
}

/**
 * Lets `sign` make the JWTs, in less CPU time than oidc-provider would need.
 *
 * Relies on: `save()` sets `jti` and `format`. After that, it takes the value of the token from
 * `getValueAndPayload()`, and stores nothing if there is no payload. If oidc-provider no longer calls this
 * method, it signs the tokens itself, and the tokens are valid too.
 */
export function signAccessTokens(
  provider: Provider,
  extraTokenClaims: ExtraTokenClaims,
  sign: TokenSigner['signHere'],
): void {
  const { prototype } = provider.AccessToken
  const model = prototype as unknown as { getValueAndPayload(): Promise<object> }
  const original = model.getValueAndPayload
  model.getValueAndPayload = async function (this: typeof model & AccessToken) {
    if (this.format !== 'jwt') return original.call(this)
    const extra = await extraTokenClaims(currentContext(), this)
    const client = recordOf(this.client)
    const { jti: tokenId, accountId: subject = client.clientId, scope, expiration: lifetime, aud } = this
    const token = { tokenId, subject, scope, lifetime, client, issuer: provider.issuer, audience: aud }
    const claims = registeredClaims(token)
    return { value: sign({ ...extra, ...claims }) }
  }
}
