import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { settlesWithin } from '../async/settles-within.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** Whether a gateway is ready. */
export interface Readiness {
  /** True once keys and operations were loaded, until the gateway is closed. Requests then no longer wait. */
  readonly isReady: boolean
  /** The state of the start. */
  readonly state: 'starting' | 'running' | 'closed'
  /** Why the last attempt failed; undefined if no attempt failed, or the gateway is ready. */
  readonly failure: unknown
  /** Starts loading in the background. Keeps no process alive, and never throws. */
  begin(): void
  /** Waits without a limit. Rejects with the reason of a failure; then it can be called again. */
  whenReady(): Promise<void>
  /** Waits as long as a request may. @returns whether the gateway is ready */
  soonReady(): Promise<boolean>
  close(): void
}

/**
 * Tracks whether keys and operations are loaded. Nothing happens before the first call of one of its methods.
 */
export function createReadiness(
  dependencies: Pick<GatewayDependencies, 'ready' | 'begin' | 'startFailed' | 'startTimeoutMs'>,
): Readiness {
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

  async function whenReady(): Promise<void> {
    if (state === 'starting') await (pending ??= start())
    if (state === 'closed') throw new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
  }

  return {
    get isReady() {
      return state === 'running'
    },
    get state() {
      return state
    },
    get failure() {
      return failure
    },
    begin() {
      if (dependencies.begin) dependencies.begin()
      else inBackground(async () => state === 'starting' && whenReady())
    },
    whenReady,
    soonReady() {
      return settlesWithin(whenReady, dependencies.startTimeoutMs)
    },
    close() {
      state = 'closed'
    },
  }
}
