// Model: test/proof/models/revocation-feed.pml
import { setImmediate as nextTurn } from 'node:timers/promises'
import { areCredentialsRejected, GatehouseError, isStoreUnavailable } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import { unavailablePause } from '../async/unavailable-pause.ts'
import { settlesWithin, withTimeout } from '../async/with-timeout.ts'
import { createRevocationSet, type RevocationSet } from './is-revoked.ts'
import type { RevocationSource } from './revocation-source.ts'
import { createClockJumps } from './clock-jumps.ts'
import {
  freshnessOf,
  isOverdue,
  mustReject,
  type RevocationFreshness,
  type Staleness,
  type StalenessPolicy,
} from './staleness.ts'

export const POLL_INTERVAL_SECONDS = { byDefault: 5, max: 60 }

const PRUNE_INTERVAL_MS = 60_000

/** A clock that is set forward by mistake makes revocations seem expired until it is set back. */
const PRUNE_AFTER_JUMP_MS = 3_600_000

/**
 * A process with a slow clock may add a revocation at a time that the polls of other processes have already
 * passed. If the message about this revocation is lost too, only a full read finds it.
 */
const FULL_READ_INTERVAL_MS = 3_600_000

const CATCH_UP_MS = 2000

/** Milliseconds to wait for one page: longer than the timeout of any source. */
const PAGE_TIMEOUT_MS = 60_000

interface Parts {
  readonly source: RevocationSource
  readonly policy: StalenessPolicy
  readonly logger: Logger
  readonly events?: EventSink | undefined
  readonly now?: (() => number) | undefined
}

/**
 * Creates a set of revocations that follows a source. It reads all revocations at the start, and then polls
 * every `pollIntervalSeconds`. If the source can publish new revocations, the set also receives each of them
 * at once. If such a message is lost, the next poll reads the revocation. While the store is unavailable, the
 * set polls several times a second. The polls do not keep the process alive.
 */
export function createRevocationFollower(parts: Parts) {
  const follower = createState(parts)
  const followed = {
    get freshness(): RevocationFreshness {
      return freshnessOf(follower)
    },
    /** Whether all tokens must be rejected, because the revocations are too stale. */
    get mustReject(): boolean {
      return mustReject(follower)
    },
    /** Why the revocations are stale. Undefined while they are fresh, and during the start. */
    get failure(): unknown {
      return follower.failure
    },
    /** As in `GatewayRevocations`. Takes at most two seconds, and never throws. */
    catchUp: () => settlesWithin(() => catchUp(follower), CATCH_UP_MS),
    /** Reads all revocations in force, then follows the source. May be called again. Throws the source's errors. */
    start: () => (follower.starting ??= start(follower).finally(() => (follower.starting = undefined))),
    /** Stops all polls and messages, even during a start or a poll. May be called again. */
    close: () => close(follower),
  }
  // Copies the getters of both objects, because copies of the current values would never change.
  return Object.defineProperties({} as RevocationSet & Readonly<typeof followed>, {
    ...Object.getOwnPropertyDescriptors(followed),
    ...Object.getOwnPropertyDescriptors(follower.set),
  })
}

export type KnownRevocations = ReturnType<typeof createRevocationFollower>

function createState(parts: Parts) {
  const { now = () => Date.now() } = parts
  const clocks = createClockJumps(now)
  return {
    ...parts,
    set: createRevocationSet(),
    now,
    clocks,
    intervalMs: parts.policy.pollIntervalSeconds * 1000,
    cursor: undefined as string | undefined,
    /** When the last full read began, by the steady clock. */
    fullReadAt: Number.NEGATIVE_INFINITY,
    unsubscribe: undefined as (() => Promise<void>) | undefined,
    timer: undefined as NodeJS.Timeout | undefined,
    starting: undefined as Promise<void> | undefined,
    reading: undefined as Promise<void> | undefined,
    closed: false,
    state: 'unknown' as Staleness['state'],
    failure: undefined as unknown,
    /** The causes of the present rejection that are in the log. */
    loggedCauses: new Set<string>(),
    freshAt: clocks.moment(),
    /** When to prune next, by the steady clock. */
    pruneAt: Number.NEGATIVE_INFINITY,
  }
}

type Follower = ReturnType<typeof createState>

async function start(follower: Follower): Promise<void> {
  try {
    if (!follower.closed) await subscribeAndRead(follower)
  } catch (error) {
    if (!follower.closed) throw error
  }
  if (follower.closed) {
    await unsubscribe(follower)
    throw new GatehouseError('ERR_CLOSED', 'this process was closed, and no longer reads revocations')
  }
  if (follower.timer === undefined) schedulePoll(follower)
}

/** Subscribes before the first read, so that no revocation is missed. */
async function subscribeAndRead(follower: Follower): Promise<void> {
  const { source, set } = follower
  follower.unsubscribe ??= await source.listen?.(
    (revocation) => set.add([revocation]),
    () => void pollAgain(follower),
  )
  if (!follower.closed) await read(follower)
}

