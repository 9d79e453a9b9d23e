import { GatehouseError } from '../errors.ts'
import { isCorruptRecord } from './corrupt-record.ts'

/** A call that was never handed to the store: unlike any other that failed, it is certain not to have been applied. */
export class CircuitOpenError extends GatehouseError {
  constructor(message: string, cause: GatehouseError) {
    super('ERR_STORE_UNAVAILABLE', message, { cause })
  }
}

/**
 * Lets calls to a store through as long as it answers. After some failures in a row nothing is handed to it any more,
 * and calls fail at once, until it is there again: a database that is away costs a request no time, and nothing piles
 * up in its client.
 *
 * A row is broken by any answer that came after a failed call had begun. So what is lost in part, such as one shard of
 * a cluster, cuts nobody off from the rest.
 */
export interface CircuitBreaker {
  /**
   * Makes a call.
   *
   * @throws {CircuitOpenError} at once, while calls are cut off; else what the call throws
   */
  run<T>(call: () => Promise<T>): Promise<T>
  /** Throws while calls are cut off. */
  check(): void
  /** Told that the store has answered, whatever it was asked. */
  answered(): void
  /** Stops probing; what was cut off stays so. */
  stop(): void
}

/** Failures in a row that cut off. */
const FAILURES = 5
/** Calls that are let through at most to see whether it works again. */
const TRIALS = 5

/** Milliseconds between two probes. */
const PAUSE = 250
/** Milliseconds before it is asked again what was let through and has failed again and again. */
const LONGEST_PAUSE = 1000

/**
 * Whether the store is back is asked by a probe of its own, in the background, and never by a call of a request: a
 * write that gets no answer may have been applied, and whoever sent it has to find that out.
 *
 * @param parts.what is cut off, for messages: `the store`
 * @param parts.probe settles if the store answers
 * @param parts.isConclusive whether all is well where the probe is answered. Otherwise it is asked after a pause, and then
 *   some calls are let through: the first one that is answered lets all through, and one that fails cuts off again,
 *   for longer
 * @param parts.outer another one that these calls are subject to, and tell of answers. What fails here counts here
 *   alone
 * @param parts.onAway told when the first probe has failed too, and so the store is away
 * @param parts.onBack told when it is there again after that
 */
export function createCircuitBreaker(parts: {
  readonly what: string
  readonly probe: () => Promise<void>
  readonly isConclusive: boolean
  readonly outer?: CircuitBreaker | undefined
  readonly onAway?: ((error: GatehouseError) => void) | undefined
  readonly onBack?: (() => void) | undefined
}): CircuitBreaker {
  const { what, probe, isConclusive, outer, onAway, onBack } = parts
  /** Another one after each answer and each change, so that what fails late is not taken for what fails now. */
  let era = 0
  let failures = 0
  let cut: { readonly since: Date; readonly last: GatehouseError } | undefined
  /** Calls that may still be let through before one of them is answered; undefined if all may. */
  let trials: number | undefined
  let pause = PAUSE
  let isTold = false
  let stopped = false

  function check(): void {
    outer?.check()
    if (!cut || (trials !== undefined && trials > 0)) return
    const { since, last } = cut
    throw new CircuitOpenError(
      `${what} is not asked since ${since.toISOString()}, after failures in a row; the last one: ${last.message}`,
      last,
    )
  }

  function answered(): void {
    era += 1
    failures = 0
    outer?.answered()
    if (!cut) return
    cut = undefined
    trials = undefined
    pause = PAUSE
    if (isTold) onBack?.()
    isTold = false
  }

  function failed(error: GatehouseError, began: number): void {
    // Others were answered meanwhile, or it is known already.
    if (began !== era) return
    failures += 1
    const isOnTrial = trials !== undefined
    if (failures < FAILURES && !isOnTrial) return
    if (isOnTrial) pause = Math.min(pause * 2, LONGEST_PAUSE)
    era += 1
    failures = 0
    trials = undefined
    cut = { since: cut?.since ?? new Date(), last: error }
    void probeUntilAnswered(era)
  }

  async function probeUntilAnswered(started: number): Promise<void> {
    const isNeeded = () => era === started && !stopped
    for (let wait = isConclusive ? 0 : pause; isNeeded(); wait = PAUSE) {
      if (wait > 0) await unhurried(wait)
      if (!isNeeded()) return
      const failure = await probe().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!isNeeded()) return
      if (failure === undefined) return isConclusive ? answered() : tryAgain()
      tellAway()
    }
  }

  function tryAgain(): void {
    era += 1
    trials = TRIALS
  }

  function tellAway(): void {
    if (!isTold && cut) onAway?.(cut.last)
    isTold = true
  }

  return {
    check,
    answered,

    async run(call) {
      check()
      if (trials !== undefined) trials -= 1
      const began = era
      try {
        const answer = await call()
        answered()
        return answer
      } catch (error) {
        if (isAway(error)) failed(error, began)
        // Whatever else the store said, it did answer.
        else if (isCorruptRecord(error)) answered()
        throw error
      }
    },

    stop() {
      stopped = true
    },
  }
}

/** The process may end meanwhile, if there is nothing else to do. */
function unhurried(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

function isAway(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE'
}
