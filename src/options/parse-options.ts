import * as v from 'valibot'
import { collectProblems, formatPath } from '../errors.ts'

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
  for (const { path = [], message } of parsed.issues ?? []) {
    const keys = path.map(({ key }) => key as string | number)
    // A problem without a path concerns the options as a whole.
    problems.add(keys.length === 0 ? 'options' : formatPath(keys), message)
  }
  problems.throwIfAny()
  return parsed.output
}
