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
  /** Seconds for which the record is stored. */
  readonly ttl: number
}

/** The rollback of a write. */
interface Rollback {
  readonly write: FamilyWrite
  /** Barriers that may stand in the record, although the writes of these barriers were not confirmed. */
  readonly barriers: Set<string>
}

/** A family without a usable token. */
const NOT_STARTED = { generation: 0, current: '', payload: {} }

/** Milliseconds that a request waits for the outcome of its write, after the write itself has failed. */
const OUTCOME_TIMEOUT_MS = 500

const TIMED_OUT = { error: () => new Error('the outcome of a write is not known yet') }

/** Milliseconds between attempts while the store is unavailable. */
const FIRST_RETRY_DELAY_MS = 100
const MAX_RETRY_DELAY_MS = 1000

/** Milliseconds after which a rollback is abandoned. An operator has usually restarted the process before. */
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
   * Reads the outcome of a write. If the write is stored and may stay, confirms it. Otherwise restores the previous
   * record, with a barrier.
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
      // Another process has written since, so a late write will find nothing to replace.
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
      // The timer does not keep the process alive.
      await delay(pause, undefined, { ref: false })
      if (pending.has(rollback)) await rollBack(rollback).catch(() => {})
      if (performance.now() - startedAt > ROLLBACK_EXPIRY_MS) pending.delete(rollback)
      pause = Math.min(pause * 2, MAX_RETRY_DELAY_MS)
    }
  }

  return {
    /**
     * Writes a record. If the answer does not arrive, finds out the outcome, which takes at most half a second more. A
     * write that is not in force then is rolled back as soon as the store answers, even if the store applies it later.
     * There is one exception: if the client retries at another process and receives the written token, the write stays.
     *
     * @returns whether the write is in force; false if another process has changed the record
     * @throws the error of the write, if the write is not in force
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
 * write replaces. So a write whose outcome stays unknown is rolled back.
 *
 * If writes wait for replicas, a write that too few replicas received can be read, but is lost with its server. So
 * neither the write nor its rollback counts until a later write of the same record is confirmed. That confirmation covers
 * the earlier writes too, because replicas apply writes in order.
 */
export type UncertainWrites = ReturnType<typeof createUncertainWrites>
