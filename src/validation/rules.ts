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
import { isCount, isEpochSeconds, isObject, isText, kindOf } from './predicates.ts'

/**
 * Checks one value. A rule returns undefined for a valid value. Otherwise it returns what is wrong with the value, or
 * the problems of its parts, each with its path. If a rule returns only a sentence, the sentence describes the valid
 * form, and names the remedy.
 */
export type Rule = (value: unknown) => string | Fault | readonly Problem[] | undefined

/** The rules of an object's fields; an optional field is wrapped in `optional`. */
export type Fields = Readonly<Record<string, Rule>>

/** A rule from a predicate. @param what the valid values, as they follow "must be" in the message */
export function must(what: string, isValid: (value: unknown) => boolean): Rule {
  return (value) => (isValid(value) ? undefined : otherKind(what, value))
}

function otherKind(what: string, value: unknown): Fault {
  return { code: kindCode(value), message: `must be ${what}, and is ${kindOf(value)}` }
}

function kindCode(value: unknown): ProblemCode {
  if (value === undefined) return 'required'
  return value === '' ? 'empty' : 'type'
}

/** Any value. */
export const anyValue: Rule = () => undefined

/** Any text, including the empty text. */
export const stringRule = must('a text', (value) => typeof value === 'string')

/** A text that is not empty. It is also the rule for ids that are only looked up, such as account ids of the host. */
export const textRule = must('a text that is not empty', isText)

export const booleanRule = must('true or false', (value) => typeof value === 'boolean')

export const functionRule = must('a function', (value) => typeof value === 'function')

export const finiteNumberRule = must('a number', Number.isFinite)

/** A counter, or a time without a fraction. */
export const countRule = must('a whole number from 0', isCount)

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number, what = 'a whole number') {
  const fault: Fault = { code: 'range', message: `must be ${what} from ${min} to ${max}`, min, max }
  return (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : fault
}

/** A time in epoch seconds, with or without a fraction. */
export const epochSecondsRule: Rule = (value) => {
  if (isEpochSeconds(value)) return undefined
  if (typeof value === 'number' && value > 0) {
    return { code: 'range', message: 'must be in seconds since the epoch, and looks like milliseconds' }
  }
  return otherKind('a number of seconds since the epoch', value)
}

/** An identifier that the host assigns and gatehouse stores: an account, a user, an actor. */
export const hostIdRule: Rule = (value) =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value)
    ? undefined
    : 'must be a text of 1 to 255 characters without control characters'

export const MAX_NAME_LENGTH = 120

/** A display name. Characters that reorder or hide text are rejected, because names are shown on the consent page. */
export const nameRule: Rule = (value) => {
  if (typeof value !== 'string') return { code: kindCode(value), message: 'must be a text that is not empty' }
  if (value.trim() === '') return { code: 'empty', message: 'must be a text that is not empty' }
  const max = MAX_NAME_LENGTH
  if (value.length > max) return { code: 'too-long', message: `must have at most ${max} characters`, max }
  if (/[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(value)) {
    const message =
      'must not contain line breaks, control characters or characters that reverse the direction of text'
    return { code: 'characters', message }
  }
  return undefined
}

/** Exactly one of these values. */
export function oneOf(...values: readonly unknown[]): Rule {
  const listed = () => values.map((value) => JSON.stringify(value)).join(' or ')
  return (value) => (values.includes(value) ? undefined : { code: 'choice', message: `must be ${listed()}` })
}

/** Applies the rule only if there is a value. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value))
}

/** Applies the rule only if there is a value. Databases return null or an empty text for a missing value. */
export function nullable(rule: Rule): Rule {
  return (value) => (value === undefined || value === null || value === '' ? undefined : rule(value))
}

/** An object whose fields match their rules. Other fields are allowed. */
export function objectOf(fields: Fields): Rule {
  const rules = Object.entries(fields)
  return (value) => {
    if (!isObject(value)) return otherKind('an object', value)
    return problemsIn(rules, ([name, rule]) => [`.${name}`, rule(value[name])], Infinity)
  }
}

/** An object whose fields match their rules, without any other field. */
export function exactObjectOf(fields: Fields): Rule {
  return (value) => objectOf(isObject(value) ? exactFields(value, fields) : fields)(value)
}

/** The rules of an object's fields. For each other field in `values`, a rule is added that rejects the field. */
function exactFields(values: Readonly<Record<string, unknown>>, fields: Fields): Fields {
  const unknown: Rule = () => {
    return { code: 'unknown', message: `is unknown here; expected one of ${Object.keys(fields).join(', ')}` }
  }
  const others = Object.keys(values).filter((name) => !Object.hasOwn(fields, name))
  if (others.length === 0) return fields
  return { ...fields, ...Object.fromEntries(others.map((name) => [name, unknown])) }
}

/** An object whose values all match `rule`, and whose keys all match `keyRule`. */
export function mapOf(rule: Rule, keyRule: (key: string) => ReturnType<Rule> = anyValue): Rule {
  return (value) => {
    if (!isObject(value)) return otherKind('an object', value)
    const parts = Object.entries(value).flatMap(([key, entry]) => [
      [formatKey(key), keyRule(key)] as const,
      [formatKey(key), rule(entry)] as const,
    ])
    return problemsIn(parts, (part) => part)
  }
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
  return problemsIn(Object.entries(fields), ([name, rule]) => [name, rule(values[name])], Infinity) ?? []
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
  const problems = findProblems(input, exactFields(input, fields))
  if (problems.length > 0) collectProblems(code, headline, problems).throwIfAny()
}

/** A list whose entries all match a rule. */
export function listOf(rule: Rule): Rule {
  return (value) => {
    if (!Array.isArray(value)) return otherKind('a list', value)
    return problemsIn(value.entries(), ([index, entry]) => [`[${index}]`, rule(entry)])
  }
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
 * @param check checks a part, and returns the path of the part and its problems
 */
function problemsIn<Part>(
  parts: Iterable<Part>,
  check: (part: Part) => readonly [path: string, found: ReturnType<Rule>],
  max = MAX_PROBLEMS,
): Problem[] | undefined {
  const problems: Problem[] = []
  for (const part of parts) {
    const [path, found] = check(part)
    if (found === undefined) continue
    if (typeof found === 'string' || 'code' in found) problems.push({ path, ...toFault(found) })
    else problems.push(...found.map((problem) => ({ ...problem, path: path + problem.path })))
    if (problems.length >= max) break
  }
  return problems.length > 0 ? problems : undefined
}
