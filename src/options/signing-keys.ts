import { createHash, createPrivateKey, createPublicKey, sign, verify, type JsonWebKey } from 'node:crypto'
import { isObject } from '../validation/predicates.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { GatehouseOptions } from './options.ts'
import type { AddProblem } from './parse-options.ts'
import type { Settings } from './resolved-options.ts'

const DAY = 86_400
const DEFAULTS = { rotateAfterSeconds: 90 * DAY, publishAheadSeconds: DAY }
const LIMITS = { rotateAfterSeconds: [2, 3660 * DAY], publishAheadSeconds: [1, 366 * DAY] } as const
const SCHEDULE = ['rotateAfterSeconds', 'publishAheadSeconds'] as const

/** Bits that an RSA key has at least (RFC 7518 3.3). */
const FEWEST_BITS = 2048

/** The option `signingKeys` with its defaults; what is wrong with it goes to `add`. */
export function resolveSigningKeys(
  given: GatehouseOptions['signingKeys'],
  add: AddProblem,
): Settings['signingKeys'] {
  if (given === undefined) return Object.freeze({ ...DEFAULTS })
  if (!isObject(given)) {
    add(
      ['signingKeys'],
      'must be an object with `rotateAfterSeconds` and `publishAheadSeconds`, or with `jwks`',
    )
    return DEFAULTS
  }
  const unknown = Object.keys(given).filter((name) => name !== 'jwks' && !isOneOf(SCHEDULE, name))
  for (const name of unknown) {
    add(['signingKeys', name], `is unknown; what can stand here is ${SCHEDULE.join(', ')}, or jwks alone`)
  }
  return given['jwks'] === undefined ? resolveSchedule(given, add) : resolveHostKeys(given, add)
}

function resolveSchedule(given: Record<string, unknown>, add: AddProblem): Settings['signingKeys'] {
  const schedule = { ...DEFAULTS }
  for (const name of SCHEDULE) {
    const value = given[name] ?? DEFAULTS[name]
    const [least, most] = LIMITS[name]
    if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > most) {
      add(['signingKeys', name], `must be a whole number of seconds from ${least} to ${most}`)
      return schedule
    }
    schedule[name] = Number(value)
  }
  const { rotateAfterSeconds, publishAheadSeconds } = schedule
  if (publishAheadSeconds >= rotateAfterSeconds) {
    add(
      ['signingKeys', 'publishAheadSeconds'],
      `must be less than \`rotateAfterSeconds\` (${rotateAfterSeconds}): a key is to be published before its turn comes`,
    )
  }
  return Object.freeze(schedule)
}

function resolveHostKeys(given: Record<string, unknown>, add: AddProblem): Settings['signingKeys'] {
  for (const name of SCHEDULE.filter((one) => given[one] !== undefined)) {
    add(['signingKeys', name], 'says when keys change, which is up to you with `jwks`: leave one of them out')
  }
  const { jwks } = given
  if (!isObject(jwks) || !Array.isArray(jwks['keys'])) {
    add(['signingKeys', 'jwks'], 'must be a JWK Set: { keys: [...] } (RFC 7517 5)')
    return DEFAULTS
  }
  const keys: SigningJwk[] = []
  for (const [position, jwk] of (jwks['keys'] as unknown[]).entries()) {
    const path = ['signingKeys', 'jwks', 'keys', position]
    const key = readKey(jwk)
    if (typeof key === 'string') add(path, key)
    else if (keys.some(({ kid }) => kid === key.kid))
      add([...path, 'kid'], `"${key.kid}" is in the set twice`)
    else {
      // Revoked by one name, it would be good by the other.
      const same = keys.find((other) => materialOf(other) === materialOf(key))
      if (same) add(path, `is the key "${same.kid}" once more, by another name`)
      keys.push(key)
    }
  }
  for (const alg of ['ES256', 'RS256'] as const) {
    if (keys.some((key) => key.alg === alg && key.d !== undefined)) continue
    const use = alg === 'ES256' ? 'access tokens' : 'ID tokens'
    add(['signingKeys', 'jwks', 'keys'], `has no private key for ${alg}, which signs ${use}`)
  }
  return Object.freeze({ jwks: Object.freeze({ keys: Object.freeze(keys) }) })
}

/** A key with `kid`, `alg` and `use`, or what is wrong with it. What it holds is never part of a message. */
function readKey(jwk: unknown): SigningJwk | string {
  if (!isObject(jwk)) return 'must be a JWK (RFC 7517 4)'
  const { kty, crv, kid, use, alg, key_ops: operations } = jwk
  if (kty === 'oct') return 'is symmetric: whoever verified tokens with it could make them'
  const fits = kty === 'EC' && crv === 'P-256' ? 'ES256' : kty === 'RSA' ? 'RS256' : undefined
  if (fits === undefined) return 'must be a key for ES256 (EC with the curve P-256) or RS256 (RSA)'
  if (alg !== undefined && alg !== fits)
    return `has an alg that is not ${fits}, which its kind of key is used for`
  if (use !== undefined && use !== 'sig') return "has a use that is not 'sig'"
  const operation = jwk['d'] === undefined ? 'verify' : 'sign'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    return `has key_ops without '${operation}'`
  }
  if (kid !== undefined && (typeof kid !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(kid))) {
    return 'must have a kid of 1 to 200 printable ASCII characters without spaces, or none'
  }
  const problem = materialProblem(jwk, fits)
  if (problem !== undefined) return problem
  return { ...pick(jwk, MEMBERS[fits]), kty: String(kty), kid: kid ?? thumbprint(jwk), alg: fits, use: 'sig' }
}

const MEMBERS = { ES256: ['crv', 'x', 'y', 'd'], RS256: ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] } as const

/** Tries the key out: whether its parts belong together shows when it signs. */
function materialProblem(jwk: Record<string, unknown>, alg: 'ES256' | 'RS256'): string | undefined {
  const isPrivate = jwk['d'] !== undefined
  try {
    const publicMembers = MEMBERS[alg].slice(0, alg === 'ES256' ? 3 : 2)
    const publicKey = createPublicKey(asInput({ kty: jwk['kty'], ...pick(jwk, publicMembers) }))
    const bits = publicKey.asymmetricKeyDetails?.modulusLength
    if (bits !== undefined && bits < FEWEST_BITS)
      return `is of ${bits} bits; RSA keys need at least ${FEWEST_BITS}`
    if (!isPrivate) return undefined
    const privateKey = createPrivateKey(asInput({ kty: jwk['kty'], ...pick(jwk, MEMBERS[alg]) }))
    const text = Buffer.from('koa-gatehouse')
    if (verify('sha256', text, publicKey, sign('sha256', text, privateKey))) return undefined
    return 'has a private part that belongs to another public part'
  } catch {
    // The cause could quote what is secret.
    return isPrivate
      ? 'is no private key that can be read as a JWK (RFC 7518 6)'
      : 'is no public key (RFC 7518 6)'
  }
}

function asInput(key: Record<string, unknown>) {
  return { key: key as JsonWebKey, format: 'jwk' as const }
}

/** What two keys have in common that are the same, however it is written. */
function materialOf(key: Record<string, unknown>): string {
  return thumbprint(createPublicKey(asInput(key)).export({ format: 'jwk' }))
}

/** RFC 7638. */
function thumbprint({ kty, crv, x, y, n, e }: Record<string, unknown>): string {
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y }
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}

function pick(jwk: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => jwk[name] !== undefined).map((name) => [name, jwk[name]]))
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name)
}
