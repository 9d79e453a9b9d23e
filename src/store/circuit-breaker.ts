import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import { isCorruptRecord } from './corrupt-record.ts'

/** The error of a call that was never sent to the store, so it was certainly not applied. */
export class CircuitOpenError extends GatehouseError {
  constructor(message: string, cause: GatehouseError) {
    super('ERR_STORE_UNAVAILABLE', message, { cause })
  }
}

const MAX_FAILURES = 5
const TRIAL_CALLS = 5

/** Short, because many outages last only for milliseconds. Each further pause is twice as long. */
const FIRST_PROBE_PAUSE_MS = 50
const PROBE_INTERVAL_MS = 250
/** The pause doubles with each failed trial up to this maximum. */
const MAX_TRIAL_PAUSE_MS = 1000

interface CircuitBreakerOptions {
  /** What is unavailable, for messages: `the store`. */
  readonly name: string
  readonly probe: () => Promise<void>
  /**
   * If true, an answered probe proves that all calls work, and closes the circuit. If false, a probe after a pause
   * permits five trial calls: the first answer closes the circuit, a failed call keeps it open and doubles the pause.
   */
  readonly isProbeConclusive: boolean
  /** While its circuit is open, all calls through this breaker fail. Answers are recorded in both breakers. */
  readonly outer?: CircuitBreaker | undefined
  /** Called once for each outage, after the circuit has opened and a probe has failed. */
  readonly onUnavailable?: ((error: GatehouseError) => void) | undefined
  /** Only after `onUnavailable`. */
  readonly onAvailable?: (() => void) | undefined
}

/**
 * Passes calls to a store as long as the store answers. After five failures in a row the circuit opens. Until the store
 * answers again, calls fail at once, and are not sent. So no request waits, and no commands pile up in its client.
 *
 * While the circuit is open, the breaker calls `probe` in the background until the store answers. No other call is sent
 * before that. Otherwise a write could stay unanswered, and its caller would have to find out whether it was applied.
 *
 * Every answer resets the count of failures. The failure of a call that started before the last answer does not count.
 * So a partial failure, such as one lost shard of a cluster, does not block calls to the other shards.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { name, probe, isProbeConclusive, outer, onUnavailable, onAvailable } = options
  /** The failure of a call counts only if `attempt` has not changed since the call started. */
  let attempt = 0
  let failures = 0
  let open: { readonly since: Date; readonly last: GatehouseError } | undefined
  /** The number of trial calls that may still be made; undefined if no probe has permitted trial calls. */
  let trials: number | undefined
  let trialPauseMs = PROBE_INTERVAL_MS
  let isReported = false
  let stopped = false

  function throwIfOpen(): void {
    outer?.throwIfOpen()
    if (!open || (trials !== undefined && trials > 0)) return
    const why = `${name} has been unavailable since ${open.since.toISOString()}, so no calls are made`
    throw new CircuitOpenError(`${why}; the last failure: ${open.last.message}`, open.last)
  }

  function recordAnswer(): void {
    attempt += 1
    failures = 0
    outer?.recordAnswer()
    if (!open) return
    open = undefined
    trials = undefined
    trialPauseMs = PROBE_INTERVAL_MS
    if (isReported) onAvailable?.()
    isReported = false
  }

  function recordFailure(error: GatehouseError, startedAt: number): void {
    // Another call was answered after this call started, or the circuit has changed since then.
    if (startedAt !== attempt) return
    failures += 1
    const isTrial = trials !== undefined
    if (failures < MAX_FAILURES && !isTrial) return
    if (isTrial) trialPauseMs = Math.min(trialPauseMs * 2, MAX_TRIAL_PAUSE_MS)
    attempt += 1
    failures = 0
    trials = undefined
    open = { since: open?.since ?? new Date(), last: error }
    void findAnswer()
  }

  async function findAnswer(): Promise<void> {
    const startedAt = attempt
    const isNeeded = () => attempt === startedAt && !stopped
    const firstPauseMs = isProbeConclusive ? 0 : trialPauseMs
    const onFailure = () => {
      if (!isReported && open) onUnavailable?.(open.last)
      isReported = true
    }
    if (!(await probeUntilAnswered(probe, { firstPauseMs, isNeeded, onFailure }))) return
    if (isProbeConclusive) return recordAnswer()
    attempt += 1
    trials = TRIAL_CALLS
  }

  return {
    throwIfOpen,
    recordAnswer,

    /** @throws {CircuitOpenError} at once while the circuit is open; otherwise what the call throws */
    async run<T>(call: () => Promise<T>): Promise<T> {
      throwIfOpen()
      if (trials !== undefined) trials -= 1
      const startedAt = attempt
      try {
        const answer = await call()
        recordAnswer()
        return answer
      } catch (error) {
        if (isStoreUnavailable(error)) recordFailure(error, startedAt)
        // The store has answered, although the record is corrupt.
        else if (isCorruptRecord(error)) recordAnswer()
        throw error
      }
    },

    stop(): void {
      stopped = true
    },
  }
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

async function probeUntilAnswered(
  probe: () => Promise<void>,
  options: {
    readonly firstPauseMs: number
    readonly isNeeded: () => boolean
    readonly onFailure: () => void
  },
): Promise<boolean> {
  const { firstPauseMs, isNeeded, onFailure } = options
  for (let pauseMs = firstPauseMs; isNeeded(); pauseMs = nextPause(pauseMs)) {
    // The timer does not keep the process alive.
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
    if (!isNeeded()) return false
    const isAnswered = await probe().then(
      () => true,
      () => false,
    )
    if (!isNeeded()) return false
    if (isAnswered) return true
    onFailure()
  }
  return false
}

function nextPause(pauseMs: number): number {
  return Math.min(Math.max(2 * pauseMs, FIRST_PROBE_PAUSE_MS), PROBE_INTERVAL_MS)
}
