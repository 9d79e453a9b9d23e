import { digest } from '../store/digest.ts'
import * as json from '../validation/json-rules.ts'
import {
  anyValue,
  countRule,
  exactObjectOf,
  type Fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Rule,
  ruleWith,
  textRule,
} from '../validation/rules.ts'

/** A public key: a JWK (RFC 7517), or a text in PEM format. */
export type PublicKeyInput = string | object

/** A public key with which a client authenticates (RFC 7517), in the form in which it is stored. */
export interface PublicJwk {
  /** `EC` with the curve P-256 for ES256; `RSA` for RS256 and PS256. */
  readonly kty: 'EC' | 'RSA'
  /** The id of the key, unique among the keys of the client. */
  readonly kid: string
  readonly use: 'sig'
  /** The only algorithm that the key may be used with; undefined if all algorithms of its type are allowed. */
  readonly alg?: 'ES256' | 'RS256' | 'PS256' | undefined
  /** When the key was added, in epoch seconds. */
  readonly iat: number
  readonly crv?: 'P-256' | undefined
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly n?: string | undefined
  readonly e?: string | undefined
}

/** The public keys of a client: a JWK Set (RFC 7517 5). */
export interface JwkSet {
  readonly keys: readonly PublicJwk[]
}

type KeyMembers = Pick<PublicJwk, 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e'>

/** RFC 7638 3. */
export function thumbprintOf({ kty, crv, x, y, n, e }: KeyMembers): string {
  return digest(JSON.stringify(kty === 'EC' ? { crv, kty, x, y } : { e, kty, n }))
}

export function identityOf(key: KeyMembers): string {
  return `jkt:${thumbprintOf(key)}`
}

export function isKeyIdentity(text: string): boolean {
  return /^jkt:[\w-]{43}$/.test(text)
}

export function keysOf({ jwks }: { readonly jwks?: JwkSet | undefined }): readonly PublicJwk[] {
  return jwks?.keys ?? []
}

/** The client with other keys. */
export function withKeys<C extends { readonly jwks?: JwkSet | undefined }>(
  client: C,
  keys: readonly PublicJwk[],
): C {
  const { jwks: _, ...others } = client
  return (keys.length > 0 ? { ...others, jwks: { keys } } : others) as C
}

export const MAX_KEYS = 10

/** In characters. A private RSA key of 4096 bits has about 3,300. */
export const MAX_KEY_LENGTH = 10_000

const KEY: Fields = {
  kty: oneOf('EC', 'RSA'),
  kid: textRule,
  use: oneOf('sig'),
  alg: optional(oneOf('ES256', 'RS256', 'PS256')),
  iat: countRule,
  crv: optional(oneOf('P-256')),
  x: optional(textRule),
  y: optional(textRule),
  n: optional(textRule),
  e: optional(textRule),
}

export const storedKeysRule = objectOf({ keys: listOf(exactObjectOf(KEY)) })

const givenListRule = objectOf({ keys: listOf(anyValue) })

/** How many public keys a client may give, and how long ones. `readGivenKeys` checks the keys themselves. */
export const givenKeysRule: Rule = (value) => {
  const problem = givenListRule(value)
  if (problem !== undefined) return problem
  const { length } = (value as { readonly keys: readonly unknown[] }).keys
  if (length > MAX_KEYS)
    return { code: 'too-many', message: `must have at most ${MAX_KEYS} keys`, max: MAX_KEYS }
  return length > 0 ? undefined : { code: 'empty', message: 'must have at least one key' }
}

const pem = json.textOf({ maxLength: MAX_KEY_LENGTH })
const members = ['kid', 'use', 'alg', 'crv', 'x', 'y', 'n', 'e'].map((name) => [
  name,
  json.optional(json.text),
])
const jwk = json.object({ kty: json.text, ...(Object.fromEntries(members) as Fields) })

/** A public key in JSON over HTTP. */
export const publicKeyRule = ruleWith<PublicKeyInput>(
  (value) => {
    if (value === undefined || typeof value === 'string') return pem(value)
    return jwk(value) && { code: 'type', message: 'must be a JWK, or a text in PEM format' }
  },
  {
    json: {
      anyOf: [pem.json, jwk.json],
      description: 'A public key: a JWK (RFC 7517), or a text in PEM format',
    },
  },
)
