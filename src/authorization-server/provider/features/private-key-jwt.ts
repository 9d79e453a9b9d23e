import { errors, type Adapter, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { NOT_BEFORE_TOLERANCE_SECONDS } from '../../../async/clock-tolerances.ts'
import { identityOf, keysOf } from '../../../clients/jwk-set.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { modelAdapter } from '../models/adapter.ts'
import { recordOf, requestState } from '../request-state.ts'

// Clients that authenticate with a signed assertion (RFC 7523 2.2, OpenID Connect Core 9: `private_key_jwt`). This file is
// loaded only with the option `privateKeyJwt`.

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
 * @param issuer {auth_url}. The assertion must be for this issuer alone: an assertion that was made for another service
 *   could be replayed here
 */
export function createAssertionCheck(
  issuer: string,
  authenticated: (ctx: KoaContextWithOIDC, client: Client) => Promise<void>,
): CheckAssertion {
  return async function checkAssertion(ctx, claims, header, client) {
    const { aud, exp } = claims
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
    requestState(ctx).credential = usedKey(client, header['kid'])
    await authenticated(ctx, client)
  }
}

/** The key that made the assertion, as far as it is known: an assertion of a client with several keys may name none. */
function usedKey(client: Client, kid: unknown): { readonly hash: string } | undefined {
  const keys = keysOf(recordOf(client))
  const key = keys.length === 1 ? keys[0] : keys.find((each) => each.kid === kid)
  return key && { hash: identityOf(key) }
}

/**
 * The assertions that were used. oidc-provider looks for an assertion first, and saves it if there is none. Two processes
 * may do both at the same time. So `find` finds nothing, and `upsert` rejects a used assertion in the same write that
 * stores a new one.
 *
 * @param store confirmed writes: an assertion must not be usable again after the loss of a server
 */
export function usedAssertions(store: Pick<Store, 'create'>): Adapter {
  return modelAdapter('ReplayDetection', {
    find: async () => undefined,
    async upsert(id, _payload, ttl) {
      if (await store.create(`assertion:${digest(id)}`, '1', Math.max(1, Math.ceil(ttl ?? 1)))) return
      throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
    },
  })
}
