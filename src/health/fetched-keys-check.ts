import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

/** Keys that are fetched from the authorization service. */
export interface FetchedKeys {
  /** Milliseconds since the epoch at which they were fetched; undefined where there are none. */
  readonly fetchedAt: number | undefined
  /** Why they could not be fetched the last time; undefined where they could. */
  readonly failure: unknown
}

/** @param now milliseconds since the epoch */
export function checkFetchedKeys({ fetchedAt, failure }: FetchedKeys, now: number): HealthCheck {
  const name = 'signing-keys'
  if (fetchedAt === undefined) {
    return failure === undefined
      ? {
          name,
          verdict: 'unknown',
          message: 'the keys have not been fetched yet',
          fix: 'See the check `start`',
        }
      : { name, verdict: 'bad', message: `the keys cannot be fetched: ${reasonOf(failure)}`, fix: REACH }
  }
  const message = `the keys were fetched ${Math.max(0, Math.round((now - fetchedAt) / 1000))} s ago`
  if (failure === undefined) return { name, verdict: 'good', message }
  return {
    name,
    verdict: 'warning',
    message:
      `${message}; now they cannot be: ${reasonOf(failure)}. Tokens of keys that are here are let ` +
      'through, those of new ones are answered with 503',
    fix: REACH,
  }
}

const REACH =
  'Look whether the authorization service runs, and whether this process reaches `jwksUri` ' +
  '({issuer}/oauth2/jwks) without a proxy or a sign-in in between'
