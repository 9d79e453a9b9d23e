import { areCredentialsRejected, GatehouseError, type GatehouseErrorCode } from '../errors.ts'
import { fail, pass, warn } from '../store/check-results.ts'
import type { Health, HealthCheck } from './health-report.ts'
import { reasonOf } from './reason.ts'
import { ANOTHER_SECRET, CORRECT_PRODUCTS, CORRECT_CREDENTIALS } from './remedies.ts'
import { checkRevocations, revocationHealth, type RevocationView } from './revocations-check.ts'
import type { ReadStoreHealth } from './store-health.ts'

export interface HealthParts {
  readonly start: StartState
  readonly shutdown: { readonly hasBegun: boolean }
  /** Waits until the gatehouse or gateway is usable, but no longer than a request waits. */
  becomesUsable(): Promise<boolean>
  readonly readStoreHealth?: ReadStoreHealth | undefined
  check(): readonly HealthCheck[]
  readonly revocations: RevocationView
  isReady(found: { readonly isUsable: boolean; readonly isStoreUsable: boolean }): boolean
}

/** Makes the checks of `health()`; `isReady` of the caller decides `ready`. Waits as long as a request for the start. */
export async function readHealth(parts: HealthParts): Promise<Health> {
  const { start, shutdown, readStoreHealth, revocations } = parts
  // After close() the store is not read, because the host may have closed the client of the store too.
  const readStore = start.state === 'closed' ? undefined : readStoreHealth?.()
  const [isUsable, store] = await Promise.all([parts.becomesUsable(), readStore])
  const isReady = parts.isReady({ isUsable, isStoreUsable: store?.isUsable ?? true })
  const areRevocationsKnown = isUsable || start.state === 'running'
  const checks = [
    checkStart(start, shutdown.hasBegun),
    ...(store?.checks ?? []),
    ...parts.check(),
    checkRevocations(revocations, areRevocationsKnown),
  ]
  return {
    ready: isReady && !shutdown.hasBegun,
    status: worstOf(checks),
    checks,
    revocations: revocationHealth(revocations, areRevocationsKnown),
  }
}

function worstOf(checks: readonly HealthCheck[]): Health['status'] {
  if (checks.some(({ status }) => status === 'fail')) return 'fail'
  return checks.every(({ status }) => status === 'pass') ? 'pass' : 'warn'
}

export interface StartState {
  readonly state: 'starting' | 'running' | 'closed'
  /** Why the last attempt to start failed; undefined if no attempt has failed, or if the start is complete. */
  readonly failure: unknown
}

/** A service that the host has begun to stop still answers. */
export function checkStart({ state, failure }: StartState, isStopping: boolean): HealthCheck {
  const name = 'start'
  if (isStopping && state !== 'closed') return warn(name, 'the service is shutting down', USE_ANOTHER)
  if (state === 'running') return pass(name, 'the service is running')
  if (state === 'closed') return fail(name, 'the service was closed', USE_ANOTHER)
  if (failure === undefined) return warn(name, 'the service is starting', WAIT)
  const finding = `the service could not start yet, and keeps trying: ${reasonOf(failure)}`
  return fail(name, finding, remedyOf(failure))
}

const WAIT =
  'Wait. If the start takes longer than some seconds, check the database and how long the products take to load'

const USE_ANOTHER = 'Use another process; this process is stopping'

function remedyOf(failure: unknown): string {
  if (areCredentialsRejected(failure)) return CORRECT_CREDENTIALS
  const remedy = failure instanceof GatehouseError ? REMEDIES[failure.code] : undefined
  return remedy ?? 'The log has the whole error'
}

const REMEDIES: Partial<Record<GatehouseErrorCode, string>> = {
  ERR_SECRET_MISMATCH: ANOTHER_SECRET,
  ERR_CATALOG: CORRECT_PRODUCTS,
  ERR_OPTIONS: CORRECT_PRODUCTS,
  ERR_STORE_UNAVAILABLE:
    'See the check `store`; the start continues without a restart once the store is available again',
  ERR_STORE_CORRUPT:
    'Another program has written below the key prefix of this service. Give each service a prefix of its own, and ' +
    'restore what was overwritten',
}
