import { createLru } from '../async/lru.ts'
import { digest } from '../store/digest.ts'
import type { Principal, VerifiedToken } from './principal.ts'
import type { InvalidToken } from './token-problem.ts'
import { isExpired, type VerifyToken } from './verify-token.ts'

/** The option `maxCachedTokens`; 0 disables the cache. */
export const CACHED_TOKENS = { byDefault: 100_000, min: 0, max: 10_000_000 }

/** Tokens may be valid for days, also after their key is no longer published. */
const REVERIFY_AFTER_MS = 600_000

/** These tokens are found by their text, without a digest. The cache keeps their whole texts. */
const MAX_RECENT_TOKENS = 1000
/** Characters of the signature at the end of a token. Any two tokens differ in it. */
const SIGNATURE_LENGTH = 86

interface Entry {
  readonly verified: VerifiedToken
  /** Milliseconds since the epoch. */
  readonly verifiedAt: number
}

interface RecentToken extends Entry {
  readonly token: string
  /** Frozen. Calls with the same token may share it. */
  readonly principal: Principal
}

/**
 * Caches verified tokens. Only callers with a valid token can evict entries. The gateway checks revocations on each
 * call, so the cache ignores them.
 *
 * The key of an entry is the digest of the whole token, so an entry takes a few hundred bytes. The tokens of the most
 * active clients are also found by their text: on some processors, the digest takes a third of the CPU time of a
 * call, because OpenSSL evicts other code from their small caches. Freezing the principal takes another tenth.
 */
export function createVerifiedTokens(
  verifyToken: VerifyToken,
  toPrincipal: (verified: VerifiedToken, token: string) => Principal,
  capacity: number,
) {
  const cached = createLru<string, Entry>(capacity)
  const recent = createLru<string, RecentToken>(Math.min(capacity, MAX_RECENT_TOKENS))
  const pending = new Map<string, Promise<VerifiedToken | InvalidToken>>()
  /** A call with a new token needs its digest three times. */
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
    // V8 hashes a text of 86 characters faster than a whole token. A caller who does not know the signature
    // finds nothing, so the time of the comparison reveals nothing.
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
    get(token: string): RecentToken | undefined {
      const found = find(token)
      if (found === undefined) return undefined
      const now = Date.now()
      if (isExpired(found.verified.expiresAt, now / 1000)) return undefined
      return Math.abs(now - found.verifiedAt) < REVERIFY_AFTER_MS ? found : undefined
    },

    async verify(token: string): Promise<VerifiedToken | InvalidToken> {
      const verification = pending.get(token) ?? verifyAndCache(token)
      pending.set(token, verification)
      const result = await verification
      // Another call may have started this verification.
      if ('problem' in result || !isExpired(result.expiresAt, Date.now() / 1000)) return result
      return { problem: 'expired', clientId: result.clientId }
    },
  }
}
