import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { Gatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import { subjectOf } from '../host/subject.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import { checkInput, anyValue, booleanRule, listOf, oneOf, optional, type Rule } from '../validation/rules.ts'

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
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `token` has an unknown field
 */
export async function signToken(
  key: SigningJwk,
  service: { issuer: string; audience: string; lifetime: number; catalogEpoch?: number },
  token: MintedToken,
): Promise<string> {
  checkInput('the token has invalid fields', token, FIELDS)
  const {
    accountId,
    userId,
    scopes,
    mode = 'direct',
    clientId = 'test-client',
    expiresIn = service.lifetime,
  } = token
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({
    client_id: clientId,
    scope: scopes.join(' '),
    access_mode: mode,
    account_id: accountId,
    access_epoch: 0,
    catalog_epoch: service.catalogEpoch ?? 0,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(mode === 'delegated' ? { grant_id: `test-${randomUUID()}` } : {}),
  })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(service.issuer)
    .setAudience(service.audience)
    .setSubject(mode === 'direct' ? clientId : subjectOf({ accountId, userId }))
    .setJti(randomUUID())
    .setIssuedAt(Math.min(now, now + expiresIn))
    .setExpirationTime(now + expiresIn)
    .sign(await importJWK(key, key.alg))
}

/** The options of `mintToken`. */
export interface MintOptions {
  /**
   * Permits a store that is not `volatile`, such as Redis. Set it only in tests, because a minted token gives
   * access to the account that it names, without any consent. @default false
   */
  readonly allowPersistentStore?: boolean | undefined
  /** The resource for which the token is, one of the option `resources`. @default {base_url} */
  readonly resource?: string | undefined
}

/**
 * Signs an access token of this gatehouse for tests of the host's API, without any OAuth flow. The active key of the
 * gatehouse signs the token, so the gateway accepts it.
 *
 * @returns the JWT
 * @throws {GatehouseError} `ERR_PERSISTENT_STORE` if the store is not `volatile` and `allowPersistentStore` is not set,
 *   before anything is created; `ERR_INVALID_ARGUMENT` if a field or an option does not exist, or if no
 *   operation has a scope of the token; and what `ready()` throws
 */
export async function mintToken<Scope extends string>(
  gatehouse: Gatehouse<Scope>,
  token: MintedToken<NoInfer<Scope>>,
  options: MintOptions = {},
): Promise<string> {
  const internals = internalsOf(gatehouse, 'mintToken()')
  const { issuer, audience, resources, lifetimes, store } = internals.settings
  const rules = {
    allowPersistentStore: optional(booleanRule),
    resource: optional(oneOf(audience, ...Object.keys(resources))),
  }
  checkInput('mintToken() has invalid options', options, rules)
  if (!store.volatile && !options.allowPersistentStore) {
    throw new GatehouseError(
      'ERR_PERSISTENT_STORE',
      'mintToken() is for tests: use the memory store, or set { allowPersistentStore: true } if this store is for tests only',
    )
  }
  const { directAccessToken, delegatedAccessToken } = lifetimes
  const lifetime = token.mode === 'delegated' ? delegatedAccessToken : directAccessToken
  const key = await internals.signingKey()
  const { operations, epoch: catalogEpoch } = internals.catalog.current
  const knownScope: Rule = (scope) =>
    typeof scope === 'string' && operations.has(scope)
      ? undefined
      : { code: 'not-found', message: `no operation has the scope ${String(scope)}` }
  checkInput('the token has invalid fields', token, { ...FIELDS, scopes: listOf(knownScope) })
  const { resource = audience } = options
  return signToken(key, { issuer, audience: resource, lifetime, catalogEpoch }, token)
}
