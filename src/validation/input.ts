import { collectProblems, GatehouseError, type Problem } from '../errors.ts'

/** A rule returns the problem of a value and the remedy, as a sentence; undefined if the value is valid. */
export type Rule = (value: unknown) => string | undefined | readonly Problem[]

/** The rules of an input's fields; an optional field is wrapped in `optional`. */
export type Fields = Readonly<Record<string, Rule>>

/**
 * Checks an input field by field, rejects unknown fields, and reports all problems at once.
 *
 * @param headline the failed action, in front of the problems
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem, its path and the remedy
 */
export function checkInput(headline: string, input: unknown, fields: Fields): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `${headline}: expected an object`)
  }
  const values = input as Record<string, unknown>
  const known = Object.keys(fields)
  const problems = collectProblems('ERR_INVALID_ARGUMENT', headline)
  for (const { path, message } of findProblems(values, fields)) problems.add(path, message)
  for (const name of Object.keys(values)) {
    if (!known.includes(name)) problems.add(name, `is unknown here; expected one of ${known.join(', ')}`)
  }
  problems.throwIfAny()
}

/** All problems that the rules find in the values, field by field. */
export function findProblems(values: Readonly<Record<string, unknown>>, fields: Fields): Problem[] {
  return Object.entries(fields).flatMap(([name, rule]) => problemsAt(name, rule(values[name])))
}

/** Applies the rule only if there is a value. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value))
}

/** Maximum entries of a list in an argument, unless its rule has a lower maximum. */
export const MAX_ENTRIES = 10_000

/** Maximum number of reported problems of one list, since people read the message. */
const MAX_PROBLEMS = 100

/** A list whose entries all match a rule, without duplicates. Checked in linear time. */
export function listOf(rule: Rule, max = MAX_ENTRIES): Rule {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list'
    if (value.length > max) return `must have at most ${max} entries`
    const seen = new Set<unknown>()
    const problems: Problem[] = []
    for (const [index, entry] of value.entries()) {
      problems.push(...problemsAt(`[${index}]`, seen.has(entry) ? 'is in the list already' : rule(entry)))
      if (problems.length >= MAX_PROBLEMS) break
      seen.add(entry)
    }
    return problems
  }
}

/** A display name. Characters that reorder or hide text are rejected, because names are shown on the consent page. */
export const nameRule: Rule = (value) => {
  if (typeof value !== 'string' || value.trim() === '') return 'must be a text that is not empty'
  if (value.length > 120) return 'must have at most 120 characters'
  if (/[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(value)) {
    return 'must not contain line breaks, control characters or characters that reverse the direction of text'
  }
  return undefined
}

/** An identifier that the host assigns: an account, a user, an actor. */
export const hostIdRule: Rule = (value) =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value)
    ? undefined
    : 'must be a text of 1 to 255 characters without control characters'

function problemsAt(path: string, found: ReturnType<Rule>): readonly Problem[] {
  if (found === undefined) return []
  if (typeof found === 'string') return [{ path, message: found }]
  return found.map((problem) => ({ path: path + problem.path, message: problem.message }))
}
