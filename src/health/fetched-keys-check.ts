import { fail, pass, unknown, warn } from '../store/check-results.ts'
import { SEE_START } from './remedies.ts'
import type { HealthCheck } from './health-report.ts'
import { reasonOf } from './reason.ts'

/** The state of the keys that a gateway fetches from the authorization service. */
export interface FetchedKeys {
  /** When the keys were fetched, in milliseconds since the epoch; undefined if there are no keys yet. */
  readonly fetchedAt: number | undefined
  /** Why the last fetch failed; undefined if it succeeded. */
  readonly failure: unknown
}

/** Checks whether there are keys to verify tokens with, and new keys can be fetched. `now` is in milliseconds. */
export function checkFetchedKeys({ fetchedAt, failure }: FetchedKeys, now: number): HealthCheck {
  const name = 'signing-keys'
  if (fetchedAt === undefined) {
    return failure === undefined
      ? unknown(name, 'the keys have not been fetched yet', SEE_START)
      : fail(name, `the keys cannot be fetched: ${reasonOf(failure)}`, CHECK_JWKS_URI)
  }
  const message = `the keys were fetched ${Math.max(0, Math.round((now - fetchedAt) / 1000))} s ago`
  if (failure === undefined) return pass(name, message)
  return warn(
    name,
    `${message}; the last attempt to fetch them again failed: ${reasonOf(failure)}. Tokens that a known key signed ` +
      'are accepted, and tokens that a new key signed are answered with 503',
    CHECK_JWKS_URI,
  )
}

const CHECK_JWKS_URI =
  'Check that the authorization service runs, and that this process reaches `jwksUri` ' +
  '({issuer}/oauth2/jwks) without a proxy or a sign-in in between'
