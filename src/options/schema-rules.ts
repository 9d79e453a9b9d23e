import * as v from 'valibot'
import { isObject } from '../validation/predicates.ts'

/** A value of any type with a rule that says in a sentence what is wrong with it, or undefined. */
export function rule<T>(problem: (value: unknown) => string | undefined) {
  return v.custom<T>(
    (value) => problem(value) === undefined,
    (issue) => problem(issue.input) ?? '',
  )
}

/** An option that may stand there, and that another file looks at. */
export const checkedElsewhere = v.optional(v.unknown())

/** An object with these keys and no others; each unknown key is a problem of its own. */
export function exactly<const Entries extends v.ObjectEntries>(
  entries: Entries,
  known = Object.keys(entries).join(', '),
) {
  return v.pipe(
    rule<Record<string, unknown>>(objectProblem),
    v.objectWithRest(entries, v.never(`is unknown; what can stand here is ${known}`), 'is required'),
  )
}

/** An object with any keys that fit. */
export function mapOf<
  const Key extends v.GenericSchema<string, string>,
  const Value extends v.GenericSchema<unknown, unknown>,
>(key: Key, value: Value) {
  return v.pipe(rule<Record<string, unknown>>(objectProblem), v.record(key, value))
}

/** A number that counts something, with its default. */
export function wholeNumber(unit: string, byDefault: number, most: number, least = 1) {
  const withTimeout = (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
  return v.optional(
    rule<number>((value) =>
      withTimeout(value) ? undefined : `must be a whole number of ${unit} from ${least} to ${most}`,
    ),
    byDefault,
  )
}

/** A duration in whole seconds, with its default. */
export function seconds(byDefault: number, most: number, least = 1) {
  return wholeNumber('seconds', byDefault, most, least)
}

/** A duration in whole milliseconds, with its default. */
export function milliseconds(byDefault: number, most: number) {
  return wholeNumber('milliseconds', byDefault, most)
}

/** Whether a value is a text with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function objectProblem(value: unknown): string | undefined {
  return isObject(value) ? undefined : 'must be an object'
}
