import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'
import type { RevocationSet } from './revocation-set.ts'
import type { RevocationSource } from './revocation-source.ts'

/** What a gateway does while it cannot hear of revocations. */
export interface LostContactPolicy {
  /** Seconds between two readings at most. */
  readonly catchUpSeconds: number
  /** `keep-serving` by what is known, or `refuse` all tokens once `refuseAfterSeconds` have passed. */
  readonly onLostContact: 'keep-serving' | 'refuse'
  readonly refuseAfterSeconds: number
}

/** How well revocations are known. */
export interface RevocationContact {
  /** Whether the last reading failed, or is overdue. */
  readonly isLost: boolean
  /** Seconds since all revocations were known. */
  readonly ageSeconds: number
}

/** Keeps a set of revocations up to date. */
export interface RevocationFollower {
  /**
   * Reads all revocations that are in force, and follows from then on. May be called again after it has rejected.
   *
   * @throws what the source throws
   */
  start(): Promise<void>
  readonly contact: RevocationContact
  /** Whether tokens must be refused because nobody knows which of them were taken back. No I/O. */
  readonly mustRefuse: boolean
  close(): Promise<void>
}

/** Milliseconds by which the clock may differ from the time that has passed before it counts as a jump. */
const JUMP = 30_000

/** Milliseconds between two rounds of forgetting what has expired. */
const PRUNE_EVERY = 60_000

/**
 * Reads at the start, hears of changes at once where the source can tell, and reads again every `catchUpSeconds`, so
 * that a message that was lost is late by no more than that. Keeps no process alive.
 *
 * @param parts.onContact told when contact is lost, and when it is there again
 */
export function createRevocationFollower(parts: {
  readonly source: RevocationSource
  readonly set: RevocationSet
  readonly policy: LostContactPolicy
  readonly logger: Logger
  readonly onContact?: ((contact: RevocationContact) => void) | undefined
}): RevocationFollower {
  const { source, set, policy, logger, onContact } = parts
  const every = policy.catchUpSeconds * 1000
  let cursor: string | undefined
  let leave: (() => Promise<void>) | undefined
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  let closed = false
  /** By the clock that never jumps. */
  let currentAt = Number.NEGATIVE_INFINITY
  let prunedAt = Number.NEGATIVE_INFINITY
  let isLost = false
  /** What the other clock is ahead of that one. */
  let difference: number | undefined

  function forgetAfterJump(): void {
    const now = Date.now() - performance.now()
    // What was forgotten as expired, or was read by a cursor of another time, is read anew.
    if (difference !== undefined && Math.abs(now - difference) > JUMP) cursor = undefined
    difference = now
  }

  async function readAll(): Promise<void> {
    forgetAfterJump()
    const startedAt = performance.now()
    for (let more = true; more && !closed;) {
      const page = await source.read(cursor)
      set.add(page.revocations)
      ;({ cursor, more } = page)
    }
    if (closed) return
    currentAt = startedAt
    if (performance.now() - prunedAt > PRUNE_EVERY) {
      prunedAt = performance.now()
      set.prune(Date.now() / 1000)
    }
    tell(false)
  }

  function tell(lost: boolean, cause?: unknown): void {
    if (lost === isLost) return
    isLost = lost
    const { ageSeconds } = contact()
    if (lost) logger.warn({ err: cause, ageSeconds }, 'revoked tokens cannot be heard of at the moment')
    else logger.info({}, 'revoked tokens are heard of again')
    onContact?.({ isLost, ageSeconds })
  }

  /** Never rejects; of several at once there is one. */
  function catchUp(): Promise<void> {
    reading ??= readAll()
      .catch((error: unknown) => {
        if (!closed) tell(true, error)
      })
      .finally(() => (reading = undefined))
    return reading
  }

  function schedule(): void {
    if (closed) return
    // Processes that started together do not all read at once.
    timer = setTimeout(() => void catchUp().then(schedule), every * (0.75 + Math.random() / 4))
    timer.unref()
  }

  function contact(): RevocationContact {
    const age = performance.now() - currentAt
    return {
      isLost: isLost || age > every * 3,
      ageSeconds: Number.isFinite(age) ? Math.round(age / 100) / 10 : 0,
    }
  }

  return {
    get contact() {
      return contact()
    },

    get mustRefuse() {
      if (policy.onLostContact === 'keep-serving') return false
      return performance.now() - currentAt > policy.refuseAfterSeconds * 1000
    },

    async start() {
      // Before the first reading, so that nothing in between is missed.
      leave ??= await source.listen?.(
        (revocation) => set.add([revocation]),
        () => void catchUp(),
      )
      await readAll()
      if (closed) {
        await leave?.()
        throw new GatehouseError('ERR_CLOSED', 'revocations are not followed any more')
      }
      clearTimeout(timer)
      schedule()
    },

    async close() {
      closed = true
      clearTimeout(timer)
      await leave?.()
    },
  }
}
