import { errors, type Adapter, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { CLOCK_SKEW_SECONDS, NOT_BEFORE_TOLERANCE_SECONDS } from '../../../async/clock-tolerances.ts'
import { identityOf, keysOf } from '../../../clients/jwk-set.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { modelAdapter } from '../models/adapter.ts'
import { recordOf, requestState } from '../request-state.ts'

// Clients that authenticate with a signed assertion (RFC 7523 2.2, OpenID Connect Core 9: `private_key_jwt`). This file
// is loaded only with the option `privateKeyJwt` or `clientDocuments`.

/** The algorithms of assertions. */
export const ASSERTION_ALGORITHMS = ['ES256', 'RS256', 'PS256'] as const

/** Seconds for which an assertion may be valid. */
const MAX_LIFETIME_SECONDS = 300

/** Header parameters that would name another key than a registered one (RFC 7515 4.1). */
const KEY_PARAMETERS = ['jwk', 'jku', 'x5c', 'x5u', 'crit']

type CheckAssertion = NonNullable<Configuration['assertJwtClientAuthClaimsAndHeader']>

/**
 * Creates the check of an assertion, after oidc-provider has verified its signature, its times and its issuer.
 *
 * @param parts.issuer {auth_url}. The assertion must be for this issuer alone: an assertion that was made for another
 *   service could be replayed here
 * @param parts.store confirmed writes: an assertion must not be usable again after the loss of a server
 */
export function createAssertionCheck(
  { issuer, store }: { readonly issuer: string; readonly store: Pick<Store, 'create'> },
  authenticated: (ctx: KoaContextWithOIDC, client: Client) => Promise<void>,
): CheckAssertion {
  return async function checkAssertion(ctx, claims, header, client) {
    const { aud, exp, jti } = claims
    if ([aud].flat().length !== 1 || [aud].flat()[0] !== issuer) {
      throw new errors.InvalidClientAuth('aud (JWT audience) must be the issuer alone')
    }
    const latest = Date.now() / 1000 + MAX_LIFETIME_SECONDS + NOT_BEFORE_TOLERANCE_SECONDS
    if (typeof exp !== 'number' || exp > latest) {
      throw new errors.InvalidClientAuth(
        `exp (JWT expiration) must be at most ${MAX_LIFETIME_SECONDS} seconds ahead`,
      )
    }
    const named = KEY_PARAMETERS.find((name) => header[name] !== undefined)
    if (named !== undefined) throw new errors.InvalidClientAuth(`the header must not have ${named}`)
    if (typeof jti !== 'string') throw new errors.InvalidClientAuth('jti (JWT ID) must be a text')
    await useOnce(store, [client.clientId, jti], exp)
    requestState(ctx).credential = usedKey(client, header['kid'])
    await authenticated(ctx, client)
  }
}

/**
 * Uses an assertion, in one write that only one request can make.
 *
 * @throws invalid_client if it was used before
 */
async function useOnce(
  store: Pick<Store, 'create'>,
  id: readonly [clientId: string, jti: string],
  exp: number,
): Promise<void> {
  const ttl = Math.max(1, Math.ceil(exp - Date.now() / 1000)) + CLOCK_SKEW_SECONDS
  if (await store.create(`assertion:${digest(JSON.stringify(id))}`, '1', ttl)) return
  throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
}

/** The key that made the assertion, as far as it is known: an assertion of a client with several keys may name none. */
function usedKey(client: Client, kid: unknown): { readonly hash: string } | undefined {
  const keys = keysOf(recordOf(client))
  const key = keys.length === 1 ? keys[0] : keys.find((each) => each.kid === kid)
  return key && { hash: identityOf(key) }
}

/**
 * oidc-provider's own memory of used assertions, which stays empty. It looks for an assertion first, and saves it if
 * there is none: two processes may do both at the same time. So `useOnce` remembers them.
 */
export const noMemory: Adapter = modelAdapter('ReplayDetection', {
  find: async () => undefined,
  upsert: async () => {},
})
