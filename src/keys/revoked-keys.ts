// Model: test/proof/models/key-rotation.pml
import { endOf, inState, type RingKey, type RotationPolicy } from './rotation-policy.ts'

/** @param until epoch seconds */
export type RevokeKey = (kid: string, until: number, actor?: string) => Promise<void>

/** Revokes the tokens of revoked keys, unless another process does so within `takeOverAfterMs`. */
export function createRevokedKeys(parts: {
  readonly revokeKey: RevokeKey
  readonly isKeyRevoked: (kid: string) => boolean
  readonly takeOverAfterMs: number
}) {
  const { revokeKey, isKeyRevoked, takeOverAfterMs } = parts
  /** When this process first saw a key as revoked; `-Infinity` for keys that were revoked before the start. */
  const seenAt = new Map<string, number>()
  const completed = new Set<string>()
  /** Keys whose tokens this process rejects, although the store may not have the revocation yet. */
  const unwritten = new Set<string>()
  let hasResumed = false

  async function revokeTokens(kid: string, until: number, actor?: string): Promise<void> {
    unwritten.add(kid)
    await revokeKey(kid, until, actor)
    unwritten.delete(kid)
    completed.add(kid)
  }

  return {
    revokeTokens,

    /** Milliseconds after which to call again; `Infinity` if nothing is pending. */
    async resume(keys: readonly RingKey[], policy: RotationPolicy): Promise<number> {
      const now = performance.now()
      let nextInMs = Infinity
      for (const key of inState(keys, 'revoked').filter(({ kid }) => !completed.has(kid))) {
        const { kid } = key
        const since = seenAt.get(kid) ?? (hasResumed ? now : Number.NEGATIVE_INFINITY)
        seenAt.set(kid, since)
        if (isKeyRevoked(kid) && !unwritten.has(kid)) completed.add(kid)
        else if (now - since >= takeOverAfterMs)
          await revokeTokens(kid, Math.ceil(endOf(keys, key, policy) ?? 0))
        else nextInMs = Math.min(nextInMs, takeOverAfterMs - (now - since))
      }
      hasResumed = true
      return nextInMs
    },
  }
}
