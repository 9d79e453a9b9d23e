import type { Health, HealthCheck } from './health-report.ts'
import { checkRevocations, revocationHealth, type RevocationView } from './revocations-check.ts'
import { checkStart, type StartState } from './start-check.ts'
import type { ReadStoreHealth } from './store-health.ts'

/** The sources of the health of a gatehouse or a gateway. */
export interface HealthParts {
  /** The progress of the start. */
  readonly start: StartState
  readonly shutdown: { readonly hasBegun: boolean }
  /**
   * Waits until the gatehouse or gateway is usable, but no longer than a request waits. Resolves with whether
   * the gatehouse or gateway is usable.
   */
  becomesUsable(): Promise<boolean>
  /** Reads the health of the store, if there is one. */
  readonly readStoreHealth?: ReadStoreHealth | undefined
  /** Checks keys and products, without I/O. */
  check(): readonly HealthCheck[]
  readonly revocations: RevocationView
  /** Decides `Health.ready`. */
  isReady(found: { readonly isUsable: boolean; readonly isStoreUsable: boolean }): boolean
}

/**
 * Makes all checks once. The checks take at most as long as the longer of two times: how long a request waits
 * for the start, and how long a store call may take.
 */
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
