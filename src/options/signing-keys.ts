import * as v from 'valibot'
import { isObject } from '../validation/predicates.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import { exactly, resolvedBy, seconds, type AddProblem } from './rules.ts'
import { keyMaterialOf, readSigningJwk } from './signing-jwk.ts'

const DAY = 86_400

/** The schedule of the key rotation. */
const schedule = v.pipe(
  exactly(
    { rotateAfterSeconds: seconds(90 * DAY, 3660 * DAY, 2), publishAheadSeconds: seconds(DAY, 366 * DAY) },
    { known: 'rotateAfterSeconds and publishAheadSeconds, or jwks alone' },
  ),
  v.forward(
    v.check(
      ({ rotateAfterSeconds, publishAheadSeconds }) => publishAheadSeconds < rotateAfterSeconds,
      ({ input }) =>
        `must be less than rotateAfterSeconds (${input.rotateAfterSeconds}): a key is published before it signs`,
    ),
    ['publishAheadSeconds'],
  ),
)

/** The host's own keys. The host decides when these keys change. */
const hostKeys = exactly(
  { jwks: resolvedBy(resolveKeySet) },
  { known: 'jwks alone, or rotateAfterSeconds and publishAheadSeconds' },
)

/** The option `signingKeys` with its defaults. The messages never quote a private key. */
export const signingKeysSchema = v.optional(
  v.lazy((value) => (isObject(value) && value['jwks'] !== undefined ? hostKeys : schedule)),
  {},
)

function resolveKeySet(jwks: unknown, add: AddProblem): { readonly keys: readonly SigningJwk[] } {
  const keys: SigningJwk[] = []
  if (!isObject(jwks) || !Array.isArray(jwks['keys'])) {
    add([], 'must be a JWK Set: { keys: [...] } (RFC 7517 5)')
    return { keys }
  }
  for (const [position, jwk] of (jwks['keys'] as unknown[]).entries()) {
    const key = readSigningJwk(jwk)
    if (typeof key === 'string') add(['keys', position], key)
    else if (keys.some(({ kid }) => kid === key.kid))
      add(['keys', position, 'kid'], {
        code: 'duplicate',
        message: `"${key.kid}" is in the set twice`,
      })
    else {
      // The same key must not have two kids: if one kid is revoked, tokens with the other kid would stay
      // valid.
      const same = keys.find((other) => keyMaterialOf(other) === keyMaterialOf(key))
      if (same) add(['keys', position], `is the same key as "${same.kid}", with another kid`)
      keys.push(key)
    }
  }
  for (const alg of ['ES256', 'RS256'] as const) {
    if (keys.some((key) => key.alg === alg && key.d !== undefined)) continue
    const use = alg === 'ES256' ? 'access tokens' : 'ID tokens'
    add(['keys'], `has no private key for ${alg}, which signs ${use}`)
  }
  return { keys }
}
