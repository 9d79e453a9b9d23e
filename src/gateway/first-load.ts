import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { settlesWithin } from '../async/with-timeout.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** The option `startTimeoutMs`. */
export const START_TIMEOUT_MS = { byDefault: 1500, max: 60_000 }

/**
 * Tracks whether keys, operations and revocations are loaded. The load begins with the first call of
 * `begin()`, `whenReady()` or `soonReady()`.
 */
export function createFirstLoad(
  dependencies: Pick<GatewayDependencies, 'ready' | 'begin' | 'startFailed' | 'startTimeoutMs'>,
) {
  let state: FirstLoad['state'] = 'starting'
  let failure: unknown
  let pending: Promise<void> | undefined

  async function start(): Promise<void> {
    try {
      await dependencies.ready()
      if (state === 'starting') state = 'running'
      failure = undefined
    } catch (error) {
      failure = error
      if (state === 'starting') dependencies.startFailed?.(error)
      throw error
    } finally {
      pending = undefined
    }
  }

  /**
   * Waits for the load without a time limit. The promise rejects with the error of a failed load. The next
   * call then tries again.
   */
  async function whenReady(): Promise<void> {
    if (state === 'starting') await (pending ??= start())
    if (state === 'closed') throw new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
  }

  return {
    /** True from the first successful load until the gateway is closed: requests then need not wait. */
    get isReady(): boolean {
      return state === 'running'
    },
    /** The state of the start. */
    get state(): 'starting' | 'running' | 'closed' {
      return state
    },
    /** The error of the last failed load. Undefined if no load failed, or if a later load succeeded. */
    get failure(): unknown {
      return failure
    },
    /**
     * Starts the load in the background. The pending load does not keep the process alive. The method never
     * throws.
     */
    begin(): void {
      if (dependencies.begin) dependencies.begin()
      else inBackground(async () => state === 'starting' && whenReady())
    },
    whenReady,
    /** Waits for the load, at most `startTimeoutMs`. @returns whether the gateway is ready */
    soonReady: () => settlesWithin(whenReady, dependencies.startTimeoutMs),
    close(): void {
      state = 'closed'
    },
  }
}

/** Tells whether a gateway is ready, and starts its load. */
export type FirstLoad = ReturnType<typeof createFirstLoad>
