import { GatehouseError } from '../errors.ts'
import type { Gatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import { checkInput } from '../validation/check-input.ts'
import { booleanRule, optional } from '../validation/rules.ts'
import { signToken, type MintedToken } from './sign-token.ts'

/** The options of `mintToken`. */
export interface MintOptions {
  /**
   * Permits a store that is not `volatile`, such as Redis. Set it only in tests, because a minted token gives
   * access to the account that it names, without any consent. @default false
   */
  readonly allowPersistentStore?: boolean | undefined
}

/**
 * Signs an access token of this gatehouse for tests of the host's API, without any OAuth flow. The active key of the
 * gatehouse signs the token, so the gateway accepts it.
 *
 * @returns the JWT
 * @throws {GatehouseError} `ERR_PERSISTENT_STORE` if the store is not `volatile` and `allowPersistentStore` is not set,
 *   before anything is created; `ERR_INVALID_ARGUMENT` if a field or an option does not exist; and what `ready()` throws
 */
export async function mintToken<Scope extends string>(
  gatehouse: Gatehouse<Scope>,
  token: MintedToken<Scope>,
  options: MintOptions = {},
): Promise<string> {
  checkInput('mintToken() has invalid options', options, { allowPersistentStore: optional(booleanRule) })
  const internals = internalsOf(gatehouse, 'mintToken()')
  const { issuer, audience, lifetimes, store } = internals.settings
  if (!store.volatile && !options.allowPersistentStore) {
    throw new GatehouseError(
      'ERR_PERSISTENT_STORE',
      'mintToken() is for tests: use the memory store, or set { allowPersistentStore: true } if this store is for tests only',
    )
  }
  const { directAccessToken, delegatedAccessToken } = lifetimes
  const lifetime = token.mode === 'delegated' ? delegatedAccessToken : directAccessToken
  const key = await internals.signingKey()
  return signToken(key, { issuer, audience, lifetime, catalogEpoch: internals.catalog.current.epoch }, token)
}
