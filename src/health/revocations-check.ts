import { areCredentialsRejected } from '../errors.ts'
import { fail, pass, unknown, warn } from '../store/check-results.ts'
import { reasonOf } from './reason.ts'
import { CORRECT_CREDENTIALS, SEE_START } from './remedies.ts'
import type { HealthCheck, RevocationHealth } from './health-report.ts'

export interface RevocationView {
  /** Whether all tokens are rejected with 503, because the known revocations are too old. */
  readonly mustReject: boolean
  /** How fresh the known revocations are; undefined if the gateway has no source of revocations. */
  readonly freshness: { readonly isStale: boolean; readonly ageSeconds: number } | undefined
  /** Why the revocations are stale; undefined while they are fresh. */
  readonly failure: unknown
  readonly size: number
}

const FAILS_AFTER_SECONDS = 300
const NO_SOURCE = 'this gateway has no source of revocations: revoked tokens are valid here until they expire'

export function revocationHealth({ freshness, size }: RevocationView, areKnown: boolean): RevocationHealth {
  return {
    enabled: freshness !== undefined,
    stale: freshness?.isStale ?? false,
    ageSeconds: areKnown ? freshness?.ageSeconds : undefined,
    count: size,
  }
}

/** Checks whether the gateway knows which tokens were revoked. */
export function checkRevocations(
  { freshness, mustReject, failure, size }: RevocationView,
  areKnown: boolean,
): HealthCheck {
  const name = 'revocations'
  if (freshness === undefined) {
    return warn(name, NO_SOURCE, 'Give createGateway the option `revocations`')
  }
  if (!areKnown) {
    return unknown(name, 'the revocations are not known yet, so no token is accepted', SEE_START)
  }
  const { isStale, ageSeconds } = freshness
  if (!isStale && !mustReject) {
    return pass(name, `all revocations are known, as of ${ageSeconds} s ago: ${size} are active`)
  }
  const outcome = mustReject
    ? 'all tokens are rejected with 503'
    : 'tokens that were revoked since then are accepted'
  const message = `this process no longer receives revocations, and last knew all of them ${ageSeconds} s ago; ${outcome}`
  if (areCredentialsRejected(failure)) {
    return fail(name, `${message}; ${reasonOf(failure)}`, CORRECT_CREDENTIALS)
  }
  return (mustReject || ageSeconds > FAILS_AFTER_SECONDS ? fail : warn)(name, message, CHECK_SOURCE)
}

const CHECK_SOURCE =
  'Check the store, or the authorization service if revocations come over HTTP; the log has the reason. The process ' +
  'catches up without a restart'
