import { getEventListeners } from 'node:events'
import type { GatewayRevocations } from './dependencies.ts'
import type { Principal } from './principal.ts'
import { isExpired } from './verify-token.ts'

/** A token with a signal that a caller waits for. */
interface WatchedToken {
  readonly principal: Principal
  readonly controller: AbortController
  /** Whether the signal is also kept without a listener, until the token expires. */
  keepUntilExpiry: boolean
}

/**
 * Maximum milliseconds between two checks of the clock. The clock may jump, for example while the machine
 * sleeps, and then a single long timer would fire at a wrong time.
 */
const CLOCK_CHECK_MS = 1000

/** Milliseconds in which revocations are collected, so that one sweep checks all of them. */
const COLLECT_REVOCATIONS_MS = 5

/** Milliseconds after which signals without listeners are released. */
const RELEASE_AFTER_MS = 10_000

/**
 * Creates the watch of the tokens whose signal a caller waits for. A sweep checks all these tokens. One
 * timer, which does not keep the process alive, starts a sweep when the first token expires. A revocation
 * also causes a sweep. Sweeps for revocations take at most a tenth of the time of the process.
 *
 * @param reasonToAbort returns why a token is no longer valid; undefined if it is valid
 * @param reasonToAbort.now epoch seconds
 */
export function createSignalWatch(
  revocations: Pick<GatewayRevocations, 'mustReject' | 'onAdded'>,
  reasonToAbort: (principal: Principal, now: number) => Error | undefined,
) {
  /**
   * The watched tokens by token id. They include the principal, because the cache of verified tokens may
   * evict a principal that is still in use.
   */
  const watched = new Map<string, WatchedToken>()
  let stopListening: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** Epoch seconds at which the first token expires. */
  let firstExpiry = Infinity
  /**
   * When the next sweep is due, and the earliest time at which it may be due. Both are times of the monotonic
   * clock (`performance.now()`).
   */
  let sweepAt = 0
  let earliestSweepAt = 0

  /**
   * Watches a token. If the token is watched already, the call can only change its `keepUntilExpiry` to true.
   */
  function add(token: WatchedToken): void {
    const { tokenId, expiresAt } = token.principal
    const known = watched.get(tokenId)
    if (known !== undefined) {
      known.keepUntilExpiry ||= token.keepUntilExpiry
      return
    }
    if (watched.size === 0) sweepAt = performance.now() + RELEASE_AFTER_MS
    watched.set(tokenId, token)
    stopListening ??= revocations.onAdded(sweepSoon)
    if (expiresAt >= firstExpiry && watched.size > 1) return
    firstExpiry = Math.min(firstExpiry, expiresAt)
    schedule()
  }

  /** Aborts the signals of tokens that are no longer valid. Releases the tokens without a waiting caller. */
  function sweep(): void {
    const startedAt = performance.now()
    const now = Date.now() / 1000
    firstExpiry = Infinity
    // A listener may read more signals or close the gateway, and both change the Map. This is safe, because a
    // Map may change during its iteration.
    for (const token of watched.values()) {
      const { principal, controller } = token
      const reason = reasonToAbort(principal, now)
      if (reason !== undefined || !hasWaitingCaller(token)) watched.delete(principal.tokenId)
      else firstExpiry = Math.min(firstExpiry, principal.expiresAt)
      if (reason !== undefined) controller.abort(reason)
    }
    const endedAt = performance.now()
    earliestSweepAt = endedAt + (endedAt - startedAt) * 10
    sweepAt = Math.max(earliestSweepAt, endedAt + RELEASE_AFTER_MS)
    if (watched.size > 0) return schedule()
    clearTimeout(timer)
    stopListening?.()
    stopListening = undefined
  }

  function sweepSoon(): void {
    const at = Math.max(performance.now() + COLLECT_REVOCATIONS_MS, earliestSweepAt)
    if (at >= sweepAt) return
    sweepAt = at
    schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    const untilExpiry = firstExpiry * 1000 - Date.now()
    const untilSweep = sweepAt - performance.now()
    const delay = Math.max(0, Math.min(CLOCK_CHECK_MS, untilExpiry, untilSweep))
    timer = setTimeout(sweepIfDue, delay).unref()
  }

  function sweepIfDue(): void {
    const isDue = isExpired(firstExpiry, Date.now() / 1000) || performance.now() >= sweepAt
    if (revocations.mustReject || isDue) sweep()
    else schedule()
  }

  return { add, remove: (tokenId: string) => void watched.delete(tokenId), sweep }
}

function hasWaitingCaller({ keepUntilExpiry, controller }: WatchedToken): boolean {
  return keepUntilExpiry || getEventListeners(controller.signal, 'abort').length > 0
}
