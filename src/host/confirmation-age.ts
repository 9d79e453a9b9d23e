import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { callHost, readResult } from '../validation/host-callback.ts'
import { isObject } from '../validation/predicates.ts'
import { epochSecondsRule, nullable } from '../validation/rules.ts'
import { addressOf } from './host-address.ts'

const CONFIRM = 'accounts.confirm'

/** Seconds for which a confirmation is valid, counted from the time that the host returns. */
const CONFIRMED_SECONDS = 300

/** The address where the host asks again; undefined if the caller has confirmed. */
export async function readConfirmation(base: string, call: () => unknown): Promise<URL | undefined> {
  const result = await callHost(CONFIRM, call)
  if (result === true) return undefined
  if (!isObject(result) || result instanceof URL) return addressOf(CONFIRM, result, base)
  const fields = readResult(CONFIRM, result, () => ({ confirmedAt: nullable(epochSecondsRule) }))
  const url = addressOf(CONFIRM, result['url'], base)
  const age = Date.now() / 1000 - Number(fields?.['confirmedAt'] ?? 0)
  // A time slightly in the future is accepted, because the clocks of two machines may differ.
  return age <= CONFIRMED_SECONDS && age >= -NORMAL_CLOCK_SKEW_SECONDS ? undefined : url
}