async function unsubscribe(follower: Follower): Promise<void> {
  const end = follower.unsubscribe
  follower.unsubscribe = undefined
  await end?.().catch((error: unknown) => {
    follower.logger.debug({ err: error }, 'the subscription to revocations did not end cleanly')
  })
}

async function close(follower: Follower): Promise<void> {
  follower.closed = true
  clearTimeout(follower.timer)
  follower.source.close?.()
  await unsubscribe(follower)
}

/** At random times, so that processes that started together do not poll together. */
function schedulePoll(follower: Follower, inMs = follower.intervalMs * (0.7 + Math.random() / 5)): void {
  const tick = () => {
    if (follower.reading && isOverdue(follower)) setState(follower, 'stale', notAnswered())
    void poll(follower)
    schedulePoll(follower)
  }
  clearTimeout(follower.timer)
  // A poll begins before the interval ends, so that its read finishes within the interval.
  follower.timer = setTimeout(tick, inMs)
  follower.timer.unref()
}

async function poll(follower: Follower): Promise<void> {
  try {
    await read(follower)
  } catch (error) {
    setState(follower, isKeyRejected(error) ? 'rejected' : 'stale', error)
    if (isStoreUnavailable(error) && !follower.closed) schedulePoll(follower, unavailablePause())
  }
}

/** A read in progress may already have passed the revocation of that message, so a new read follows. */
async function pollAgain(follower: Follower): Promise<void> {
  await follower.reading?.catch(() => {})
  await poll(follower)
}

async function catchUp(follower: Follower): Promise<void> {
  const { state, clocks, freshAt, intervalMs, logger } = follower
  if (state !== 'fresh' || !clocks.isOnlyWallPast(freshAt, 3 * intervalMs)) return
  if (!follower.reading) logger.warn({}, STEPPED)
  await poll(follower)
}

function read(follower: Follower): Promise<void> {
  return (follower.reading ??= readPages(follower).finally(() => (follower.reading = undefined)))
}

async function readPages(follower: Follower): Promise<void> {
  const { clocks, source, set } = follower
  checkForJump(follower)
  const startedAt = clocks.moment()
  if (startedAt.steady - follower.fullReadAt >= FULL_READ_INTERVAL_MS) follower.cursor = undefined
  if (follower.cursor === undefined) follower.fullReadAt = startedAt.steady
  for (let more = true; more && !follower.closed;) {
    const page = await withTimeout(PAGE_TIMEOUT_MS, () => source.read(follower.cursor), TIMED_OUT)
    set.add(page.revocations)
    follower.cursor = page.cursor
    more = page.more
    if (more) await nextTurn()
  }
  if (follower.closed) return
  follower.freshAt = startedAt
  prune(follower)
  setState(follower, 'fresh')
}

/** After a jump, the time in the cursor may be wrong, and revocations may wrongly seem to be expired. */
function checkForJump(follower: Follower): void {
  if (!follower.clocks.hasJumped()) return
  follower.cursor = undefined
  follower.pruneAt = performance.now() + PRUNE_AFTER_JUMP_MS
}

function prune(follower: Follower): void {
  // The clock may have jumped during the read.
  checkForJump(follower)
  if (performance.now() < follower.pruneAt) return
  follower.pruneAt = performance.now() + PRUNE_INTERVAL_MS
  follower.set.prune(follower.now() / 1000)
}

function setState(follower: Follower, state: 'fresh' | 'stale' | 'rejected', cause?: unknown): void {
  const { state: before, loggedCauses, logger, events } = follower
  // Before the first successful read, `start` reports failures itself.
  if (follower.closed || (before === 'unknown' && state !== 'fresh')) return
  // Only a successful read ends the rejection of the key, because other failures say nothing about the key.
  if (before === 'rejected' && state === 'stale') return
  follower.state = state
  follower.failure = cause
  const isNewCause = state === 'rejected' && !loggedCauses.has(String(cause))
  if (before === 'unknown' || (state === before && !isNewCause)) return
  if (state === 'rejected') loggedCauses.add(String(cause))
  else loggedCauses.clear()
  const { ageSeconds } = freshnessOf(follower)
  if (state === 'fresh') logger.info({}, 'revocations are fresh again')
  else if (state === 'stale') logger.warn({ err: cause, ageSeconds }, 'revocations are stale')
  else logger.error({ err: cause, ageSeconds }, KEY_REJECTED)
  if (state === 'fresh') events?.emit('revocations.fresh', { ageSeconds })
  else if (before === 'fresh') events?.emit('revocations.stale', { ageSeconds })
}

const KEY_REJECTED =
  'the authorization service rejects the API key of this gateway: calls get 503 once the revocations are three poll intervals old'

/** A gateway on a store has no key: its store may reject the user of the database. */
function isKeyRejected(error: unknown): boolean {
  return areCredentialsRejected(error) && !isStoreUnavailable(error)
}

const STEPPED =
  'the clock of this process was set forward, or the machine has slept: the revocations are read again'

const TIMED_OUT = { error: notAnswered, keepsAlive: false }

function notAnswered(): GatehouseError {
  return new GatehouseError('ERR_NOT_READY', 'the source of revocations does not answer')
}
