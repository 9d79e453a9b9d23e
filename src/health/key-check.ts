import { hasCode } from '../errors.ts'
import type { KeyCondition } from '../keys/signing-keys.ts'
import { fail, pass, unknown, warn } from '../store/check-results.ts'
import { ANOTHER_SECRET, SEE_START } from './remedies.ts'
import type { HealthCheck } from './health-report.ts'
import { reasonOf } from './reason.ts'

const name = 'signing-keys'

/** Seconds by which the rotation of a key, or the creation of a next key, may be late. */
const MAX_DELAY_SECONDS = 300
/** A healthy process refreshes its keys once a minute. */
const REFRESHED_WITHIN_SECONDS = 180
/** Longer than a long weekend. */
const LOSS_REPORTED_SECONDS = 7 * 86_400

/** Checks whether there are valid keys to sign with, and whether they rotate. `now` is in milliseconds. */
export function checkKeys(condition: KeyCondition, now: number): HealthCheck {
  const { keys, managedByHost, isSigningRevoked, confirmedAt } = condition
  if (hasCode(condition.failure, 'ERR_SECRET_MISMATCH')) {
    return fail(name, 'the keys in the store were encrypted with another `secret`', ANOTHER_SECRET)
  }
  if (isSigningRevoked) {
    const remedy = managedByHost
      ? 'Put another key first in `signingKeys.jwks`, in every process'
      : 'Another key is activated as soon as the store answers: see the check `store`'
    return fail(name, 'a key that signs was revoked, so new tokens that it signs are rejected', remedy)
  }
  if (managedByHost) {
    const count = keys.length === 1 ? '1 key is' : `${keys.length} keys are`
    return pass(name, `${count} managed by the host (signingKeys.jwks)`)
  }
  if (keys.length === 0 || confirmedAt === undefined) {
    return unknown(name, 'the keys have not been loaded yet', SEE_START)
  }
  const seconds = Math.max(0, Math.round((now - confirmedAt) / 1000))
  const refreshed = `the keys were last refreshed ${seconds} s ago`
  const why = condition.failure === undefined ? '' : `: ${reasonOf(condition.failure)}`
  if (condition.stale) {
    return fail(name, `${refreshed}, so others may be active, and no tokens are issued${why}`, SEE_STORE)
  }
  if (seconds > REFRESHED_WITHIN_SECONDS) {
    return warn(name, `${refreshed}; after an hour no tokens are issued${why}`, SEE_STORE)
  }
  return checkLoss(condition, now) ?? checkRotation(condition, now, seconds)
}

function checkLoss({ replaced }: KeyCondition, now: number): HealthCheck | undefined {
  if (replaced === undefined || now / 1000 - replaced.at > LOSS_REPORTED_SECONDS) return undefined
  return warn(
    name,
    `the store has lost ${LOST[replaced.lost]}, so new keys replaced the old ones at ${dateOf(replaced.at)}: all tokens ` +
      'from before are rejected, and clients request new ones',
    'Find out what deleted the data (FLUSHALL, DEL, eviction, a lost disk), and do not restore the old keys. If API ' +
      'keys and applications are missing, restore them: importRegistry(lines, { signingKeys: false })',
  )
}

const LOST = {
  keys: 'the signing keys, but not the revocation log',
  log: 'the revocation log, but not the signing keys',
  both: 'the signing keys and the revocation log',
} as const

const SEE_STORE = 'See the checks of the store; the keys are refreshed automatically once the store answers'
const SEE_LOG = 'The log has the reason why no key could be created or stored; the next attempt is automatic'
const CHECK_CLOCKS =
  'Check the log and the clocks of the processes. The next attempt is automatic, or call `signingKeys.rotate()`'

function checkRotation({ keys, rotationDue }: KeyCondition, now: number, seconds: number): HealthCheck {
  const current = keys.filter(({ state }) => state === 'current')
  const alone = current.filter(({ alg }) => !keys.some((key) => key.alg === alg && key.state === 'next'))
  // Right after a rotation, the next key does not exist yet. So the check does not warn at once.
  if (alone.some(({ since }) => now / 1000 - since > MAX_DELAY_SECONDS)) {
    const algorithms = alone.map(({ alg }) => alg).join(' and ')
    return warn(name, `there is no next key for ${algorithms}, so the keys do not rotate`, SEE_LOG)
  }
  if (rotationDue !== undefined && now / 1000 - rotationDue > MAX_DELAY_SECONDS) {
    return warn(name, `a rotation has been due since ${dateOf(rotationDue)}`, CHECK_CLOCKS)
  }
  const next = rotationDue === undefined ? '' : `; the next keys are activated at ${dateOf(rotationDue)}`
  return pass(name, `the keys that sign are valid, as of ${seconds} s ago${next}`)
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
