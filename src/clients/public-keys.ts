import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Fault } from '../errors.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'
import { identityOf, MAX_KEY_LENGTH, thumbprintOf, type PublicJwk } from './jwk-set.ts'

// Public keys of clients (`private_key_jwt`, OpenID Connect Core 9). This file is loaded when it is first needed.

/** In bits (RFC 7518 3.3). Longer keys would make each signature check slower. */
const RSA_BITS = { min: 2048, max: 4096 }

/** Signatures with a smaller exponent may be easier to forge, and a larger one makes checks slower. */
const EXPONENT = 65_537n

/** In characters. The modulus of an RSA key with 4096 bits has 683. */
const MAX_MEMBER_LENGTH = 700

const KEY_ID = /^[\w.~@=-]{1,200}$/

const ALGORITHMS: Readonly<Record<PublicJwk['kty'], readonly string[]>> = {
  EC: ['ES256'],
  RSA: ['RS256', 'PS256'],
}

/**
 * Reads a public key that a client registers: P-256, or RSA of 2048 to 4096 bits. No message quotes the key.
 * @param input a JWK (RFC 7517), its text, or a text in PEM format @param now epoch seconds
 */
export function readPublicKey(input: unknown, now: number): PublicJwk | Fault {
  const mayBeJson = typeof input === 'string' && input.length <= MAX_KEY_LENGTH
  const given = mayBeJson ? (parseJson(input) ?? input) : input
  if (isPrivate(given)) {
    const message =
      'is a private key: send the public key. If others may have seen this private key, create a new pair'
    return { code: 'private-key', message }
  }
  const key = parseKey(given)
  if (!key) return { code: 'public-key', message: 'must be a public key: a JWK, or a text in PEM format' }
  const { alg, use = 'sig', kid: ownId } = isObject(given) ? given : {}
  const problem = findProblem(key, alg, use)
  if (problem !== undefined) return { code: 'key-type', message: problem }
  const members = membersOf(key)
  const kid = ownId ?? thumbprintOf(members)
  if (typeof kid !== 'string' || !KEY_ID.test(kid)) {
    return { code: 'format', message: 'has a kid, which must be 1 to 200 letters, digits and ._~@=-' }
  }
  return { ...members, kid, use, ...(alg !== undefined && { alg }), iat: now } as PublicJwk
}

/**
 * A public key has no identity here, because it cannot leak. Only the first private key that a client can use counts.
 * @param text any. A PEM key may be within other text, quoted, or in one line. A JWK or JWK Set must be the whole text
 */
export function identityOfPrivateKey(text: string): string | undefined {
  if (text.length > MAX_KEY_LENGTH) return undefined
  const key = [privatePemIn(text), ...privateJwksIn(text)]
    .map(parseKey)
    .find((each) => each && isUsableType(each))
  return key && identityOf(membersOf(key))
}

/** Files and programs often write the line breaks as `\\n`. */
function privatePemIn(text: string): string | undefined {
  const block = /-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([^-]*)-----END \1-----/.exec(text)
  if (!block) return undefined
  const [, label = '', content = ''] = block
  const base64 = content.replaceAll(/\\[rn]|[^A-Za-z0-9+/=]/g, '')
  return `-----BEGIN ${label}-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`
}

function privateJwksIn(text: string): object[] {
  const given = parseJson(text)
  const keys = isObject(given) && Array.isArray(given['keys']) ? (given['keys'] as unknown[]) : [given]
  return keys.filter(isObject).filter(isPrivate)
}

function membersOf(key: KeyObject): Parameters<typeof identityOf>[0] {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' })
  return (kty === 'EC' ? { kty, crv, x, y } : { kty, n, e }) as Parameters<typeof identityOf>[0]
}

/** RFC 7518 6. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

function isPrivate(given: unknown): boolean {
  if (typeof given === 'string') return given.includes('PRIVATE KEY')
  return isObject(given) && PRIVATE_MEMBERS.some((name) => given[name] !== undefined)
}

/** Other keys have no form as a JWK. */
function isUsableType({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'rsa' || (type === 'ec' && details?.namedCurve === 'prime256v1')
}

function parseKey(given: unknown): KeyObject | undefined {
  try {
    if (isObject(given)) {
      const { kty, crv, x, y, n, e } = given
      if ([x, y, n, e].some((member) => String(member).length > MAX_MEMBER_LENGTH)) return undefined
      return createPublicKey({ key: { kty, crv, x, y, n, e } as JsonWebKey, format: 'jwk' })
    }
    return typeof given === 'string' && given.length <= MAX_KEY_LENGTH ? createPublicKey(given) : undefined
  } catch {
    return undefined
  }
}

function findProblem(key: KeyObject, alg: unknown, use: unknown): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = details
  const { min, max } = RSA_BITS
  if (type !== 'ec' && type !== 'rsa') return 'must be an EC key with the curve P-256, or an RSA key'
  if (type === 'ec' && namedCurve !== 'prime256v1') return 'must have the curve P-256'
  if (type === 'rsa' && (modulusLength < min || modulusLength > max)) return `must have ${min} to ${max} bits`
  if (type === 'rsa' && publicExponent !== EXPONENT) return 'must have the exponent 65537'
  if (use !== 'sig') return 'must be for signatures (use: sig)'
  const algorithms = ALGORITHMS[type === 'ec' ? 'EC' : 'RSA']
  if (alg !== undefined && !algorithms.some((each) => each === alg)) {
    return `must have no alg, or one of: ${algorithms.join(', ')}`
  }
  return undefined
}

export type LoadPublicKeys = () => Promise<{
  readonly readPublicKey: typeof readPublicKey
  readonly identityOfPrivateKey: typeof identityOfPrivateKey
}>
