import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { withTimeout } from '../async/with-timeout.ts'

/** What runs once everything is there, and how long to wait for it. */
export interface Lifecycle<Running> {
  /** What runs, or undefined while it does not. */
  readonly running: Running | undefined
  /** How far it has come. */
  readonly state: 'starting' | 'running' | 'closed'
  /** Why the last attempt to start failed; undefined where none has, or it runs. */
  readonly failure: unknown
  /**
   * Starts it in the background, if nobody has. Keeps no process alive, and never throws: why it failed is in `failure`,
   * and whoever waits by `ready()` gets it.
   */
  begin(): void
  /**
   * Waits until it runs, and starts it if nobody has. While the store is away it is tried again and again;
   * any other failure ends the attempt, and the next call makes a new one.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` or `ERR_NOT_READY` after `timeoutMs`, `ERR_CLOSED`, and
   *   whatever else keeps it from starting
   */
  ready(timeoutMs: number): Promise<Running>
  /** @throws {GatehouseError} `ERR_CLOSED` after `close()` */
  requireOpen(): void
  /** Stops what runs, and what is starting at this moment as soon as it runs. Idempotent. */
  close(): Promise<void>
}

/** Milliseconds between attempts while the store is away. */
const RETRY_EVERY = 250

/**
 * @param start from nothing to running; called again after a failure
 * @param stop ends what `start` made
 * @param onFailure told of each attempt that failed, from `begin()` on: before that, whoever waits is told
 */
export function createLifecycle<Running>(
  start: () => Promise<Running>,
  stop: (running: Running) => Promise<void>,
  onFailure: (error: unknown) => void = () => {},
): Lifecycle<Running> {
  let running: Running | undefined
  let starting: Promise<Running> | undefined
  let failure: unknown
  /** Why it was tried again. */
  let storeFailure: GatehouseError | undefined
  let closed = false
  let hasBegun = false

  async function startUntilItRuns(): Promise<Running> {
    for (;;) {
      if (closed) throw closedError()
      try {
        return await start()
      } catch (error) {
        // The store may have been taken away with it: then that is no failure.
        if (closed) throw closedError()
        failure = error
        if (hasBegun) onFailure(error)
        if (!isStoreAway(error)) throw error
        storeFailure = error
        // The process may end meanwhile, if there is nothing else to do.
        await delay(RETRY_EVERY, undefined, { ref: false })
      }
    }
  }

  function startOnce(): Promise<Running> {
    starting ??= startUntilItRuns()
      .then(async (started) => {
        if (closed) {
          await stop(started)
          throw closedError()
        }
        running = started
        failure = undefined
        return started
      })
      .finally(() => {
        starting = undefined
      })
    return starting
  }

  return {
    get running() {
      return running
    },
    get state() {
      if (closed) return 'closed'
      return running === undefined ? 'starting' : 'running'
    },
    get failure() {
      return failure
    },
    begin() {
      hasBegun = true
      inBackground(async () => closed || running !== undefined || startOnce())
    },
    async ready(timeoutMs) {
      if (closed) throw closedError()
      if (running !== undefined) return running
      return withTimeout(timeoutMs, startOnce, {
        error: () =>
          storeFailure ?? new GatehouseError('ERR_NOT_READY', `gatehouse is not ready after ${timeoutMs} ms`),
      })
    },
    requireOpen() {
      if (closed) throw closedError()
    },
    async close() {
      closed = true
      const last = running
      running = undefined
      if (last !== undefined) await stop(last)
    },
  }
}

function isStoreAway(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE'
}

function closedError(): GatehouseError {
  return new GatehouseError('ERR_CLOSED', 'gatehouse has been closed')
}
