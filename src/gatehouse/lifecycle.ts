import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { withTimeout } from '../async/with-timeout.ts'

const RETRY_INTERVAL_MS = 250

/** An unavailable store is not reported so early, because its client is still connecting. */
const CONNECTING_MS = 1000

const CLOSING_MS = 1000

/**
 * Starts a service, waits for it, and stops it. Before `begin()`, only the callers of `ready()` receive the error of a
 * failed attempt. After it, `onFailure` does too, but not for an unavailable store in the first second.
 */
export function createLifecycle<Running>(
  start: () => Promise<Running>,
  stop: (running: Running) => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  let running: Running | undefined
  let starting: Promise<Running> | undefined
  let failure: unknown
  let closed = false
  let hasBegun = false

  async function startWithRetries(): Promise<Running> {
    const startedAt = performance.now()
    for (;;) {
      if (closed) throw closedError()
      try {
        return await start()
      } catch (error) {
        // The host may close the store after gatehouse. Its error is then not a failed start.
        if (closed) throw closedError()
        failure = error
        const isConnecting = isStoreUnavailable(error) && performance.now() - startedAt < CONNECTING_MS
        if (hasBegun && !isConnecting) onFailure(error)
        if (!isStoreUnavailable(error)) throw error
        // The timer does not keep the process alive.
        await delay(RETRY_INTERVAL_MS, undefined, { ref: false })
      }
    }
  }

  async function startAndKeep(): Promise<Running> {
    try {
      const started = await startWithRetries()
      if (closed) {
        await stop(started)
        throw closedError()
      }
      running = started
      failure = undefined
      return started
    } finally {
      starting = undefined
    }
  }

  const startOnce = (): Promise<Running> => (starting ??= startAndKeep())

  return {
    get running(): Running | undefined {
      return running
    },
    get state(): 'starting' | 'running' | 'closed' {
      if (closed) return 'closed'
      return running === undefined ? 'starting' : 'running'
    },
    get failure(): unknown {
      return failure
    },
    /** Never throws, and does not keep the process alive. `failure` has an error of the start. */
    begin(): void {
      hasBegun = true
      inBackground(async () => closed || running !== undefined || startOnce())
    },
    /**
     * While the store is unavailable, the start is retried. After another failure, the next call begins a new one.
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_NOT_READY` after `timeoutMs`; `ERR_CLOSED`; as `start`
     */
    async ready(timeoutMs: number): Promise<Running> {
      if (closed) throw closedError()
      if (running !== undefined) return running
      return withTimeout(timeoutMs, startOnce, {
        error: () =>
          isStoreUnavailable(failure)
            ? failure
            : new GatehouseError('ERR_NOT_READY', `gatehouse is not ready after ${timeoutMs} ms`),
      })
    },
    requireOpen(): void {
      if (closed) throw closedError()
    },
    /** Waits a second at most: the host may close the store next. A later start is stopped as soon as it runs. */
    async close(): Promise<void> {
      closed = true
      const last = running
      running = undefined
      if (last !== undefined) await stop(last)
      await withTimeout(CLOSING_MS, async () => starting, { error: closedError }).catch(() => {})
    },
  }
}

function closedError(): GatehouseError {
  return new GatehouseError('ERR_CLOSED', 'gatehouse has been closed')
}
