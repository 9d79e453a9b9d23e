import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { subjectOf } from '../host/subject.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import { checkInput } from '../validation/check-input.ts'
import { anyValue, type Rule } from '../validation/rules.ts'

/** The content of a minted token. */
export interface MintedToken<Scope extends string = string> {
  /** The account that the token acts on. */
  readonly accountId: string
  /** The user, a member of that account. */
  readonly userId?: string | undefined
  readonly scopes: readonly Scope[]
  /**
   * Seconds from now until the token expires; negative for a token that has already expired.
   * @default the lifetime of its mode
   */
  readonly expiresIn?: number | undefined
  /** How the client got the token: `direct` or `delegated` access. @default 'direct' */
  readonly mode?: 'direct' | 'delegated' | undefined
  /** The id of the client that the token was issued to. @default 'test-client' */
  readonly clientId?: string | undefined
}

const FIELDS = {
  accountId: anyValue,
  userId: anyValue,
  scopes: anyValue,
  expiresIn: anyValue,
  mode: anyValue,
  clientId: anyValue,
} satisfies Record<keyof MintedToken, Rule>

/**
 * Signs an access token with the claims of the tokens that a gatehouse issues (RFC 9068 2).
 *
 * @param options.lifetime seconds until the token expires, unless the token has `expiresIn`
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the token has a field that does not exist
 */
export async function signToken(
  key: SigningJwk,
  {
    issuer,
    audience,
    lifetime,
    catalogEpoch = 0,
  }: { issuer: string; audience: string; lifetime: number; catalogEpoch?: number },
  token: MintedToken,
): Promise<string> {
  checkInput('the token has invalid fields', token, FIELDS)
  const { accountId, userId, scopes, mode = 'direct', clientId = 'test-client', expiresIn = lifetime } = token
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({
    client_id: clientId,
    scope: scopes.join(' '),
    access_mode: mode,
    account_id: accountId,
    access_epoch: 0,
    catalog_epoch: catalogEpoch,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(mode === 'delegated' ? { grant_id: `test-${randomUUID()}` } : {}),
  })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(mode === 'direct' ? clientId : subjectOf({ accountId, userId }))
    .setJti(randomUUID())
    .setIssuedAt(Math.min(now, now + expiresIn))
    .setExpirationTime(now + expiresIn)
    .sign(await importJWK(key, key.alg))
}
