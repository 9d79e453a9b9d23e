import type { Principal } from './principal.ts'
import { EXPIRED, isExpired, type InvalidToken, type VerifyToken } from './verify-token.ts'

/**
 * Milliseconds after which the signature of a cached token is verified again. Tokens may be valid for days.
 * If a key is no longer published, the cache must not accept the tokens of that key for days.
 */
const REVERIFY_AFTER_MS = 600_000

/**
 * Creates a cache of verified tokens, so that the second call with a token costs a Map lookup and no
 * signature check. The cache holds only verified tokens, so callers without a valid token cannot evict
 * entries. The cache ignores revocations, because the gateway checks them on each call.
 *
 * @param verifyToken verifies one token; called once for concurrent calls with the same token
 * @param capacity maximum bytes of cached tokens. 8 MiB hold about ten thousand tokens of usual size.
 *   Together with their claims, these tokens take at most about 30 MB of memory
 */
export function createVerifiedTokens(verifyToken: VerifyToken, capacity: number) {
  // The tokens are in the order of their last use. A Map iterates in the order of insertion, and each use
  // inserts the token again.
  const cached = new Map<string, { principal: Principal; verifiedAt: number }>()
  const pending = new Map<string, Promise<Principal | InvalidToken>>()
  let size = 0

  function remove(token: string): void {
    if (cached.delete(token)) size -= token.length
  }

  function set(token: string, principal: Principal): void {
    remove(token)
    if (token.length > capacity) return
    cached.set(token, { principal, verifiedAt: Date.now() })
    size += token.length
    for (const oldest of cached.keys()) {
      if (size <= capacity) break
      remove(oldest)
    }
  }

  async function verifyAndCache(token: string): Promise<Principal | InvalidToken> {
    try {
      const result = await verifyToken(token)
      if ('problem' in result) remove(token)
      else set(token, result)
      return result
    } finally {
      pending.delete(token)
    }
  }

  return {
    /**
     * The principal of a cached token. Undefined if the token is not cached, has expired, or must be verified
     * again.
     */
    get(token: string): Principal | undefined {
      const entry = cached.get(token)
      const now = Date.now()
      if (entry === undefined || isExpired(entry.principal.expiresAt, now / 1000)) return undefined
      if (Math.abs(now - entry.verifiedAt) >= REVERIFY_AFTER_MS) return undefined
      cached.delete(token)
      cached.set(token, entry)
      return entry.principal
    },

    /** Verifies a token, and caches it if it is valid. */
    async verify(token: string): Promise<Principal | InvalidToken> {
      const verification = pending.get(token) ?? verifyAndCache(token)
      pending.set(token, verification)
      const result = await verification
      // A concurrent call may have started this verification earlier, so the token may have expired
      // meanwhile.
      return 'problem' in result || !isExpired(result.expiresAt, Date.now() / 1000) ? result : EXPIRED
    },
  }
}
