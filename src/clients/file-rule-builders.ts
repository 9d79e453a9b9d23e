import { LATEST_EPOCH_SECONDS } from '../validation/predicates.ts'
import { must, type Rule, uniqueListOf, wholeNumber } from '../validation/rules.ts'
import { isClientId } from './client-id.ts'

// Rules for exported files. Messages never quote a value: it may be a secret in the wrong place, and they are logged.

/** Above real counters and the Unix time of `revocationOfCorrupt`. Below the largest safe integer, so it can rise. */
const MAX_COUNT = 1_000_000_000_000

export const countRule = wholeNumber(0, MAX_COUNT)

export const timeRule = wholeNumber(0, LATEST_EPOCH_SECONDS)

export const clientIdRule = must('a client id', isClientId)

/** Many changes may have made such a list long, so its number of entries is not limited here. */
export function listOf(rule: Rule): Rule {
  return uniqueListOf(rule, Infinity)
}

/** Replaces each message of `rule` by `message`, because a message of `rule` may quote the value. */
export function withoutValue(rule: Rule, message: string): Rule {
  return (value) => {
    const found = rule(value)
    if (found === undefined || typeof found === 'string') return found && message
    return 'code' in found
      ? { code: found.code, message }
      : found.map(({ path, code }) => ({ path, code, message }))
  }
}
