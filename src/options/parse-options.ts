import * as v from 'valibot'
import { isObject } from '../validation/predicates.ts'
import { collectProblems, formatPath } from '../errors.ts'
import { addressProblem } from './urls.ts'

/** Records a problem of an option. */
export type AddProblem = (keys: readonly (string | number)[], message: string) => void

/**
 * Reads options by their schema, and collects their problems.
 *
 * @param headline the beginning of the error message
 * @returns `add` for problems that a schema cannot find, and `finish`, which returns the options with their defaults
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems: from `finish`, or at once if there are no options
 */
export function readOptions<const Schema extends v.GenericSchema<unknown, unknown>>(
  headline: string,
  schema: Schema,
  options: unknown,
) {
  const problems = collectProblems('ERR_OPTIONS', headline)
  const add: AddProblem = (keys, message) => problems.add(formatPath(keys), message)

  const parsed = v.safeParse(schema, options)
  for (const issue of parsed.issues ?? []) {
    // Every schema in use has string keys; an issue without a path concerns the options as a whole.
    add(issue.path?.map(({ key }) => key as string) ?? ['options'], issue.message)
  }
  if (!isObject(options)) problems.throwIfAny()

  return {
    add,
    finish(): v.InferOutput<Schema> {
      problems.throwIfAny()
      return parsed.output
    },
  }
}

/** Checks the options of all gateways: each of the two addresses on its own, and the type of `products`. */
export function checkApi(
  { issuer, audience, products }: { issuer: unknown; audience: unknown; products: unknown },
  add: AddProblem,
): void {
  for (const [name, address] of Object.entries({ issuer, audience })) {
    const problem = addressProblem(address)
    if (problem !== undefined) add([name], problem)
  }
  if (typeof products !== 'function' && !isObject(products)) {
    add(['products'], 'must be an object of products, or a function that loads them')
  }
}
