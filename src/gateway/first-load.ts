import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { settlesWithin } from '../async/with-timeout.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** The option `startTimeoutMs`. */
export const START_TIMEOUT_MS = { byDefault: 1500, max: 60_000 }

/** Loads keys, operations and revocations once, and says how long a call waits for them. */
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

  /** Waits without a time limit. After a failed load, the next call tries again. */
  async function whenReady(): Promise<void> {
    if (state === 'starting') await (pending ??= start())
    if (state === 'closed') throw new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
  }

  return {
    get isReady(): boolean {
      return state === 'running'
    },
    get state(): 'starting' | 'running' | 'closed' {
      return state
    },
    get failure(): unknown {
      return failure
    },
    /** The pending load does not keep the process alive. Never throws. */
    begin(): void {
      if (dependencies.begin) dependencies.begin()
      else inBackground(async () => state === 'starting' && whenReady())
    },
    whenReady,
    soonReady: () => settlesWithin(whenReady, dependencies.startTimeoutMs),
    close(): void {
      state = 'closed'
    },
  }
}

export type FirstLoad = ReturnType<typeof createFirstLoad>
