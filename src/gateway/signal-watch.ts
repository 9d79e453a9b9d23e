import { getEventListeners } from 'node:events'
import type { GatewayRevocations } from './dependencies.ts'
import type { Principal } from './principal.ts'
import { isExpired } from './verify-token.ts'

/** A token with a signal that a caller waits for. */
interface WatchedToken {
  readonly principal: Principal
  readonly controller: AbortController
  /** Whether the token is watched until it expires, even if its signal has no listener. */
  keepUntilExpiry: boolean
}

/**
 * Maximum milliseconds between two checks of the clock. A single long timer is not used, because it would
 * fire at a wrong time if the clock jumps, for example while the machine sleeps.
 */
const CLOCK_CHECK_MS = 1000

/** Milliseconds in which revocations are collected, so that one sweep checks all of them. */
const COLLECT_REVOCATIONS_MS = 5

/** Milliseconds after which tokens whose signal has no listener are no longer watched. */
const RELEASE_AFTER_MS = 10_000

/**
 * Watches the tokens whose signals callers wait for, and aborts each signal when its token is no longer
 * valid. A sweep checks all these tokens. A sweep begins when a token expires, soon after a revocation, and
 * otherwise about every `RELEASE_AFTER_MS`. Sweeps for revocations take at most a tenth of the time of the
 * process. The one timer does not keep the process alive.
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
  /** Epoch seconds at which the next of the watched tokens expires. */
  let firstExpiry = Infinity
  /**
   * `sweepAt`: when the next sweep is due. `earliestSweepAt`: a revocation must not cause a sweep before this
   * time. Both are times of the monotonic clock (`performance.now()`).
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

  /**
   * Aborts the signals of tokens that are no longer valid. Tokens whose signal no caller waits for are no
   * longer watched.
   */
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
