import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../store/digest.ts'
import { decodeHash, isLive, type StoredSecret } from './secrets.ts'

/** A client may have two live secrets, so that a secret is replaced without an outage. */
const MAX_SECRETS = 2

/** Is compared if there is no second secret, so that the comparison takes the same time. It is the hash of no secret. */
const NO_HASH = randomBytes(32)

/**
 * Whether `candidate` is one of the live secrets. It makes always the same number of comparisons, each in constant time,
 * so that the time does not show the number of secrets.
 *
 * @param secrets at most two
 * @param now milliseconds since the epoch
 */
export function matchesSecret(secrets: readonly StoredSecret[], candidate: string, now: number): boolean {
  const candidateDigest = Buffer.from(digest(candidate), 'base64url')
  let matches = false
  for (let slot = 0; slot < MAX_SECRETS; slot += 1) {
    const secret = secrets[slot]
    const equal = timingSafeEqual(candidateDigest, secret ? decodeHash(secret.hash) : NO_HASH)
    if (equal && secret !== undefined && isLive(secret, now)) matches = true
  }
  return matches
}
