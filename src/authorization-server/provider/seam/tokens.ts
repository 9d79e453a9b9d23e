import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { RefreshTokenFormat } from '../../../grants/refresh-tokens/token-format.ts'

/**
 * A prefix for tokens at the introspection and revocation endpoints. With its colon, a token cannot look like a JWT.
 */
const DISGUISE = 'token:'

/** Routes of oidc-provider that receive a token of any form in the parameter `token`. */
const TAKES_ANY_TOKEN: ReadonlySet<string> = new Set(['introspection', 'revocation'])

/**
 * Lets JWTs be introspected and revoked. oidc-provider rejects a token that looks like a JWT before it asks a model,
 * because it stores none of its own JWTs.
 *
 * Relies on: the parameters are read before the client authenticates, and the token is used afterwards.
 */
export function disguiseToken({ oidc: { route, params } }: KoaContextWithOIDC): void {
  const token = params?.['token']
  if (!params || !TAKES_ANY_TOKEN.has(route) || typeof token !== 'string' || token === '') return
  params['token'] = DISGUISE + token
}

/** The token as we issued it, from the value that oidc-provider hands to a model. */
export function tokenAsIssued({ oidc: { route } }: KoaContextWithOIDC, token: string): string {
  return TAKES_ANY_TOKEN.has(route) && token.startsWith(DISGUISE) ? token.slice(DISGUISE.length) : token
}

/**
 * Relies on: the id of a model, which is the token, comes from `generateTokenId()`; `rotations` counts the tokens
 * before it, and `grantId` is set by then.
 */
export function nameRefreshTokensAfterTheirFamily(provider: Provider, format: RefreshTokenFormat): void {
  const { prototype } = provider.RefreshToken as unknown as { prototype: Record<string, unknown> }
  prototype['generateTokenId'] = function (this: { grantId: string; rotations?: number }) {
    return format.mint({ grantId: this.grantId, generation: this.rotations ?? 0 })
  }
}

/**
 * Whether the refresh token that is saved now replaces another token.
 *
 * Relies on: a refresh sets the exchanged token as an entity before it saves the next token.
 */
export function isRotation({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.RotatedRefreshToken !== undefined
}
