import type { Principal } from './principal.ts'
import { EXPIRED, isExpired, type InvalidToken, type VerifyToken } from './verify-token.ts'

/**
 * Milliseconds after which the signature is checked again, so that a key which was taken out of service stops
 * working here too, although tokens live for days.
 */
const REVERIFY_AFTER = 600_000

/** Verified tokens, remembered. */
export interface VerifiedTokens {
  /** The principal of a token that was verified before and still lives, at once; undefined for any other. */
  recall(token: string): Principal | undefined
  /** Verifies a token, and remembers it if it is good. */
  verify(token: string): Promise<Principal | InvalidToken>
}

/**
 * Remembers tokens that were found good, so that the second call with one costs a look into a Map instead of a
 * signature check. Only good tokens get in, so strangers cannot push them out. Revocation is not its business:
 * the gateway asks on each call.
 *
 * @param verifyToken checks one token; called once for any number of concurrent calls with it
 * @param capacity bytes of tokens that are remembered, because memory is what is scarce: 8 MiB are some ten
 *   thousand tokens of usual size, and never more than some 30 MB with their claims
 */
export function createVerifiedTokens(verifyToken: VerifyToken, capacity: number): VerifiedTokens {
  // In the order of their last use: a Map iterates in the order of insertion.
  const remembered = new Map<string, { principal: Principal; verifiedAt: number }>()
  const pending = new Map<string, Promise<Principal | InvalidToken>>()
  let size = 0

  function forget(token: string): void {
    if (remembered.delete(token)) size -= token.length
  }

  function remember(token: string, principal: Principal): void {
    forget(token)
    if (token.length > capacity) return
    remembered.set(token, { principal, verifiedAt: Date.now() })
    size += token.length
    for (const oldest of remembered.keys()) {
      if (size <= capacity) break
      forget(oldest)
    }
  }

  async function verifyAndRemember(token: string): Promise<Principal | InvalidToken> {
    try {
      const result = await verifyToken(token)
      if ('problem' in result) forget(token)
      else remember(token, result)
      return result
    } finally {
      pending.delete(token)
    }
  }

  return {
    recall(token) {
      const entry = remembered.get(token)
      if (entry === undefined) return undefined
      const now = Date.now()
      if (isExpired(entry.principal.expiresAt, now / 1000)) {
        forget(token)
        return undefined
      }
      if (Math.abs(now - entry.verifiedAt) >= REVERIFY_AFTER) return undefined
      remembered.delete(token)
      remembered.set(token, entry)
      return entry.principal
    },

    async verify(token) {
      let verification = pending.get(token)
      if (verification === undefined) {
        verification = verifyAndRemember(token)
        pending.set(token, verification)
      }
      const result = await verification
      // It may have expired while somebody else's call waited for the same answer.
      return 'problem' in result || !isExpired(result.expiresAt, Date.now() / 1000) ? result : EXPIRED
    },
  }
}
