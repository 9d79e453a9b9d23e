import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withTimeout } from '../../async/with-timeout.ts'
import { CircuitOpenError } from '../../store/circuit-breaker.ts'
import type { Collection, Stored } from '../../store/collection.ts'
import type { FamilyRecord } from './family-record.ts'

/** A write of a family. */
interface FamilyWrite {
  readonly grantId: string
  /** The record to replace; undefined if the write starts the family. */
  readonly before?: Stored<FamilyRecord> | undefined
  readonly next: FamilyRecord
  /** Seconds. */
  readonly ttl: number
}

/** The rollback of a write. */
interface Rollback {
  readonly write: FamilyWrite
  /** Barriers that may stand in the record, although their own writes were not confirmed. */
  readonly barriers: Set<string>
}

/** A family without a usable token. */
const NOT_STARTED = { generation: 0, current: '', payload: {} }

/** Milliseconds that a request waits for the outcome of its write, after it waited for the write itself. */
const OUTCOME_TIMEOUT_MS = 500

const TIMED_OUT = { error: () => new Error('the outcome of a write is not known yet') }

/** Milliseconds between attempts while the store is unavailable. */
const FIRST_RETRY_DELAY_MS = 100
const MAX_RETRY_DELAY_MS = 1000

/** Milliseconds after which a rollback is given up: the process was restarted by then, or should have been. */
const ROLLBACK_EXPIRY_MS = 3_600_000

/** @param options.notStartedTtl seconds for which a late start must be prevented */
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
   * Reads the outcome, and confirms the write if it is stored and may stay. Otherwise it restores the record before,
   * with a barrier.
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
      // Another process has written since, so the late write finds nothing to replace.
      if (!isStored && now?.text !== before?.text && !barriers.has(now?.record.barrier ?? '')) return false
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
      // This keeps no process alive.
      await delay(pause, undefined, { ref: false })
      if (pending.has(rollback)) await rollBack(rollback).catch(() => {})
      if (performance.now() - startedAt > ROLLBACK_EXPIRY_MS) pending.delete(rollback)
      pause = Math.min(pause * 2, MAX_RETRY_DELAY_MS)
    }
  }

  return {
    /**
     * Writes, and finds out the outcome if the answer does not arrive, which takes half a second more at most. A write
     * that is not in force then never will be: it is rolled back as soon as the store answers, even if it arrives later.
     * The exception is a retry by the client at another process, which then sent what was written.
     *
     * @returns whether the write is in force; false if another process has changed the record
     * @throws the error of a write that is not in force
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
    /** Stops retrying. */
    close(): void {
      closed = true
      pending.clear()
    },
  }
}

/**
 * Finds out the outcome of a write that the store neither confirmed nor rejected. Such a write may be in force, may be
 * lost, or may still arrive. Its request was answered with an error, and the client retries with the token that the
 * write uses up. So a write whose outcome stays unknown is rolled back.
 *
 * If writes wait for replicas, a write that too few replicas have can be read back, but is lost with its server. So
 * neither the write nor its rollback counts before a later write of the same record is confirmed. Replicas apply
 * writes in order.
 */
export type UncertainWrites = ReturnType<typeof createUncertainWrites>
