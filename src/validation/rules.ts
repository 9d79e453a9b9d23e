import {
  collectProblems,
  formatKey,
  GatehouseError,
  toFault,
  type Fault,
  type GatehouseErrorCode,
  type Problem,
  type ProblemCode,
} from '../errors.ts'
import { isCount, isEpochSeconds, isObject, isText, isVisibleText, kindOf } from './predicates.ts'

/**
 * Checks one value, whose type is T if it is valid. A rule returns undefined for a valid value. Otherwise it returns
 * what is wrong with the value, or the problems of its parts, each with its path. If a rule returns only a sentence,
 * the sentence describes the valid form, and names the remedy.
 */
export interface Rule<T = unknown> {
  (value: unknown): string | Fault | readonly Problem[] | undefined
  /** Converts a valid value: it adds defaults, and leaves out unknown fields. If absent, values stay as they are. */
  readonly read?: ((value: unknown) => T) | undefined
  /** How an OpenAPI document describes the valid values. */
  readonly json?: JsonSchema | undefined
}

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of the valid values of a rule. */
export type ValueOf<R> = R extends Rule<infer T> ? T : never

/** The rules of an object's fields; an optional field is wrapped in `optional`. */
export type Fields = Readonly<Record<string, Rule>>

type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** A valid value as the code uses it: with its defaults. */
export function valueOf<T>({ read }: Rule<T>, value: unknown): T {
  return read ? read(value) : (value as T)
}

/** A rule with `read`, `json`, or both. */
export function ruleWith<T>(check: Rule, more: Pick<Rule<T>, 'read' | 'json'>): Rule<T> {
  return Object.assign((value: unknown) => check(value), more)
}

/** A rule from a predicate. @param what the valid values, as they follow "must be" in the message */
export function must<T>(what: string, isValid: (value: unknown) => boolean): Rule<T> {
  return (value) => (isValid(value) ? undefined : otherKind(what, value))
}

function otherKind(what: string, value: unknown): Fault {
  return { code: kindCode(value), message: `must be ${what}, and is ${kindOf(value)}` }
}

export function kindCode(value: unknown): ProblemCode {
  if (value === undefined) return 'required'
  return value === '' ? 'empty' : 'type'
}

/** Any value. */
export const anyValue: Rule = () => undefined

/** Any text, including the empty text. */
export const stringRule = must<string>('a text', (value) => typeof value === 'string')

/** A text that is not empty. It is also the rule for ids that are only looked up, such as account ids of the host. */
export const textRule = must<string>('a text that is not empty', isText)

export const visibleTextRule = must<string>('a text with visible characters', isVisibleText)

export const booleanRule = must<boolean>('true or false', (value) => typeof value === 'boolean')

export const functionRule = must('a function', (value) => typeof value === 'function')

export const finiteNumberRule = must<number>('a number', Number.isFinite)

/** A counter, or a time without a fraction. */
export const countRule = must<number>('a whole number from 0', isCount)

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number, what = 'a whole number'): Rule<number> {
  const fault: Fault = { code: 'range', message: `must be ${what} from ${min} to ${max}`, min, max }
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : fault
}

/** A time in epoch seconds, with or without a fraction. */
export const epochSecondsRule: Rule<number> = (value) => {
  if (isEpochSeconds(value)) return undefined
  if (typeof value === 'number' && value > 0) {
    return { code: 'range', message: 'must be in seconds since the epoch, and looks like milliseconds' }
  }
  return otherKind('a number of seconds since the epoch', value)
}

/** An identifier that the host assigns and gatehouse stores: an account, a user, an actor. */
export const hostIdRule: Rule<string> = (value) =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value)
    ? undefined
    : 'must be a text of 1 to 255 characters without control characters'

/** Exactly one of these values. */
export function oneOf<const T extends readonly unknown[]>(...values: T): Rule<T[number]> {
  const listed = () => values.map((value) => JSON.stringify(value)).join(' or ')
  return (value) => (values.includes(value) ? undefined : { code: 'choice', message: `must be ${listed()}` })
}

/** Applies the rule only if there is a value. @param byDefault what the code uses if there is no value */
export function optional<T>(rule: Rule<T>): Rule<T | undefined>
export function optional<T>(rule: Rule<T>, byDefault: unknown): Rule<T>
export function optional<T>(rule: Rule<T>, byDefault?: unknown): Rule<T | undefined> {
  const read = (value: unknown = byDefault) => (value === undefined ? undefined : valueOf(rule, value))
  return ruleWith<T | undefined>((value) => (value === undefined ? undefined : rule(value)), {
    ...rule,
    read,
  })
}

/** Applies the rule only if there is a value. Databases return null or an empty text for a missing value. */
export function nullable(rule: Rule): Rule {
  return (value) => (value === undefined || value === null || value === '' ? undefined : rule(value))
}

/** An object whose fields match their rules. @param other the rule for each other field. @default any value */
export function objectOf<const F extends Fields>(fields: F, other?: Rule): Rule<ValuesOf<F>> {
  const rules = new Map(Object.entries(fields))
  const known = [...rules.keys()]
  const check: Rule = (value) => {
    if (!isObject(value)) return otherKind('an object', value)
    const others = other ? Object.keys(value).filter((name) => !rules.has(name)) : []
    // A request may have thousands of unknown fields.
    const names = other ? [...known, ...others.slice(0, MAX_PROBLEMS)] : known
    return problemsIn(names, (name) => (rules.get(name) ?? other)?.(value[name]), Infinity)
  }
  function read(value: unknown) {
    const values = value as Readonly<Record<string, unknown>>
    const entries = [...rules].map(([name, rule]) => [name, valueOf(rule, values[name])] as const)
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined)) as ValuesOf<F>
  }
  return ruleWith(check, { read })
}

