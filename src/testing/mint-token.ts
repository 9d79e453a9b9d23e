import { GatehouseError } from '../errors.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { internalsOf } from '../internals.ts'
import { signToken, type MintedToken } from './sign-token.ts'

/**
 * An access token of this gatehouse for tests of the host's API, without any flow: signed with the real key,
 * so that the real gateway takes it.
 *
 * @returns the JWT
 * @throws {GatehouseError} `ERR_TESTING_REFUSED` if the store keeps what it has and holds API keys or
 *   applications: that is no test
 */
export async function mintToken<Scope extends string>(
  gatehouse: Gatehouse<Scope>,
  token: MintedToken<Scope>,
): Promise<string> {
  const internals = internalsOf(gatehouse)
  if (!internals)
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'mintToken() takes what createGatehouse() made')
  const { settings, store, signingKey } = internals
  const key = await signingKey()
  if (!store.volatile) await refuseRealData(gatehouse)

  const { directAccessToken, delegatedAccessToken } = settings.lifetimes
  const { issuer, audience } = settings
  const lifetime = token.expiresIn ?? (token.mode === 'delegated' ? delegatedAccessToken : directAccessToken)
  return signToken(key, { issuer, audience, lifetime }, token)
}

async function refuseRealData(gatehouse: Gatehouse): Promise<void> {
  const [keys, applications] = await Promise.all([
    gatehouse.apiKeys.list({ limit: 1 }),
    gatehouse.applications.list({ limit: 1 }),
  ])
  if (keys.items.length + applications.items.length === 0) return
  throw new GatehouseError(
    'ERR_TESTING_REFUSED',
    'this store holds API keys or applications: mintToken() is for tests, with the memory store or an empty one',
  )
}
