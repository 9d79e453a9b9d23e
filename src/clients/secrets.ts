import { randomBytes, timingSafeEqual } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import { digest } from '../store/digest.ts'

/** A client secret as it is stored: never the secret itself. */
export interface StoredSecret {
  /** `sha256:` and the base64url of the SHA-256 of the secret. */
  readonly hash: string
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds from which on it is rejected; undefined while it is the current one. */
  readonly expiresAt?: number | undefined
}

/** Secrets of one client that may be live at once, so that one is replaced without an outage. */
const MAX_SECRETS = 2

/** Starts each secret that we make, so that secret scanners and people recognise a leaked one. */
const PREFIX = 'gatehouse_'
const ALGORITHM = 'sha256:'

/** Stands in where there is no second secret, so that the work is the same. No secret has it as its hash. */
const NOBODY = randomBytes(32)

/** A new client secret: 256 bits nobody can guess, in characters that need no encoding anywhere. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64url')
}

/** Whether a text may be a secret that we made, and so must not be repeated in a message. */
export function looksLikeSecret(text: string): boolean {
  return text.startsWith(PREFIX)
}

/**
 * The form in which a client secret is stored, for hosts that take over existing API keys or applications:
 * hand it to `create({ clientId, secretHash })`, and those who hold the secret go on using it.
 *
 * The hash is a single SHA-256, which is enough for secrets that a machine drew at random, and not for
 * passwords that people thought up.
 *
 * @param secret at least 16 characters, drawn at random
 * @returns `sha256:` and the base64url (RFC 4648 5, without padding) of SHA-256 over the UTF-8 of `secret`
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if it is no text or too short to be a random secret
 */
export function hashSecret(secret: string): string {
  if (typeof secret !== 'string' || secret.length < 16) {
    throw new GatehouseError(
      'ERR_INVALID_ARGUMENT',
      'a client secret must be a text of at least 16 random characters; a shorter one can be guessed from its hash',
    )
  }
  return ALGORITHM + digest(secret)
}

/** Whether `value` has the form that `hashSecret` returns. */
export function isSecretHash(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith(ALGORITHM)) return false
  const bytes = decode(value)
  // Encoding it again rejects what decoders tolerate: padding, foreign characters, loose last bits.
  return bytes.length === 32 && value === ALGORITHM + bytes.toString('base64url')
}

/**
 * Whether `candidate` is one of `secrets`, and live. Always the same number of comparisons, each in constant
 * time, so that the number of secrets does not show in the time.
 *
 * @param secrets at most two
 * @param now milliseconds since the epoch
 */
export function matchesSecret(secrets: readonly StoredSecret[], candidate: string, now: number): boolean {
  const candidateDigest = Buffer.from(digest(candidate), 'base64url')
  let matches = false
  for (let slot = 0; slot < MAX_SECRETS; slot += 1) {
    const secret = secrets[slot]
    const equal = timingSafeEqual(candidateDigest, secret ? decode(secret.hash) : NOBODY)
    if (equal && secret !== undefined && isLive(secret, now)) matches = true
  }
  return matches
}

/**
 * Whether a secret is still accepted.
 *
 * @param now milliseconds since the epoch
 */
export function isLive(secret: StoredSecret, now: number): boolean {
  return secret.expiresAt === undefined || now < secret.expiresAt * 1000
}

function decode(hash: string): Buffer {
  return Buffer.from(hash.slice(ALGORITHM.length), 'base64url')
}
