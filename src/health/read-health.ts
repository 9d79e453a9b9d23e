import { unknown } from '../store/check-results.ts'
import type { Health, HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'
import { checkRevocations, revocationHealth, type RevocationView } from './revocations-check.ts'
import { checkStart, type StartState } from './start-check.ts'
import type { StoreHealth } from './store-health.ts'

/** What a gatehouse or a gateway is asked for its health. */
export interface HealthParts {
  /** How far it has come, at any time. */
  readonly start: StartState
  /** Waits until it works, at most as long as a request does. @returns whether it does */
  works(): Promise<boolean>
  /** The store, where it stands on one. */
  readonly storeHealth?: StoreHealth | undefined
  /** What there is to say of keys and products, without I/O. */
  check?: (() => readonly HealthCheck[]) | undefined
  readonly revocations: RevocationView
  /** Whether it can do what it is there for; see `Health.ready`. */
  isReady(found: { readonly works: boolean; readonly isStoreUsable: boolean }): boolean
}

/**
 * Looks at everything once. What is broken is told and not thrown; takes as long as a request waits at the start, or as
 * a call to the store may, whichever is longer.
 */
export async function readHealth(parts: HealthParts): Promise<Health> {
  const { start, storeHealth, revocations } = parts
  // Whoever has closed it is about to close the client of the store.
  const look = start.state === 'closed' ? undefined : storeHealth?.look()
  const [works, store] = await Promise.all([parts.works(), look])
  const isReady = parts.isReady({ works, isStoreUsable: store?.isUsable ?? true })
  const isKnown = works || start.state === 'running'
  const checks = [
    checkStart(start),
    ...(store?.checks ?? []),
    ...checkedBy(parts),
    checkRevocations(revocations, isKnown),
  ]
  return {
    ready: isReady,
    status: worstOf(checks),
    checks,
    revocations: revocationHealth(revocations, isKnown),
  }
}

function checkedBy(parts: Pick<HealthParts, 'check'>): readonly HealthCheck[] {
  try {
    return parts.check?.() ?? []
  } catch (error) {
    return [
      unknown(
        'health',
        `not all could be looked at: ${reasonOf(error)}`,
        'The log may say more; this is worth a bug report',
      ),
    ]
  }
}

function worstOf(checks: readonly HealthCheck[]): Health['status'] {
  if (checks.some(({ status }) => status === 'bad')) return 'bad'
  return checks.every(({ status }) => status === 'good') ? 'good' : 'warning'
}
