import { GatehouseError } from '../errors.ts'
import { bad, good, warning } from '../store/check-results.ts'
import { ANOTHER_SECRET, CORRECT_PRODUCTS } from './remedies.ts'
import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

/** How far a start has come. */
export interface StartState {
  readonly state: 'starting' | 'running' | 'closed'
  /** Why the last attempt failed; undefined where none has, or it runs. */
  readonly failure: unknown
}

/** Whether it has been started, and what keeps it from that. */
export function checkStart({ state, failure }: StartState): HealthCheck {
  const name = 'start'
  if (state === 'running') return good(name, 'it has been started')
  if (state === 'closed') return bad(name, 'it has been closed', 'Ask another process; this one ends')
  if (failure === undefined) {
    return warning(
      name,
      'it is starting',
      'Wait; if it takes longer than seconds, look at the database and at how long the products take to load',
    )
  }
  return bad(name, `it could not be started yet, and is tried again: ${reasonOf(failure)}`, fixOf(failure))
}

function fixOf(failure: unknown): string {
  const code = failure instanceof GatehouseError ? failure.code : undefined
  if (code === 'ERR_SECRET_MISMATCH') return ANOTHER_SECRET
  if (code === 'ERR_CATALOG') return CORRECT_PRODUCTS
  if (code === 'ERR_STORE_UNAVAILABLE') {
    return 'See the check `store`; it starts by itself once the store is back'
  }
  if (code === 'ERR_STORE_CORRUPT') {
    return (
      'Somebody else has written below the key prefix of this service: give each service a prefix ' +
      'of its own, and restore what was overwritten'
    )
  }
  return 'The log has the whole error'
}
