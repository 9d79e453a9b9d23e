import { bad, good, unknown, warning } from '../store/check-results.ts'
import { SEE_START } from './remedies.ts'
import type { HealthCheck, RevocationHealth } from './health.ts'

/** The revocations that a gateway knows of. */
export interface RevocationView {
  /** Whether all tokens are to be rejected with 503, because nobody knows any more which were revoked. */
  readonly mustReject: boolean
  /** How well they are known; undefined where nobody tells. */
  readonly contact: { readonly isLost: boolean; readonly ageSeconds: number } | undefined
  /** How many are in force. */
  readonly size: number
}

/** Seconds without contact from which on it is more than a moment. */
const LONG = 300

/**
 * How well it is known which tokens were revoked, as figures.
 *
 * @param areKnown whether all of them were ever known
 */
export function revocationHealth({ contact, size }: RevocationView, areKnown: boolean): RevocationHealth {
  return {
    followed: contact !== undefined,
    lost: contact?.isLost ?? false,
    ageSeconds: areKnown ? contact?.ageSeconds : undefined,
    live: size,
  }
}

/**
 * Whether it is known which tokens were revoked.
 *
 * @param areKnown whether all of them were ever known
 */
export function checkRevocations(
  { contact, mustReject, size }: RevocationView,
  areKnown: boolean,
): HealthCheck {
  const name = 'revocations'
  if (contact === undefined) {
    return warning(
      name,
      'nobody tells this gateway which tokens were revoked: they are good here until they expire',
      'Give createGateway the option `revocations`',
    )
  }
  if (!areKnown) {
    return unknown(name, 'it is not known yet which tokens were revoked, so none is let through', SEE_START)
  }
  const { isLost, ageSeconds } = contact
  if (!isLost && !mustReject) {
    return good(name, `all tokens that were revoked are known, as of ${ageSeconds} s ago: ${size} in force`)
  }
  const outcome = mustReject
    ? 'all tokens are rejected with 503'
    : 'those that were revoked since are let through'
  const status = mustReject || ageSeconds > LONG ? bad : warning
  return status(
    name,
    `what is revoked cannot be heard of, and was known ${ageSeconds} s ago for the last time; ${outcome}`,
    'Look at the store, or at the authorization service where it is told over HTTP; the log says ' +
      'why. It catches up by itself',
  )
}
