import * as v from 'valibot'
import { collectProblems, formatPath } from '../errors.ts'
import { codeOfIssue } from '../validation/issue-code.ts'
import { faultOf } from './rules.ts'

/**
 * Checks options by their schema, and adds the defaults.
 *
 * @param headline the beginning of the error message
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function parseOptions<const Schema extends v.GenericSchema<unknown, unknown>>(
  headline: string,
  schema: Schema,
  options: unknown,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, options)
  const problems = collectProblems('ERR_OPTIONS', headline)
  for (const issue of parsed.issues ?? []) {
    const keys = (issue.path ?? []).map(({ key }) => key as string | number)
    // A problem without a path concerns the options as a whole.
    const path = keys.length === 0 ? 'options' : formatPath(keys)
    problems.add(path, faultOf(issue) ?? { ...codeOfIssue(issue), message: issue.message })
  }
  problems.throwIfAny()
  return parsed.output
}
