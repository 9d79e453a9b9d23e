import * as v from 'valibot'
import { toFault, type Fault } from '../errors.ts'
import { isObject, isVisibleText } from '../validation/predicates.ts'
import { wholeNumber as wholeNumberRule } from '../validation/rules.ts'

/** Records a problem of a value, at a path below the value. */
export type AddProblem = (keys: readonly (string | number)[], found: string | Fault) => void

/**
 * A value that a function checks and resolves. The function also receives `undefined` for an absent value.
 *
 * @param resolve records problems with `add`, and returns the value for the resolved options
 */
export function resolvedBy<T>(resolve: (value: unknown, add: AddProblem) => T) {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset, addIssue }) => resolve(dataset.value, adderTo(addIssue))),
  )
}

/** A value that `check` checks. `check` returns what is wrong with it, and undefined for a valid value. */
export function rule<T>(check: (value: unknown) => string | Fault | undefined) {
  return resolvedBy<T>((value, add) => {
    const found = check(value)
    if (found !== undefined) add([], found)
    return value as T
  })
}

/**
 * An object with the keys of `entries`. Every other key is reported as a problem.
 *
 * @param extra.known the valid keys, for the message about an unknown key
 * @param extra.check checks the values against each other; some of the values may be invalid
 */
export function exactly<const Entries extends v.ObjectEntries>(
  entries: Entries,
  extra: {
    readonly known?: string
    readonly check?: (values: Readonly<Record<string, unknown>>, add: AddProblem) => void
  } = {},
) {
  const keys = Object.keys(entries)
  const { known = `one of ${keys.join(', ')}`, check } = extra
  const schema: v.GenericSchema<unknown, unknown> = v.pipe(
    rule<Record<string, unknown>>(objectProblem),
    // valibot would report an absent key itself, without the message of the key's rule. So every absent key
    // is added with the value `undefined`.
    v.transform((value) => ({ ...value, ...Object.fromEntries(keys.map((key) => [key, value[key]])) })),
    v.objectWithRest(entries, v.never(`is unknown; expected ${known}`)),
    v.rawCheck(({ dataset, addIssue }) =>
      check?.(dataset.value as Record<string, unknown>, adderTo(addIssue)),
    ),
  )
  return schema as v.GenericSchema<unknown, v.InferOutput<v.ObjectSchema<Entries, undefined>>>
}

/** An object with any keys that match `key`. */
export function mapOf<const Value extends v.GenericSchema<unknown, unknown>>(
  key: v.GenericSchema<unknown, string>,
  value: Value,
) {
  return v.pipe(
    rule<Record<string, unknown>>(objectProblem),
    v.record(key as v.GenericSchema<string, string>, value),
  )
}

/** A whole number with its default and its bounds. They are constants beside the code that the number limits. */
export function wholeNumber(
  unit: string,
  { byDefault, max, min = 1 }: { readonly byDefault: number; readonly max: number; readonly min?: number },
) {
  return v.optional(rule<number>(wholeNumberRule(min, max, `a whole number of ${unit}`)), byDefault)
}

/** A duration in whole seconds, with its default. */
export const seconds = wholeNumber.bind(undefined, 'seconds')

/** A duration in whole milliseconds, with its default. */
export const milliseconds = wholeNumber.bind(undefined, 'milliseconds')

/** A text that is not blank. The message never quotes the value, which may be a secret. */
export const text = rule<string>((value) =>
  isVisibleText(value) ? undefined : { code: 'type', message: 'must be a text' },
)

function objectProblem(value: unknown): Fault | undefined {
  return isObject(value) ? undefined : { code: 'type', message: 'must be an object' }
}

function adderTo(addIssue: (info: { message: string; path?: [v.IssuePathItem] }) => void): AddProblem {
  return (keys, found) => {
    // `parseOptions` reads only the keys of a path.
    const path = keys.map((key) => ({ key }))
    // valibot passes the message on as it is.
    const message = toFault(found) as unknown as string
    addIssue({ message, path: path as unknown as [v.IssuePathItem] })
  }
}

/** What a rule of this file found; undefined if a rule of valibot found the issue. */
export function faultOf({ message }: { readonly message: unknown }): Fault | undefined {
  return isObject(message) ? (message as unknown as Fault) : undefined
}