/** An object whose fields match their rules, without any other field. @param message says that a field is unknown */
export function exactObjectOf<const F extends Fields>(
  fields: F,
  message = `is unknown here; expected one of ${Object.keys(fields).join(', ')}`,
): Rule<ValuesOf<F>> {
  return objectOf(fields, () => ({ code: 'unknown', message }))
}

/** An object whose values all match `rule`, and whose keys all match `keyRule`. */
export function mapOf<T>(
  rule: Rule<T>,
  keyRule: (key: string) => ReturnType<Rule> = anyValue,
): Rule<Readonly<Record<string, T>>> {
  const check: Rule = (value) => {
    if (!isObject(value)) return otherKind('an object', value)
    return problemsIn(Object.keys(value), (key) => {
      const [ofKey, ofValue] = [keyRule(key), rule(value[key])]
      return ofKey === undefined || ofValue === undefined
        ? (ofKey ?? ofValue)
        : [ofKey, ofValue].flatMap(toProblems)
    })
  }
  return ruleWith(check, {
    read: (map) =>
      Object.fromEntries(Object.entries(map as object).map(([key, value]) => [key, valueOf(rule, value)])),
  })
}

/** Records a problem of a value, at a path below the value. */
export type AddProblem = (keys: readonly (string | number)[], found: string | Fault) => void

/** Also checks the fields of an object against each other. @param check is called even if some fields are invalid */
export function together<T>(
  rule: Rule<T>,
  check: (values: Readonly<Record<string, unknown>>, add: AddProblem) => void,
): Rule<T> {
  const both: Rule = (value) => {
    const problems = [...toProblems(rule(value))]
    if (isObject(value)) {
      check(value, (keys, found) => problems.push({ path: keys.map(formatKey).join(''), ...toFault(found) }))
    }
    return problems.length > 0 ? problems : undefined
  }
  return ruleWith(both, rule)
}

/** An object or a list that matches a rule and has at least one entry. */
export function notEmpty(rule: Rule): Rule {
  return (value) => {
    const found = rule(value)
    if (found !== undefined || Object.keys(value as object).length > 0) return found
    return { code: 'empty', message: 'must not be empty' }
  }
}

/** All problems that the rules find in the values, field by field. */
export function findProblems(values: Readonly<Record<string, unknown>>, fields: Fields): readonly Problem[] {
  const problems: Problem[] = []
  // Each token that a gateway sees for the first time passes here, so nothing is made while there is no problem.
  for (const name in fields) {
    const found = fields[name]?.(values[name])
    if (found === undefined) continue
    for (const each of toProblems(found)) problems.push({ ...each, path: name + each.path })
  }
  return problems
}

/** What a rule has found, as a list. @param whole the path of a problem of the value as a whole */
export function problemsOf(found: ReturnType<Rule>, whole: string): readonly Problem[] {
  return toProblems(found).map((problem) => ({ ...problem, path: problem.path.replace(/^\./, '') || whole }))
}

function toProblems(found: ReturnType<Rule>): readonly Problem[] {
  if (found === undefined) return []
  return typeof found === 'string' || 'code' in found ? [{ path: '', ...toFault(found) }] : found
}

/**
 * Checks an argument field by field, rejects unknown fields, and reports all problems at once.
 *
 * @param headline the failed action, which the message names before the problems
 * @param code the code of the error. @default ERR_INVALID_ARGUMENT
 * @throws {GatehouseError} with every problem, its path and the remedy
 */
export function checkInput(
  headline: string,
  input: unknown,
  fields: Fields,
  code: GatehouseErrorCode = 'ERR_INVALID_ARGUMENT',
): void {
  if (!isObject(input)) throw new GatehouseError(code, `${headline}: expected an object`)
  collectProblems(code, headline, problemsOf(exactObjectOf(fields)(input), '')).throwIfAny()
}

/** A list whose entries all match a rule. */
export function listOf<T>(rule: Rule<T>): Rule<readonly T[]> {
  const check: Rule = (value) => {
    if (!Array.isArray(value)) return otherKind('a list', value)
    return problemsIn([...value.keys()], (index) => rule(value[index]))
  }
  return ruleWith(check, { read: (list) => (list as unknown[]).map((entry) => valueOf(rule, entry)) })
}

/** Maximum entries of a list in an argument, unless its rule has a lower maximum. */
export const MAX_ENTRIES = 10_000

/** A list without duplicates whose entries all match a rule. Checked in linear time. */
export function uniqueListOf(rule: Rule, max = MAX_ENTRIES): Rule {
  return (value) => {
    if (Array.isArray(value) && value.length > max) {
      return { code: 'too-many', message: `must have at most ${max} entries`, max }
    }
    const seen = new Set<unknown>()
    return listOf((entry) => {
      if (seen.has(entry)) return { code: 'duplicate', message: 'is in the list already' }
      seen.add(entry)
      return rule(entry)
    })(value)
  }
}

/** Maximum number of reported problems of one list or map, because a person has to read the message. */
export const MAX_PROBLEMS = 100

/**
 * The problems of all parts of a value; undefined if there are none.
 * @param check checks the part with a key
 */
function problemsIn<Key extends string | number>(
  keys: readonly Key[],
  check: (key: Key) => ReturnType<Rule>,
  max = MAX_PROBLEMS,
): Problem[] | undefined {
  const problems: Problem[] = []
  for (const key of keys) {
    const found = check(key)
    if (found === undefined) continue
    problems.push(...toProblems(found).map((each) => ({ ...each, path: formatKey(key) + each.path })))
    if (problems.length >= max) break
  }
  return problems.length > 0 ? problems : undefined
}
