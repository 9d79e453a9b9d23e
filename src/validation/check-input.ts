import { collectProblems, GatehouseError } from '../errors.ts'
import { isObject } from './predicates.ts'
import { findProblems, type Fields } from './rules.ts'

/**
 * Checks an argument field by field, rejects unknown fields, and reports all problems at once.
 *
 * @param headline the failed action, in front of the problems
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem, its path and the remedy
 */
export function checkInput(headline: string, input: unknown, fields: Fields): void {
  if (!isObject(input)) throw new GatehouseError('ERR_INVALID_ARGUMENT', `${headline}: expected an object`)
  const known = Object.keys(fields)
  const problems = collectProblems('ERR_INVALID_ARGUMENT', headline)
  for (const { path, message } of findProblems(input, fields)) problems.add(path, message)
  for (const name of Object.keys(input)) {
    if (!known.includes(name)) problems.add(name, `is unknown here; expected one of ${known.join(', ')}`)
  }
  problems.throwIfAny()
}
