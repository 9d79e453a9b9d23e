import { collectProblems, GatehouseError } from '../errors.ts'
import { isObject } from './predicates.ts'
import { exactFields, findProblems, type Fields } from './rules.ts'

/**
 * Checks an argument field by field, rejects unknown fields, and reports all problems at once.
 *
 * @param headline the failed action, which the message names before the problems
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem, its path and the remedy
 */
export function checkInput(headline: string, input: unknown, fields: Fields): void {
  if (!isObject(input)) throw new GatehouseError('ERR_INVALID_ARGUMENT', `${headline}: expected an object`)
  const problems = findProblems(input, exactFields(input, fields))
  collectProblems('ERR_INVALID_ARGUMENT', headline, problems).throwIfAny()
}
