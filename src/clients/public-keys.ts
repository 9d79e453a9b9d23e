import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Fault } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { identityOf, MAX_KEY_LENGTH, thumbprintOf, type PublicJwk } from './jwk-set.ts'

// The public keys with which clients authenticate (`private_key_jwt`, OpenID Connect Core 9). This file is loaded only
// with the option `privateKeyJwt`.

/** The sizes of RSA keys, in bits (RFC 7518 3.3). Longer keys would make each signature check slower. */
const RSA_BITS = { min: 2048, max: 4096 }

/** The exponent of nearly all RSA keys. Signatures of a key with a smaller exponent may be easier to forge. */
const SMALLEST_EXPONENT = 65_537n

const KEY_ID = /^[\w.~@=-]{1,200}$/

/** The algorithms for which the keys of each type can be used. */
const ALGORITHMS: Readonly<Record<PublicJwk['kty'], readonly string[]>> = {
  EC: ['ES256'],
  RSA: ['RS256', 'PS256'],
}

/**
 * Reads a public key that a client registers.
 *
 * @param given a JWK (RFC 7517), or a text in PEM format
 * @param now when the key is added, in epoch seconds
 * @returns the key in its stored form, or what is wrong with it. No message quotes the key
 */
export function readPublicKey(given: unknown, now: number): PublicJwk | Fault {
  if (isPrivate(given)) {
    const message =
      'is a private key: send the public key. If others may have seen this private key, create a new pair'
    return { code: 'private-key', message }
  }
  const key = parseKey(given)
  if (!key) return { code: 'public-key', message: 'must be a public key: a JWK, or a text in PEM format' }
  const members = membersOf(key)
  const { kid = thumbprintOf(members), alg, use = 'sig' } = isObject(given) ? given : {}
  const problem = findProblem(key, alg, use)
  if (problem !== undefined) return { code: 'key-type', message: problem }
  if (typeof kid !== 'string' || !KEY_ID.test(kid)) {
    return { code: 'format', message: 'has a kid, which must be 1 to 200 letters, digits and ._~@=-' }
  }
  return { ...members, kid, use, ...(alg !== undefined && { alg }), iat: now } as PublicJwk
}

/**
 * The identity of the key pair to which a private key belongs. A public key has no identity here, because a public key
 * cannot leak.
 *
 * @param text any text
 * @returns undefined if the text is not a private key
 */
export function identityOfPrivateKey(text: string): string | undefined {
  const given = text.startsWith('{') ? parseJson(text) : text
  const key = isPrivate(given) ? parseKey(given) : undefined
  return key && identityOf(membersOf(key))
}

/** The members of the JWK that are the public key itself. */
function membersOf(key: KeyObject): Parameters<typeof identityOf>[0] {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' })
  return (kty === 'EC' ? { kty, crv, x, y } : { kty, n, e }) as Parameters<typeof identityOf>[0]
}

function isPrivate(given: unknown): boolean {
  if (typeof given === 'string') return given.includes('PRIVATE KEY')
  return isObject(given) && (given['d'] !== undefined || given['kty'] === 'oct')
}

/** The public key of a key; undefined if the value is no key. */
function parseKey(given: unknown): KeyObject | undefined {
  try {
    if (isObject(given)) return createPublicKey({ key: given as JsonWebKey, format: 'jwk' })
    return typeof given === 'string' && given.length <= MAX_KEY_LENGTH ? createPublicKey(given) : undefined
  } catch {
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return text.length <= MAX_KEY_LENGTH ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** Why a public key cannot be used; undefined if it can. */
function findProblem(key: KeyObject, alg: unknown, use: unknown): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = details
  const { min, max } = RSA_BITS
  if (type !== 'ec' && type !== 'rsa') return 'must be an EC key with the curve P-256, or an RSA key'
  if (type === 'ec' && namedCurve !== 'prime256v1') return 'must have the curve P-256'
  if (type === 'rsa' && (modulusLength < min || modulusLength > max)) return `must have ${min} to ${max} bits`
  if (type === 'rsa' && publicExponent < SMALLEST_EXPONENT) return 'must have the exponent 65537 or more'
  if (use !== 'sig') return 'must be for signatures (use: sig)'
  const algorithms = ALGORITHMS[type === 'ec' ? 'EC' : 'RSA']
  if (alg !== undefined && !algorithms.some((each) => each === alg)) {
    return `must have no alg, or one of: ${algorithms.join(', ')}`
  }
  return undefined
}

/** Loads this file. */
export type LoadPublicKeys = () => Promise<{
  readonly readPublicKey: typeof readPublicKey
  readonly identityOfPrivateKey: typeof identityOfPrivateKey
}>
