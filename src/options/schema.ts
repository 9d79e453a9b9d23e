import { collectProblems, formatPath, type Fault } from '../errors.ts'
import { isObject, isVisibleText } from '../validation/predicates.ts'
import { wholeNumber as wholeNumberRule } from '../validation/rules.ts'

/** Records a problem of a value, at a path below the value. */
export type AddProblem = (keys: readonly (string | number)[], found: string | Fault) => void

/**
 * Checks a value, records its problems with `add`, and returns the value for the resolved options. It also receives
 * `undefined` for an absent value.
 */
export type Schema<T> = (value: unknown, add: AddProblem) => T

/** The resolved value of a schema. */
export type Resolved<S> = S extends Schema<infer T> ? T : never

/** A value that `check` checks. `check` returns what is wrong with it, and undefined for a valid value. */
export function rule<T>(check: (value: unknown) => string | Fault | undefined): Schema<T> {
  return (value, add) => {
    const found = check(value)
    if (found !== undefined) add([], found)
    return value as T
  }
}

/** A value that may be absent. @param byDefault the value that is used, and checked, if it is absent */
export function optional<T>(schema: Schema<T>): Schema<T | undefined>
export function optional<T>(schema: Schema<T>, byDefault: unknown): Schema<T>
export function optional<T>(schema: Schema<T>, byDefault?: unknown): Schema<T | undefined> {
  return (value = byDefault, add) => (value === undefined ? undefined : schema(value, add))
}

/**
 * An object with the keys of `entries`. Every other key is reported as a problem.
 *
 * @param extra.known the valid keys, for the message about an unknown key
 * @param extra.check checks the values against each other. It must tolerate invalid values, because it is called even
 *   if some values are invalid
 */
export function exactly<const Entries extends Readonly<Record<string, Schema<unknown>>>>(
  entries: Entries,
  extra: {
    readonly known?: string
    readonly check?: (values: Readonly<Record<string, unknown>>, add: AddProblem) => void
  } = {},
): Schema<{ [Name in keyof Entries]: Resolved<Entries[Name]> }> {
  const { known = `one of ${Object.keys(entries).join(', ')}`, check } = extra
  return (value, add) => {
    const values = objectOf(value, add)
    const resolved = Object.entries(values ? entries : {}).map(([key, schema]) => {
      return [key, schema(values?.[key], (keys, found) => add([key, ...keys], found))] as const
    })
    const unknown = Object.keys(values ?? {}).filter((key) => !Object.hasOwn(entries, key))
    for (const key of unknown) add([key], { code: 'unknown', message: `is unknown; expected ${known}` })
    if (values) check?.(values, add)
    return Object.fromEntries(resolved) as { [Name in keyof Entries]: Resolved<Entries[Name]> }
  }
}

/** An object with any keys that match `key`. */
export function mapOf<T>(key: Schema<string>, schema: Schema<T>): Schema<Record<string, T>> {
  return (value, add) =>
    Object.fromEntries(
      Object.entries(objectOf(value, add) ?? {}).map(([name, entry]) => {
        const addHere: AddProblem = (keys, found) => add([name, ...keys], found)
        return [key(name, addHere), schema(entry, addHere)]
      }),
    )
}

function objectOf(value: unknown, add: AddProblem): Readonly<Record<string, unknown>> | undefined {
  if (isObject(value)) return value
  add([], { code: 'type', message: 'must be an object' })
  return undefined
}

/** The default and the bounds of a number. The constant with the bounds is next to the code that the number limits. */
interface Bounds {
  readonly byDefault: number
  readonly max: number
  readonly min?: number
}

/** A whole number with its default. */
export function wholeNumber(unit: string, { byDefault, max, min = 1 }: Bounds): Schema<number> {
  return optional(rule<number>(wholeNumberRule(min, max, `a whole number of ${unit}`)), byDefault)
}

/** A duration in whole seconds, with its default. */
export const seconds = wholeNumber.bind(undefined, 'seconds')

/** Durations in whole seconds, each with its default. */
export function secondsEach<Name extends string>(bounds: Readonly<Record<Name, Bounds>>) {
  const schemas = Object.entries<Bounds>(bounds).map(([name, each]) => [name, seconds(each)] as const)
  return Object.fromEntries(schemas) as Record<Name, Schema<number>>
}

/** A duration in whole milliseconds, with its default. */
export const milliseconds = wholeNumber.bind(undefined, 'milliseconds')

/** A text that is not blank. The message never quotes the value, which may be a secret. */
export const text = rule<string>((value) =>
  isVisibleText(value) ? undefined : { code: 'type', message: 'must be a text' },
)

/** A list of texts. @param what the list, for the message */
export function list(what: string): Schema<readonly string[]> {
  return rule((value) =>
    Array.isArray(value) && value.every(isVisibleText)
      ? undefined
      : { code: 'type', message: `must be ${what}` },
  )
}

/** A list whose entries match `schema`. */
export function listOf<T>(schema: Schema<T>): Schema<readonly T[]> {
  return (value, add) => {
    if (Array.isArray(value)) {
      return value.map((entry: unknown, index) =>
        schema(entry, (keys, found) => add([index, ...keys], found)),
      )
    }
    add([], { code: 'type', message: 'must be a list' })
    return []
  }
}

/** A switch that is off by default. */
export const flag = optional(
  rule<boolean>((value) =>
    typeof value === 'boolean' ? undefined : { code: 'type', message: 'must be true or false' },
  ),
  false,
)

/**
 * Checks options by their schema, and adds the defaults.
 *
 * @param headline the beginning of the error message
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function parseOptions<T>(headline: string, schema: Schema<T>, options: unknown): T {
  const problems = collectProblems('ERR_OPTIONS', headline)
  // A problem without a path concerns the options as a whole.
  const parsed = schema(options, (keys, found) => {
    problems.add(keys.length === 0 ? 'options' : formatPath(keys), found)
  })
  problems.throwIfAny()
  return parsed
}
