import { GatehouseError } from '../errors.ts'
import { inBackground } from '../async/in-background.ts'
import { settlesWithin } from '../async/settles-within.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** Whether a gateway can work yet. */
export interface Readiness {
  /** True once keys and operations were there, until the gateway is closed: then no request waits any more. */
  readonly isReady: boolean
  /** How far it has come. */
  readonly state: 'starting' | 'running' | 'closed'
  /** Why the last attempt failed; undefined where none has, or it can work. */
  readonly failure: unknown
  /** Makes it ready in the background. Keeps no process alive, and never throws. */
  begin(): void
  /** Waits as long as it takes; rejects with what went wrong, and may be asked again. */
  whenReady(): Promise<void>
  /** Waits as long as a request may. @returns whether the gateway can work */
  soonReady(): Promise<boolean>
  close(): void
}

/** Follows whether keys and operations are there. Nothing happens before it is asked, or told to begin. */
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
