import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { settlesWithin } from '../async/settles-within.ts'
import type { GatewayDependencies } from './dependencies.ts'

/**
 * Tracks whether keys and operations are loaded. Nothing happens before the first call of one of its methods.
 */
export function createReadiness(
  dependencies: Pick<GatewayDependencies, 'ready' | 'begin' | 'startFailed' | 'startTimeoutMs'>,
) {
  let state: Readiness['state'] = 'starting'
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

  /** Waits without a limit. Rejects with the reason of a failure; then it can be called again. */
  async function whenReady(): Promise<void> {
    if (state === 'starting') await (pending ??= start())
    if (state === 'closed') throw new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
  }

  return {
    /** True once keys and operations were loaded, until the gateway is closed. Requests then no longer wait. */
    get isReady(): boolean {
      return state === 'running'
    },
    /** The state of the start. */
    get state(): 'starting' | 'running' | 'closed' {
      return state
    },
    /** Why the last attempt failed; undefined if no attempt failed, or the gateway is ready. */
    get failure(): unknown {
      return failure
    },
    /** Starts loading in the background. Keeps no process alive, and never throws. */
    begin(): void {
      if (dependencies.begin) dependencies.begin()
      else inBackground(async () => state === 'starting' && whenReady())
    },
    whenReady,
    /** Waits as long as a request may. @returns whether the gateway is ready */
    soonReady: () => settlesWithin(whenReady, dependencies.startTimeoutMs),
    close(): void {
      state = 'closed'
    },
  }
}

/** Whether a gateway is ready. */
export type Readiness = ReturnType<typeof createReadiness>
