import { setImmediate as nextTurn } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import { withTimeout } from '../async/with-timeout.ts'
import type { RevocationSet } from './revocation-set.ts'
import type { RevocationSource } from './revocation-source.ts'
import { createClockJumps } from './clock-jumps.ts'

/** What a gateway does while it cannot hear of revocations. */
export interface StalenessPolicy {
  /** Seconds between two readings at most. */
  readonly pollIntervalSeconds: number
  /** `serve` by what is known, or `reject` all tokens once `maxStalenessSeconds` have passed. */
  readonly whenStale: 'serve' | 'reject'
  readonly maxStalenessSeconds: number
}

/** How well revocations are known. */
export interface RevocationFreshness {
  /** Whether the last reading failed or is overdue, or there was none yet. */
  readonly isLost: boolean
  /** Seconds since all revocations were known; since the beginning, if they never were. */
  readonly ageSeconds: number
}

/** Keeps a set of revocations up to date. */
export interface RevocationFollower {
  /**
   * Reads all revocations that are in force, and follows from then on. May be called again, also while it is under
   * way and after it has rejected.
   *
   * @throws what the source throws; {GatehouseError} `ERR_NOT_READY` if the source does not answer, `ERR_CLOSED`
   */
  start(): Promise<void>
  readonly contact: RevocationFreshness
  /** Whether tokens must be rejected because nobody knows which of them were revoked. No I/O. */
  readonly mustReject: boolean
  /** Ends it, also while it starts or reads. Idempotent. */
  close(): Promise<void>
}

/** Milliseconds between two rounds of forgetting what has expired. */
const PRUNE_EVERY = 60_000

/** Milliseconds without forgetting after a jump: a clock that is put forward by mistake is put back again. */
const PRUNE_AFTER_JUMP = 3_600_000

/**
 * Milliseconds after which all are read anew: what another process made while its clock was minutes behind stands in
 * no place where those who follow look again, and whoever missed the message would never hear of it.
 */
const WHOLE_EVERY = 3_600_000

/** Milliseconds that one page is waited for: longer than any source waits itself. */
const PAGE_LIMIT = 60_000

/**
 * Reads at the start, hears of changes at once where the source can tell, and reads again every `pollIntervalSeconds`, so
 * that a message that was lost is late by no more than that. Keeps no process alive.
 *
 * @param parts.onFreshness told once when contact is lost after it was there, and once when it is there again
 * @param parts.now milliseconds since the epoch. @default the clock of this process
 */
