// Model: test/proof/models/refresh-family.pml
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { LATE_WRITE_MS } from '../../async/clock-tolerances.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { storeUnavailable } from '../../errors.ts'
import { CircuitOpenError } from '../../store/circuit-breaker.ts'
import type { Collection, Stored } from '../../store/collection.ts'
import type { FamilyRecord } from './family-record.ts'

interface FamilyWrite {
  readonly grantId: string
  readonly before?: Stored<FamilyRecord> | undefined
  readonly next: FamilyRecord
  /** Seconds for which the record is stored. */
  readonly ttl: number
}

/** Puts a random value, a barrier, into the record. If the write arrives later, it fails: the record has changed. */
interface Rollback {
  readonly write: FamilyWrite
  /** Each barrier may be in the record, even if the store answered with an error. */
  readonly barriers: Set<string>
}

const NOT_STARTED = { generation: 0, current: '', payload: {} }

/** Milliseconds that a request waits for the outcome of its write, after the write itself has failed. */
const OUTCOME_TIMEOUT_MS = 500

const TIMED_OUT = { error: () => new Error('the outcome of a write is not known yet') }

/** Each pause is twice as long as the previous pause, up to the maximum. */
const FIRST_RETRY_DELAY_MS = 100
const MAX_RETRY_DELAY_MS = 250

/** Milliseconds after which the process stops trying to roll back a write. */
const ROLLBACK_EXPIRY_MS = 3_600_000

/**
 * Finds out the outcome of a write that the store neither confirmed nor rejected. Such a write may be in force,
 * may be lost, or may still arrive. The write is rolled back, because the client got an error and will retry with the
 * token that the write replaces.
 *
 * If the store waits for replicas, the Redis master may have a write that too few replicas have. Processes can read
 * such a write, but the write is lost if the master fails. The write, or its rollback, becomes final with the next
 * confirmed write of the same record, because replicas apply writes in order.
 * @param options.notStartedTtl seconds after a rolled back start in which a late start fails
 */
export function createUncertainWrites(
  families: Collection<FamilyRecord>,
  { notStartedTtl }: { notStartedTtl: number },
) {
  const pending = new Set<Rollback>()
  let closed = false

  function put({ grantId, before, next, ttl }: FamilyWrite): Promise<boolean> {
    return before ? families.replace(grantId, before, next, ttl) : families.create(grantId, next, ttl)
  }

  /**
   * A stored write stays if `acceptIfStored` is true, or if a client has received the written token by a retry. It is
   * then written again, which confirms the first write. The change of another process stays. In all other cases the
   * previous record is restored, with a barrier.
   */
  async function resolve({ write, barriers }: Rollback, acceptIfStored: boolean): Promise<boolean> {
    const { grantId, before, next, ttl } = write
    for (;;) {
      const now = await families.read(grantId)
      const isStored = now?.record.current === next.current
      if (isStored && (acceptIfStored || now.record.last?.repeated)) {
        if (await put({ grantId, before: now, next: now.record, ttl })) return true
        continue
      }
      // Another process has changed the record, so the uncertain write fails if it arrives late. The change is
      // confirmed first, because replicas may have the uncertain write but lack this change.
      if (!isStored && now?.text !== before?.text && !barriers.has(now?.record.barrier ?? '')) {
        if (!now || (await put({ grantId, before: now, next: now.record, ttl }))) return false
        continue
      }
      const barrier = randomUUID()
      barriers.add(barrier)
      const isDone = before
        ? now && (await put({ grantId, before: now, next: { ...before.record, barrier }, ttl }))
        : await put({ grantId, before: now, next: { ...NOT_STARTED, barrier }, ttl: notStartedTtl })
      if (isDone) return false
    }
  }

  async function rollBack(rollback: Rollback): Promise<void> {
    await resolve(rollback, false)
    pending.delete(rollback)
  }

  async function rollBackLater(rollback: Rollback): Promise<void> {
    pending.add(rollback)
    const startedAt = performance.now()
    let pause = FIRST_RETRY_DELAY_MS
    while (pending.has(rollback)) {
      // The timer does not keep the process alive.
      await delay(pause, undefined, { ref: false })
      if (pending.has(rollback)) await rollBack(rollback).catch(() => {})
      if (performance.now() - startedAt > ROLLBACK_EXPIRY_MS) pending.delete(rollback)
      pause = Math.min(pause * 2, MAX_RETRY_DELAY_MS)
    }
  }

  return {
    /**
     * False if another process has changed the record. If the store does not answer, tries for another half second to
     * find out whether the write was stored. If that stays unknown, rejects, and the write is rolled back as soon as
     * the store answers, unless another process has sent the written token to the client before.
     */
    async write(write: FamilyWrite): Promise<boolean> {
      try {
        return await put(write)
      } catch (error) {
        // The store never received the write.
        if (error instanceof CircuitOpenError) throw error
        const rollback = { write, barriers: new Set<string>() }
        const isInForce = await withTimeout(
          OUTCOME_TIMEOUT_MS,
          () => resolve(rollback, true),
          TIMED_OUT,
        ).catch(() => {
          if (!closed) void rollBackLater(rollback)
          return false
        })
        if (isInForce) return true
        throw error
      }
    },
    /** Rolls back the uncertain writes of a grant; rejects while the store is unavailable. */
    async flush(grantId: string): Promise<void> {
      if (pending.size === 0) return
      await Promise.all([...pending].filter(({ write }) => write.grantId === grantId).map(rollBack))
    },
    close(): void {
      closed = true
      pending.clear()
    },
  }
}

// A database that was paused may apply a write long after its request was answered with an error. Until the process
// that sent the write rolls it back, all others see the replaced refresh token as used, and a client that retries with
// it looks like a thief. So they wait for the rollback (`pollUntil`) before they treat the token as stolen.

/** A client retries only after the error response, so its retry comes at least so many milliseconds after the write. */
const FIRST_RETRY_MS = 250

/** Enough, because a process rolls back a late write within half a second after the database answers again. */
const ROLLBACK_TIMEOUT_MS = 1500

const POLL_INTERVAL_MS = 150

/** The minimum time limit of a read, in milliseconds, even if the deadline is sooner, or has passed. */
const LAST_READ_MS = 500

const TOO_SLOW = {
  error: () => storeUnavailable('the store did not answer before the deadline of a request'),
}

/** When a request that begins now stops waiting for a rollback: a value of `performance.now()`. */
export function rollbackDeadline(): number {
  return performance.now() + ROLLBACK_TIMEOUT_MS
}

/** Whether the store may apply a write after its client got an error. Epoch milliseconds; undefined without a token. */
export function mayArriveLate(sentAt: number | undefined, now: number): boolean {
  if (sentAt === undefined) return false
  const age = Math.abs(now - sentAt)
  return age >= FIRST_RETRY_MS && age < LATE_WRITE_MS
}

export async function pollUntil<T>(
  read: () => Promise<T>,
  isCertain: (result: T) => boolean,
  deadline: number,
): Promise<T> {
  for (;;) {
    const left = deadline - performance.now()
    const result = await withTimeout(Math.max(left, LAST_READ_MS), read, TOO_SLOW)
    if (isCertain(result) || performance.now() + POLL_INTERVAL_MS >= deadline) return result
    await delay(POLL_INTERVAL_MS)
  }
}
