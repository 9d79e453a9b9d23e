import { endOf, inState, type RingKey, type RotationPolicy } from './key-states.ts'

/** Revokes all tokens that were signed with a key; `until` is in epoch seconds. */
export type RevokeKey = (kid: string, until: number, actor?: string) => Promise<void>

/** Sees to it that the tokens of a key that is out of service are rejected. */
export interface RevokedKeys {
  /** Takes the tokens of a key back, whether that has been done or not. */
  readonly takeBack: RevokeKey
  /**
   * Revokes what whoever took the key out of the ring has not, because it ended before.
   *
   * @returns milliseconds after which to ask again; `Infinity` if all is done
   */
  settle(keys: readonly RingKey[], policy: RotationPolicy): Promise<number>
}

/**
 * @param parts.isKeyRevoked whether this process has heard that the tokens of a key are revoked. In memory
 * @param parts.patienceMs milliseconds that whoever takes a key out of service has for its tokens
 */
export function createRevokedKeys(parts: {
  readonly revokeKey: RevokeKey
  readonly isKeyRevoked: (kid: string) => boolean
  readonly patienceMs: number
}): RevokedKeys {
  const { revokeKey, isKeyRevoked, patienceMs } = parts
  /** Since when keys are seen to be revoked; before all that is heard of where it was so at the start. */
  const seenAt = new Map<string, number>()
  const settled = new Set<string>()
  /** Rejected here, and perhaps nowhere else. */
  const unwritten = new Set<string>()
  let hasSettled = false

  async function takeBack(kid: string, until: number, actor?: string): Promise<void> {
    unwritten.add(kid)
    await revokeKey(kid, until, actor)
    unwritten.delete(kid)
    settled.add(kid)
  }

  return {
    takeBack,

    async settle(keys, policy) {
      const now = performance.now()
      let again = Infinity
      for (const key of inState(keys, 'revoked').filter(({ kid }) => !settled.has(kid))) {
        const { kid } = key
        const since = seenAt.get(kid) ?? (hasSettled ? now : Number.NEGATIVE_INFINITY)
        seenAt.set(kid, since)
        if (isKeyRevoked(kid) && !unwritten.has(kid)) settled.add(kid)
        else if (now - since >= patienceMs) await takeBack(kid, Math.ceil(endOf(keys, key, policy) ?? 0))
        else again = Math.min(again, patienceMs - (now - since))
      }
      hasSettled = true
      return again
    },
  }
}