export function createRevocationFollower(parts: {
  readonly source: RevocationSource
  readonly set: RevocationSet
  readonly policy: StalenessPolicy
  readonly logger: Logger
  readonly onFreshness?: ((contact: RevocationFreshness) => void) | undefined
  readonly now?: (() => number) | undefined
}): RevocationFollower {
  const { source, set, policy, logger, onFreshness, now = () => Date.now() } = parts
  const every = policy.pollIntervalSeconds * 1000
  let cursor: string | undefined
  /** When the last reading of all began, by the clock that never jumps. */
  let wholeAt = Number.NEGATIVE_INFINITY
  let leave: (() => Promise<void>) | undefined
  let timer: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined
  let reading: Promise<void> | undefined
  let closed = false
  let state: 'unknown' | 'current' | 'lost' = 'unknown'
  const clocks = createClockJumps(now)
  /** When all revocations were known the last time. */
  let current = clocks.moment()
  let pruneAt = Number.NEGATIVE_INFINITY

  function noticeJump(): void {
    if (!clocks.hasJumped()) return
    // What was read by a cursor of another time, or was left out as expired, is read anew.
    cursor = undefined
    pruneAt = performance.now() + PRUNE_AFTER_JUMP
  }

  function prune(): void {
    // Once more, since reading takes time.
    noticeJump()
    if (performance.now() < pruneAt) return
    pruneAt = performance.now() + PRUNE_EVERY
    set.prune(now() / 1000)
  }

  async function readAll(): Promise<void> {
    noticeJump()
    const startedAt = clocks.moment()
    if (startedAt.steady - wholeAt >= WHOLE_EVERY) cursor = undefined
    if (cursor === undefined) wholeAt = startedAt.steady
    for (let more = true; more && !closed;) {
      const page = await withTimeout(PAGE_LIMIT, () => source.read(cursor), LATE)
      set.add(page.revocations)
      ;({ cursor, more } = page)
      // However much there is, requests get their turn in between.
      if (more) await nextTurn()
    }
    if (closed) return
    current = startedAt
    prune()
    tell('current')
  }

  /** Of several at once there is one. */
  function read(): Promise<void> {
    reading ??= readAll().finally(() => (reading = undefined))
    return reading
  }

  /** Never rejects. */
  async function catchUp(): Promise<void> {
    try {
      await read()
    } catch (error) {
      tell('lost', error)
    }
  }

  /** What was missed may be older than what a reading that is under way has come to. */
  async function catchUpAnew(): Promise<void> {
    await reading?.catch(() => {})
    await catchUp()
  }

  function tell(next: 'current' | 'lost', cause?: unknown): void {
    const before = state
    // What was never there is not lost: `start` says so itself.
    if (closed || next === before || (before === 'unknown' && next === 'lost')) return
    state = next
    if (before === 'unknown') return
    const { ageSeconds } = contact()
    if (next === 'lost') {
      logger.warn({ err: cause, ageSeconds }, 'revoked tokens cannot be heard of at the moment')
    } else logger.info({}, 'revoked tokens are heard of again')
    onFreshness?.({ isLost: next === 'lost', ageSeconds })
  }

  function schedule(): void {
    // Processes that started together do not all read at once. And each early enough to be through with it in time.
    timer = setTimeout(tick, every * (0.7 + Math.random() / 5))
    timer.unref()
  }

  function tick(): void {
    if (reading && isOverdue()) tell('lost', notAnswered())
    void catchUp()
    schedule()
  }

  function isOverdue(): boolean {
    return clocks.since(current) > every * 3
  }

  function contact(): RevocationFreshness {
    return {
      isLost: state !== 'current' || isOverdue(),
      ageSeconds: Math.round(clocks.since(current) / 100) / 10,
    }
  }

  async function listenAndRead(): Promise<void> {
    // Before the first reading, so that nothing in between is missed. It stays where that fails, for the next time.
    leave ??= await source.listen?.(
      (revocation) => set.add([revocation]),
      () => void catchUpAnew(),
    )
    if (!closed) await read()
  }

  async function startOnce(): Promise<void> {
    try {
      if (!closed) await listenAndRead()
    } catch (error) {
      if (!closed) throw error
    }
    if (closed) {
      await stopListening()
      throw new GatehouseError('ERR_CLOSED', 'revocations are not followed any more')
    }
    if (timer === undefined) schedule()
  }

  async function stopListening(): Promise<void> {
    const stop = leave
    leave = undefined
    await stop?.().catch((error: unknown) => {
      logger.debug({ err: error }, 'listening to revocations did not end well')
    })
  }

  return {
    get contact() {
      return contact()
    },

    get mustReject() {
      if (policy.whenStale === 'serve') return false
      return state === 'unknown' || clocks.since(current) > policy.maxStalenessSeconds * 1000
    },

    start() {
      // Somebody may ask again before the attempt before has failed: one subscription is enough.
      return (starting ??= startOnce().finally(() => (starting = undefined)))
    },

    async close() {
      closed = true
      clearTimeout(timer)
      source.close?.()
      await stopListening()
    },
  }
}

const LATE = { error: notAnswered, keepsAlive: false }

function notAnswered(): GatehouseError {
  return new GatehouseError('ERR_NOT_READY', 'the source of revocations does not answer')
}
