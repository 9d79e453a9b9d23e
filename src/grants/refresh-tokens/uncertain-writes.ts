import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withTimeout } from '../../async/with-timeout.ts'
import { CircuitOpenError } from '../../store/circuit-breaker.ts'
import type { Collection, Stored } from '../../store/collection.ts'
import type { FamilyRecord } from './family-record.ts'

/** A write of a family whose answer did not arrive. */
export interface UncertainWrite {
  readonly grantId: string
  /** What was to be replaced; undefined if the family was to be started. */
  readonly before?: Stored<FamilyRecord> | undefined
  readonly next: FamilyRecord
  /** Seconds. */
  readonly ttl: number
}

/**
 * Makes certain how a write ended that the store neither confirmed nor rejected. Such a write may be in force,
 * may not be, or may yet come: its request was answered by then, and the client tries again with the token that
 * the write uses up. So a write whose end cannot be told is rolled back.
 *
 * Where writes wait for replicas, one that too few of them have is read back as if nothing were wrong, and is lost if
 * its server is. So nothing counts, neither the write nor that it was rolled back, before a later write of the same
 * record has been confirmed: replicas get writes in their order.
 */
export interface UncertainWrites {
  /**
   * Whether the write is in force. If it is not, it never will be: once the store can be asked, it is taken
   * back, whether it came through or is still to come; unless the client has tried again meanwhile, and another
   * process has given it what was written. Never rejects, and takes half a second at most.
   *
   * @param error what the write rejected with
   */
  wasStored(write: UncertainWrite, error: unknown): Promise<boolean>
  /** Revokes what is still uncertain of a grant; rejects while the store is away. */
  settle(grantId: string): Promise<void>
  /** Stops trying. */
  close(): void
}

/** What is being done about a write. */
interface Attempt {
  readonly write: UncertainWrite
  /** Those that may stand, though their own writes were not confirmed. */
  readonly barriers: Set<string>
}

/** Milliseconds that a request waits to learn how its write ended; it has waited for the write itself before. */
const PATIENCE = 500

const LATE = { error: () => new Error('how a write ended is not known yet') }

/** Milliseconds between attempts while the store is away: from the first to the most. */
const RETRY_FIRST = 100
const RETRY_MOST = 1000

/** Milliseconds after which it is given up: by then the process has long been restarted, or ought to be. */
const GIVE_UP_AFTER = 3_600_000

/** @param options.notStartedTtl seconds for which a start must be kept from coming late */
export function createUncertainWrites(
  families: Collection<FamilyRecord>,
  { notStartedTtl }: { notStartedTtl: number },
): UncertainWrites {
  const pending = new Set<Attempt>()
  let closed = false

  /** Asks how it ended. What is not in force, or not to be, is replaced by what was before, behind a barrier. */
  async function conclude({ write, barriers }: Attempt, acceptIfStored: boolean): Promise<boolean> {
    const { grantId, before, next, ttl } = write
    for (;;) {
      const now = await families.read(grantId)
      const isStored = now?.record.current === next.current
      if (isStored && (acceptIfStored || now.record.last?.repeated)) {
        if (await families.replace(grantId, now, now.record, ttl)) return true
        continue
      }
      // Somebody else wrote since, so that there is nothing left that the write could replace.
      if (!isStored && now?.text !== before?.text && !barriers.has(now?.record.barrier ?? '')) return false
      const barrier = randomUUID()
      barriers.add(barrier)
      const isDone = before
        ? now && (await families.replace(grantId, now, { ...before.record, barrier }, ttl))
        : await putNotStarted(grantId, now, barrier)
      if (isDone) return false
    }
  }

  function putNotStarted(grantId: string, now: Stored<FamilyRecord> | undefined, barrier: string) {
    const record: FamilyRecord = { generation: 0, current: '', payload: {}, barrier }
    return now
      ? families.replace(grantId, now, record, notStartedTtl)
      : families.create(grantId, record, notStartedTtl)
  }

  async function takeBack(attempt: Attempt): Promise<void> {
    await conclude(attempt, false)
    pending.delete(attempt)
  }

  async function takeBackLater(attempt: Attempt): Promise<void> {
    pending.add(attempt)
    let waited = 0
    for (let pause = RETRY_FIRST; pending.has(attempt); pause = Math.min(pause * 2, RETRY_MOST)) {
      // The process may end meanwhile, if there is nothing else to do.
      await delay(pause, undefined, { ref: false })
      waited += pause
      if (pending.has(attempt)) await takeBack(attempt).catch(() => {})
      if (waited > GIVE_UP_AFTER) pending.delete(attempt)
    }
  }

  return {
    async wasStored(write, error) {
      // Nobody was asked to write anything.
      if (error instanceof CircuitOpenError) return false
      const attempt = { write, barriers: new Set<string>() }
      try {
        return await withTimeout(PATIENCE, () => conclude(attempt, true), LATE)
      } catch {
        if (!closed) void takeBackLater(attempt)
        return false
      }
    },
    async settle(grantId) {
      if (pending.size === 0) return
      await Promise.all([...pending].filter(({ write }) => write.grantId === grantId).map(takeBack))
    },
    close() {
      closed = true
      pending.clear()
    },
  }
}
