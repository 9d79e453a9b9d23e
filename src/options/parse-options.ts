import * as v from 'valibot'
import { isRecord } from '../catalog/read-definitions.ts'
import { collectProblems, formatPath } from '../errors.ts'
import { addressProblem } from './urls.ts'

/** Takes down what is wrong with an option. */
export type AddProblem = (keys: readonly (string | number)[], message: string) => void

/**
 * Reads options by their schema, and gathers what is wrong with them.
 *
 * @param headline what the error begins with
 * @returns `add` for what a schema cannot tell, and `finish`, which answers the options with their defaults
 * @throws {GatehouseError} `ERR_OPTIONS` with all that is wrong: from `finish`, or at once if there are no options
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
    // Every schema in use has string keys; what has no path is the options as a whole.
    add(issue.path?.map(({ key }) => key as string) ?? ['options'], issue.message)
  }
  if (!isRecord(options)) problems.throwIfAny()

  return {
    add,
    finish(): v.InferOutput<Schema> {
      problems.throwIfAny()
      return parsed.output
    },
  }
}

/** Checks what all gateways need: the two addresses, each for itself, and products of the right kind. */
export function checkApi(
  { issuer, audience, products }: { issuer: unknown; audience: unknown; products: unknown },
  add: AddProblem,
): void {
  for (const [name, address] of Object.entries({ issuer, audience })) {
    const problem = addressProblem(address)
    if (problem !== undefined) add([name], problem)
  }
  if (typeof products !== 'function' && !isRecord(products)) {
    add(['products'], 'must be an object of products, or a function that loads them')
  }
}
