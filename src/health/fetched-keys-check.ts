import { bad, good, unknown, warning } from '../store/check-results.ts'
import { SEE_START } from './remedies.ts'
import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

/** Keys that are fetched from the authorization service. */
export interface FetchedKeys {
  /** Milliseconds since the epoch at which they were fetched; undefined where there are none. */
  readonly fetchedAt: number | undefined
  /** Why they could not be fetched the last time; undefined where they could. */
  readonly failure: unknown
}

/**
 * Whether there are keys to check tokens with, and new ones would be heard of.
 *
 * @param now milliseconds since the epoch
 */
export function checkFetchedKeys({ fetchedAt, failure }: FetchedKeys, now: number): HealthCheck {
  const name = 'signing-keys'
  if (fetchedAt === undefined) {
    return failure === undefined
      ? unknown(name, 'the keys have not been fetched yet', SEE_START)
      : bad(name, `the keys cannot be fetched: ${reasonOf(failure)}`, REACH)
  }
  const message = `the keys were fetched ${Math.max(0, Math.round((now - fetchedAt) / 1000))} s ago`
  if (failure === undefined) return good(name, message)
  return warning(
    name,
    `${message}; now they cannot be: ${reasonOf(failure)}. Tokens of keys that are here are let ` +
      'through, those of new ones are answered with 503',
    REACH,
  )
}

const REACH =
  'Look whether the authorization service runs, and whether this process reaches `jwksUri` ' +
  '({issuer}/oauth2/jwks) without a proxy or a sign-in in between'
