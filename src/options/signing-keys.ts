import { createPrivateKey, createPublicKey, sign, verify, type JsonWebKey } from 'node:crypto'
import { thumbprintOf, type PublicJwk } from '../clients/jwk-set.ts'
import { isObject } from '../validation/predicates.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import { PUBLISH_AHEAD_SECONDS, ROTATE_AFTER_SECONDS } from '../keys/rotation-policy.ts'
import {
  exactObjectOf,
  ruleWith,
  together,
  valueOf,
  type AddProblem,
  type Rule,
} from '../validation/rules.ts'
import { seconds } from './shared-schema.ts'

const scheduleRule = exactObjectOf(
  {
    rotateAfterSeconds: seconds(ROTATE_AFTER_SECONDS),
    publishAheadSeconds: seconds(PUBLISH_AHEAD_SECONDS),
  },
  'is unknown; expected rotateAfterSeconds and publishAheadSeconds, or jwks alone',
)

const jwkSetRule: Rule = (jwks) =>
  isObject(jwks) && Array.isArray(jwks['keys'])
    ? undefined
    : 'must be a JWK Set: { keys: [...] } (RFC 7517 5)'

const hostKeysRule = exactObjectOf(
  {
    jwks: ruleWith(together(jwkSetRule, readKeys), {
      read: (jwks) => ({ keys: readKeys(jwks as { keys: readonly unknown[] }, () => {}) }),
    }),
  },
  'is unknown; expected jwks alone, or rotateAfterSeconds and publishAheadSeconds',
)

const isHostKeys = (value: unknown) => isObject(value) && value['jwks'] !== undefined

/** The option `signingKeys` with its defaults, and which keys a host may give. The messages never quote a private key. */
export const signingKeysRule = ruleWith(
  (value) => {
    if (isHostKeys(value)) return hostKeysRule(value)
    const found = scheduleRule(value)
    if (found !== undefined) return found
    const { rotateAfterSeconds, publishAheadSeconds } = valueOf(scheduleRule, value)
    if (publishAheadSeconds < rotateAfterSeconds) return undefined
    const message = `must be less than rotateAfterSeconds (${rotateAfterSeconds}): a key is published before it signs`
    return [{ path: '.publishAheadSeconds', code: 'not-allowed', message }]
  },
  { read: (value) => (isHostKeys(value) ? valueOf(hostKeysRule, value) : valueOf(scheduleRule, value)) },
)

/** The valid keys of a JWK Set. @param add receives the problems of the others */
function readKeys({ keys: jwks }: { readonly keys?: unknown }, add: AddProblem): readonly SigningJwk[] {
  const keys: SigningJwk[] = []
  if (!Array.isArray(jwks)) return keys
  for (const [position, jwk] of (jwks as unknown[]).entries()) {
    const key = readSigningJwk(jwk)
    if (typeof key === 'string') add(['keys', position], key)
    else if (keys.some(({ kid }) => kid === key.kid))
      add(['keys', position, 'kid'], { code: 'duplicate', message: `"${key.kid}" is in the set twice` })
    else {
      // The same key must not have two kids: if one is revoked, tokens with the other would stay valid.
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
  return keys
}

/** The minimum size of an RSA key (RFC 7518 3.3). */
const MIN_RSA_BITS = 2048

const MEMBERS = { ES256: ['crv', 'x', 'y', 'd'], RS256: ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] } as const

/** Returns the key with `kid`, `alg` and `use`, or its problem. The message quotes no part of the key. */
function readSigningJwk(jwk: unknown): SigningJwk | string {
  if (!isObject(jwk)) return 'must be a JWK (RFC 7517 4)'
  const { kty, crv, kid, use, alg, key_ops: operations } = jwk
  if (kty === 'oct') return 'is symmetric: every verifier of tokens could also sign them'
  const expected = kty === 'EC' && crv === 'P-256' ? 'ES256' : kty === 'RSA' ? 'RS256' : undefined
  if (expected === undefined) return 'must be a key for ES256 (EC with the curve P-256) or RS256 (RSA)'
  if (alg !== undefined && alg !== expected)
    return `has an alg that is not ${expected}, the alg of this kind of key`
  if (use !== undefined && use !== 'sig') return "has a use that is not 'sig'"
  const operation = jwk['d'] === undefined ? 'verify' : 'sign'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    return `has key_ops without '${operation}'`
  }
  if (kid !== undefined && (typeof kid !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(kid))) {
    return 'must have a kid of 1 to 200 printable ASCII characters without spaces, or none'
  }
  const problem = materialProblem(jwk, expected)
  if (problem !== undefined) return problem
  const key = pick(jwk, MEMBERS[expected])
  return { ...key, kty: String(kty), kid: kid ?? thumbprint(jwk), alg: expected, use: 'sig' }
}

/** The thumbprint of the public part: two JWKs of the same key have the same, however they are written. */
function keyMaterialOf(key: Record<string, unknown>): string {
  return thumbprint(createPublicKey(asInput(key)).export({ format: 'jwk' }))
}

/** The private key signs data, and the public key verifies it: only this proves that the members belong together. */
function materialProblem(jwk: Record<string, unknown>, alg: 'ES256' | 'RS256'): string | undefined {
  const isPrivate = jwk['d'] !== undefined
  try {
    const publicMembers = MEMBERS[alg].slice(0, alg === 'ES256' ? 3 : 2)
    const publicKey = createPublicKey(asInput({ kty: jwk['kty'], ...pick(jwk, publicMembers) }))
    const bits = publicKey.asymmetricKeyDetails?.modulusLength
    if (bits !== undefined && bits < MIN_RSA_BITS)
      return `has ${bits} bits; RSA keys need at least ${MIN_RSA_BITS}`
    if (!isPrivate) return undefined
    const privateKey = createPrivateKey(asInput({ kty: jwk['kty'], ...pick(jwk, MEMBERS[alg]) }))
    const data = Buffer.from('koa-gatehouse')
    if (verify('sha256', data, publicKey, sign('sha256', data, privateKey))) return undefined
    return 'has a private part that belongs to another public part'
  } catch {
    // The caught error is dropped, because it could quote private members.
    return `is no ${isPrivate ? 'private key that can be read as a JWK' : 'public key'} (RFC 7518 6)`
  }
}

function asInput(key: Record<string, unknown>) {
  return { key: key as JsonWebKey, format: 'jwk' as const }
}

function thumbprint(key: Record<string, unknown>): string {
  return thumbprintOf(key as unknown as PublicJwk)
}

function pick(jwk: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => jwk[name] !== undefined).map((name) => [name, jwk[name]]))
}
