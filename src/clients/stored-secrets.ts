import { GatehouseError } from '../errors.ts'
import { digest } from '../store/digest.ts'
import type { Rule } from '../validation/rules.ts'
import type { Client } from './client.ts'

/** Never the secret itself. */
export interface StoredSecret {
  /** `sha256:` and the base64url of the SHA-256 of the secret. */
  readonly hash: string
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds at which the secret expires; undefined for the current secret. */
  readonly expiresAt?: number | undefined
  /** The user of the owning account to whom the secret was shown; undefined if the host named no user. */
  readonly shownTo?: string | undefined
  /** The prefix and the last four characters of the secret; undefined if it was imported. */
  readonly hint?: string | undefined
}

/** The hash of a secret, or the identity of a key. */
export type UsedCredential = Pick<StoredSecret, 'hash'>

/** Information about a client secret. It does not contain the secret itself. */
export interface SecretInfo {
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds at which the secret expires; undefined for the current secret. */
  readonly expiresAt?: number | undefined
  /**
   * When a program last authenticated with the secret, in epoch seconds, rounded down to the hour. Undefined if no
   * program did so in the last 365 days.
   */
  readonly lastUsedAt?: number | undefined
  /** The prefix and the last four characters of the secret. Undefined for a secret that was imported. */
  readonly hint?: string | undefined
  /** The user of the account to whom the secret was shown; undefined if the host named no user. */
  readonly shownTo?: string | undefined
}

const ALGORITHM = 'sha256:'

/**
 * Hashes an existing client secret, for hosts that import API keys or applications. Pass the hash to
 * `create({ clientId, secretHash })`, and the client keeps using its secret.
 *
 * The hash is one round of SHA-256. One round is enough for random secrets, but not for passwords that people
 * choose.
 *
 * @param secret at least 16 random characters
 * @returns `sha256:` and the base64url (RFC 4648 5, without padding) of SHA-256 over the UTF-8 of `secret`
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `secret` is not a text, or is too short for a random
 *   secret
 */
export function hashSecret(secret: string): string {
  if (typeof secret !== 'string' || secret.length < 16) {
    throw new GatehouseError(
      'ERR_INVALID_ARGUMENT',
      'a client secret must be a text of at least 16 random characters; a shorter one can be guessed from its hash',
    )
  }
  return hashOf(secret)
}

/** Of any text that may be a secret. */
export function hashOf(secret: string): string {
  return ALGORITHM + digest(secret)
}

export function isSecretHash(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith(ALGORITHM)) return false
  const bytes = decodeHash(value)
  // The decoder tolerates padding, invalid characters, and extra bits at the end.
  return bytes.length === 32 && value === ALGORITHM + bytes.toString('base64url')
}

export const secretHashRule: Rule = (value) =>
  isSecretHash(value) ? undefined : 'must be what hashSecret() returns: "sha256:" and 43 characters'

/** @param now milliseconds */
export function isLive(secret: StoredSecret, now: number): boolean {
  return secret.expiresAt === undefined || now < secret.expiresAt * 1000
}

export function hasSecretHash(secrets: readonly StoredSecret[], hash: string): boolean {
  return secrets.some((secret) => secret.hash === hash && isLive(secret, Date.now()))
}

export function decodeHash(hash: string): Buffer {
  return Buffer.from(hash.slice(ALGORITHM.length), 'base64url')
}

/** What people may know about secrets. @param needsSecret the client has nothing else to authenticate */
export function describeSecrets(
  secrets: readonly StoredSecret[],
  needsSecret: boolean,
): Pick<Client, 'noSecret' | 'secretShownTo' | 'secretHint'> {
  const now = Date.now()
  const live = secrets.filter((secret) => isLive(secret, now))
  const shownTo = [...new Set(live.flatMap((secret) => secret.shownTo ?? []))]
  return {
    ...(needsSecret && live.length === 0 && { noSecret: secrets.length === 0 ? 'compromised' : 'no-secret' }),
    ...(shownTo.length > 0 && { secretShownTo: shownTo }),
    ...(live[0]?.hint !== undefined && { secretHint: live[0].hint }),
  }
}
