import { createLru } from '../async/lru.ts'
import { digest } from '../store/digest.ts'
import type { Principal, VerifiedToken } from './principal.ts'
import type { InvalidToken } from './token-problem.ts'
import { isExpired, type VerifyToken } from './verify-token.ts'

/** The option `maxCachedTokens`; 0 disables the cache. */
export const CACHED_TOKENS = { byDefault: 100_000, min: 0, max: 10_000_000 }

/**
 * Milliseconds after which the signature of a cached token is verified again. Tokens may be valid for days. The cache
 * must not accept the tokens of a key for days after the key is no longer published.
 */
const REVERIFY_AFTER_MS = 600_000

/**
 * Maximum number of tokens that are found by their text, without a digest. The number is small, because the cache keeps
 * the whole texts of these tokens.
 */
const MAX_RECENT_TOKENS = 1000
/**
 * The number of characters of the signature, at the end of a token. Any two tokens differ in these characters.
 */
const SIGNATURE_LENGTH = 86

interface Entry {
  readonly verified: VerifiedToken
  /** Milliseconds since the epoch. */
  readonly verifiedAt: number
}

/** A recent token with its text, and with its entry in the cache. */
interface RecentToken extends Entry {
  readonly token: string
  /** Frozen. Calls with the same token may share it. */
  readonly principal: Principal
}

/**
 * Creates a cache of verified tokens. The second call with a token costs a digest and a Map lookup, but no signature
 * check. The cache holds only verified tokens, so callers without a valid token cannot evict entries. The cache
 * ignores revocations, because the gateway checks them on each call.
 *
 * The key of an entry is the digest of the whole token. So an entry takes a few hundred bytes, however long the token
 * is. The tokens of the most active clients are also found by their text, with their frozen principals. This saves
 * CPU time. On some processors, the digest takes a third of the CPU time of a call, because OpenSSL evicts other code
 * from their small caches. Freezing the principal takes another tenth.
 *
 * @param options.verifyToken verifies one token; called once for concurrent calls with the same token
 * @param options.capacity maximum number of cached tokens; 0 caches nothing
 */
export function createVerifiedTokens({
  verifyToken,
  toPrincipal,
  capacity,
}: {
  readonly verifyToken: VerifyToken
  readonly toPrincipal: (verified: VerifiedToken, token: string) => Principal
  readonly capacity: number
}) {
  const cached = createLru<string, Entry>(capacity)
  const recent = createLru<string, RecentToken>(Math.min(capacity, MAX_RECENT_TOKENS))
  const pending = new Map<string, Promise<VerifiedToken | InvalidToken>>()
  /** The last token whose digest was computed. A call with a new token needs its digest three times. */
  let last = { token: '', key: '' }

  function keyOf(token: string): string {
    if (token !== last.token) last = { token, key: digest(token) }
    return last.key
  }

  async function verifyAndCache(token: string): Promise<VerifiedToken | InvalidToken> {
    const key = keyOf(token)
    try {
      const result = await verifyToken(token)
      recent.delete(token.slice(-SIGNATURE_LENGTH))
      if ('problem' in result) cached.delete(key)
      else cached.set(key, { verified: result, verifiedAt: Date.now() })
      return result
    } finally {
      pending.delete(token)
    }
  }

  function find(token: string): RecentToken | undefined {
    // V8 hashes a text of 86 characters faster than a whole token. A caller who does not know the signature of a
    // token finds nothing here, so the time of the comparison reveals nothing.
    const signature = token.slice(-SIGNATURE_LENGTH)
    const known = recent.get(signature)
    if (known?.token === token) return known
    const entry = cached.get(keyOf(token))
    if (entry === undefined) return undefined
    const { verified, verifiedAt } = entry
    const found = { token, verified, verifiedAt, principal: toPrincipal(verified, token) }
    recent.set(signature, found)
    return found
  }

  return {
    /** A cached token. Undefined if the token is not cached, has expired, or must be verified again. */
    get(token: string): RecentToken | undefined {
      const found = find(token)
      if (found === undefined) return undefined
      const now = Date.now()
      if (isExpired(found.verified.expiresAt, now / 1000)) return undefined
      return Math.abs(now - found.verifiedAt) < REVERIFY_AFTER_MS ? found : undefined
    },

    /** Verifies a token, and caches it if it is valid. */
    async verify(token: string): Promise<VerifiedToken | InvalidToken> {
      const verification = pending.get(token) ?? verifyAndCache(token)
      pending.set(token, verification)
      const result = await verification
      // Another call may have started this verification. The token may have expired in the meantime.
      if ('problem' in result || !isExpired(result.expiresAt, Date.now() / 1000)) return result
      return { problem: 'expired', clientId: result.clientId }
    },
  }
}
