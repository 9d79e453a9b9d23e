import { GatehouseError } from '../errors.ts'
import type { KeyCondition } from '../keys/signing-keys.ts'
import { bad, good, unknown, warning } from '../store/check-results.ts'
import { ANOTHER_SECRET, SEE_START } from './remedies.ts'
import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

const name = 'signing-keys'

/** Seconds by which a rotation may be late, and which the making of a next key may take. */
const LATE = 300
/** Seconds since the keys were looked at, once a minute where all is well. */
const UNCONFIRMED = 180
/** Seconds for which a loss of data is reported: over a long weekend. */
const REPORTED = 7 * 86_400

/**
 * Whether there are keys to sign with, they are in force, and they rotate.
 *
 * @param now milliseconds since the epoch
 */
export function checkKeys(condition: KeyCondition, now: number): HealthCheck {
  const { keys, managedByHost, isSigningRevoked, confirmedAt } = condition
  if (isSecret(condition.failure)) {
    return bad(
      name,
      'the keys in the store were encrypted under another `secret`, and cannot be opened',
      ANOTHER_SECRET,
    )
  }
  if (isSigningRevoked) {
    return bad(
      name,
      'a key that signs was revoked, so what it signs is rejected',
      managedByHost
        ? 'Put another key first in `signingKeys.jwks`, in every process'
        : 'Another key signs as soon as the store answers: see the check `store`',
    )
  }
  if (managedByHost) {
    return good(
      name,
      `${keys.length} ${keys.length === 1 ? 'key is' : 'keys are'} kept by the host (signingKeys.jwks), and ready`,
    )
  }
  if (keys.length === 0 || confirmedAt === undefined) {
    return unknown(name, 'the keys have not been loaded yet', SEE_START)
  }
  const seconds = Math.max(0, Math.round((now - confirmedAt) / 1000))
  if (condition.isStale) {
    return bad(
      name,
      `the keys were looked at ${seconds} s ago for the last time: others may sign by now, so no ` +
        `tokens are issued${because(condition)}`,
      LOOK,
    )
  }
  if (seconds > UNCONFIRMED) {
    return warning(
      name,
      `the keys were looked at ${seconds} s ago for the last time; after an hour no tokens are ` +
        `issued${because(condition)}`,
      LOOK,
    )
  }
  return checkLoss(condition, now) ?? checkRotation(condition, now, seconds)
}

/** Whether the store has lost the keys or the revocation log, so that new keys have replaced the old ones. */
function checkLoss({ replaced }: KeyCondition, now: number): HealthCheck | undefined {
  if (replaced === undefined || now / 1000 - replaced.at > REPORTED) return undefined
  return warning(
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

const LOOK = 'See the checks of the store; they are looked at by themselves once it answers'

function checkRotation({ keys, rotationDue }: KeyCondition, now: number, seconds: number): HealthCheck {
  const current = keys.filter(({ state }) => state === 'current')
  const alone = current.filter(({ alg }) => !keys.some((key) => key.alg === alg && key.state === 'next'))
  // Right after a rotation the next one is still being made.
  if (alone.some(({ since }) => now / 1000 - since > LATE)) {
    return warning(
      name,
      `no next key waits to sign for ${alone.map(({ alg }) => alg).join(' and ')}, so keys do not rotate`,
      'Look at the log for why it could not be made or stored; it is made by itself once it can be',
    )
  }
  if (rotationDue !== undefined && now / 1000 - rotationDue > LATE) {
    return warning(
      name,
      `a rotation has been due since ${dateOf(rotationDue)}`,
      'Look at the log, and at the clocks of the processes; it is done by itself, or by ' +
        '`gatehouse.signingKeys.rotate()`',
    )
  }
  const next = rotationDue === undefined ? '' : `; the next ones sign from ${dateOf(rotationDue)}`
  return good(name, `the keys that sign are current, as was certain ${seconds} s ago${next}`)
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function because({ failure }: KeyCondition): string {
  return failure === undefined ? '' : `: ${reasonOf(failure)}`
}

function isSecret(error: unknown): boolean {
  return error instanceof GatehouseError && error.code === 'ERR_SECRET_MISMATCH'
}
