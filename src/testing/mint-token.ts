import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import type { Gatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import type { Store } from '../store/contract.ts'
import { isInUse } from '../store/in-use.ts'
import { checkMinted, signToken, type MintedToken } from './sign-token.ts'

/**
 * An access token of this gatehouse for tests of the host's API, without any flow: signed with the real key,
 * so that the real gateway takes it. Looks at the store before it does anything, so that nothing is created
 * where it rejects.
 *
 * @returns the JWT
 * @throws {GatehouseError} `ERR_TESTING_REFUSED` if the store keeps what it has, and a gatehouse has ever written
 *   to it anything but signing keys: clients, grants, sessions, tokens. It stays so until the store is emptied
 */
export async function mintToken<Scope extends string>(
  gatehouse: Gatehouse<Scope>,
  token: MintedToken<Scope>,
): Promise<string> {
  checkMinted(token)
  const internals = internalsOf(gatehouse)
  if (!internals)
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'mintToken() takes what createGatehouse() made')
  const { settings, store, catalog, signingKey } = internals
  if (!store.volatile && (await isInUseOnceThere(store))) {
    throw new GatehouseError(
      'ERR_TESTING_REFUSED',
      'this store has been in use: mintToken() is for tests, with the memory store or an empty one',
    )
  }
  const key = await signingKey()

  const { directAccessToken, delegatedAccessToken } = settings.lifetimes
  const { issuer, audience } = settings
  const lifetime = token.expiresIn ?? (token.mode === 'delegated' ? delegatedAccessToken : directAccessToken)
  const catalogEpoch = catalog.current.epoch
  return signToken(key, { issuer, audience, lifetime, catalogEpoch }, token)
}

/** Milliseconds that a store which is not there yet is waited for, and between attempts. */
const PATIENCE = 10_000
const RETRY_EVERY = 100

async function isInUseOnceThere(store: Store): Promise<boolean> {
  for (const until = Date.now() + PATIENCE; ;) {
    try {
      return await isInUse(store)
    } catch (error) {
      const isAway = error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE'
      if (!isAway || Date.now() > until) throw error
      await delay(RETRY_EVERY)
    }
  }
}
