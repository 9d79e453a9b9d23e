import { collectProblems, GatehouseError, type GatehouseErrorCode } from '../errors.ts'
import { isObject } from './predicates.ts'
import { exactFields, findProblems, type Fields } from './rules.ts'

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
