import type { HealthCheck, RevocationHealth } from './health.ts'

/** The revocations that a gateway knows of. */
export interface FollowedRevocations {
  /** Whether all tokens are to be refused with 503, because nobody knows any more which were taken back. */
  readonly mustRefuse: boolean
  /** How well they are known; undefined where nobody tells. */
  readonly contact: { readonly isLost: boolean; readonly ageSeconds: number } | undefined
  /** How many are in force. */
  readonly size: number
}

/** Seconds without contact from which on it is more than a moment. */
const LONG = 300

/** @param areKnown whether all of them were ever known */
export function revocationHealth(
  { contact, size }: FollowedRevocations,
  areKnown: boolean,
): RevocationHealth {
  return {
    followed: contact !== undefined,
    lost: contact?.isLost ?? false,
    ageSeconds: areKnown ? contact?.ageSeconds : undefined,
    live: size,
  }
}

/** Whether it is known which tokens were taken back. */
export function checkRevocations(
  { contact, mustRefuse, size }: FollowedRevocations,
  areKnown: boolean,
): HealthCheck {
  const name = 'revocations'
  if (contact === undefined) {
    return {
      name,
      verdict: 'warning',
      message: 'nobody tells this gateway which tokens were taken back: they are good here until they expire',
      fix: 'Give createGateway the option `revocations`',
    }
  }
  if (!areKnown) {
    const message = 'it is not known yet which tokens were taken back, so none is let through'
    return { name, verdict: 'unknown', message, fix: 'See the check `start`' }
  }
  const { isLost, ageSeconds } = contact
  if (!isLost && !mustRefuse) {
    const message = `all tokens that were taken back are known, as of ${ageSeconds} s ago: ${size} in force`
    return { name, verdict: 'good', message }
  }
  const outcome = mustRefuse
    ? 'all tokens are refused with 503'
    : 'those that were taken back since are let through'
  return {
    name,
    verdict: mustRefuse || ageSeconds > LONG ? 'bad' : 'warning',
    message: `what is taken back cannot be heard of, and was known ${ageSeconds} s ago for the last time; ${outcome}`,
    fix:
      'Look at the store, or at the authorization service where it is told over HTTP; the log says ' +
      'why. It catches up by itself',
  }
}
