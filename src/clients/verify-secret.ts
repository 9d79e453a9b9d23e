import { randomBytes, timingSafeEqual } from 'node:crypto'
import { digest } from '../store/digest.ts'
import { decodeHash, isLive, type StoredSecret } from './secrets.ts'

/** A client may have two live secrets, so that a secret can be replaced without an outage. */
const MAX_SECRETS = 2

/**
 * If a client has fewer than two secrets, the candidate is compared with this hash instead, so that the check
 * takes the same time. The hash is random, and no secret has it.
 */
const NO_HASH = randomBytes(32)

/**
 * Whether `candidate` is one of the live secrets. The function always makes two comparisons, each in constant
 * time. So the time does not show how many secrets the client has.
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
