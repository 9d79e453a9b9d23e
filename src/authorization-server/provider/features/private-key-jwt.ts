import { errors, type Adapter, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { CLOCK_SKEW_SECONDS, NOT_BEFORE_TOLERANCE_SECONDS } from '../../../async/clock-tolerances.ts'
import { identityOf, keysOf } from '../../../clients/jwk-set.ts'
import { parsePart } from '../../../gateway/verify-own-token.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { modelAdapter } from '../models/adapter.ts'
import { recordOf, requestState } from '../request-state.ts'

// Clients that authenticate with a signed assertion (RFC 7523 2.2, OpenID Connect Core 9: `private_key_jwt`). This file
// is loaded only with the option `privateKeyJwt` or `clientDocuments`.

export const ASSERTION_ALGORITHMS = ['ES256', 'RS256', 'PS256'] as const

const MAX_LIFETIME_SECONDS = 300

/** Seconds for which oidc-provider accepts an assertion after its end. */
const CLOCK_TOLERANCE_SECONDS = 15

/** Header parameters that would name another key than a registered one (RFC 7515 4.1). */
const KEY_PARAMETERS = ['jwk', 'jku', 'x5c', 'x5u', 'crit']

type CheckAssertion = NonNullable<Configuration['assertJwtClientAuthClaimsAndHeader']>

/**
 * Creates the check of an assertion that oidc-provider has verified.
 * @param parts.issuer {auth_url}. An assertion that was made for another service could be replayed here
 * @param parts.store confirmed writes: an assertion must not be usable again after the loss of a server
 */
export function createAssertionCheck(
  { issuer, store }: { readonly issuer: string; readonly store: Pick<Store, 'create'> },
  authenticated: (ctx: KoaContextWithOIDC, client: Client) => Promise<void>,
): CheckAssertion {
  return async function checkAssertion(ctx, claims, header, client) {
    const problem = findProblem(claims, issuer)
    if (problem !== undefined) throw new errors.InvalidClientAuth(problem)
    const named = KEY_PARAMETERS.find((name) => header[name] !== undefined)
    if (named !== undefined) throw new errors.InvalidClientAuth(`the header must not have ${named}`)
    const { exp, jti } = claims as { exp: number; jti: string }
    await useOnce(store, [client.clientId, jti], exp)
    requestState(ctx).credential = usedKey(client, header['kid'])
    await authenticated(ctx, client)
  }
}

/** For its developer: why no client may use an assertion. The answer is the same for every client id. */
export function findProblemInAssertion(assertion: string, issuer: string): string | undefined {
  const claims = parsePart(assertion.split('.')[1] ?? '')
  return claims && findProblem(claims, issuer)
}

function findProblem({ aud, exp, iat, jti }: Readonly<Record<string, unknown>>, issuer: string) {
  const now = Date.now() / 1000
  const latest = now + MAX_LIFETIME_SECONDS + NOT_BEFORE_TOLERANCE_SECONDS
  if (JSON.stringify([aud].flat()) !== JSON.stringify([issuer]))
    return `client_assertion: aud must be the issuer alone, ${issuer}`
  if (typeof exp !== 'number' || exp <= now - CLOCK_TOLERANCE_SECONDS || exp > latest)
    return `client_assertion: exp must be at most ${MAX_LIFETIME_SECONDS} seconds ahead, and not over; ${CLOCK}`
  if (iat !== undefined && (typeof iat !== 'number' || iat > now + MAX_LIFETIME_SECONDS))
    return `client_assertion: iat must not be in the future; ${CLOCK}`
  if (typeof jti !== 'string' || jti === '')
    return 'client_assertion: jti must be a random text, a new one in each assertion'
  return undefined
}

const CLOCK = 'it is in seconds since 1970, by the clock in the header Date of this response'

/** @throws invalid_client if the assertion was used before: only one request can make this write */
async function useOnce(
  store: Pick<Store, 'create'>,
  id: readonly [clientId: string, jti: string],
  exp: number,
): Promise<void> {
  const ttl = Math.max(1, Math.ceil(exp - Date.now() / 1000)) + CLOCK_SKEW_SECONDS
  if (await store.create(`assertion:${digest(JSON.stringify(id))}`, '1', ttl)) return
  throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
}

/** An assertion of a client with several keys may name none. */
function usedKey(client: Client, kid: unknown): { readonly hash: string } | undefined {
  const keys = keysOf(recordOf(client))
  const key = keys.length === 1 ? keys[0] : keys.find((each) => each.kid === kid)
  return key && { hash: identityOf(key) }
}

/** oidc-provider looks for an assertion, and then saves it: two processes may do both at once. */
export const noMemory: Adapter = modelAdapter('ReplayDetection', {
  find: async () => undefined,
  upsert: async () => {},
})
