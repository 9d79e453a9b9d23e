import { collectProblems, GatehouseError } from '../errors.ts'
import { isObject, kindOf } from './predicates.ts'
import { findProblems, type Fields } from './rules.ts'

/** A value, or a promise of one: a callback of the host may be asynchronous or not. */
export type Awaitable<T> = T | Promise<T>

/**
 * The values by which a callback of the host reports that it found nothing. Database drivers return null or undefined
 * for a missing row, and `a && b` may return any falsy value.
 */
export type None = undefined | null | false | ''

/** An object as databases return it: an optional field without a value may be null. */
export type Nullable<T> = {
  readonly [Field in keyof T]: undefined extends T[Field] ? T[Field] | null : T[Field]
}

/**
 * Calls a callback of the host. An Error that the callback throws passes through unchanged.
 *
 * @param callback the name of the callback in the options, such as `accounts.find`
 * @throws {GatehouseError} `ERR_HOST_CALLBACK` if the callback throws a value that is not an Error
 */
export async function callHost<T>(callback: string, call: () => Awaitable<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Error) throw error
    const message = `${callback} threw a value that is not an Error`
    throw new GatehouseError('ERR_HOST_CALLBACK', message, { cause: error })
  }
}

/**
 * The object that a callback returned, or undefined if it found nothing. Unknown fields are allowed.
 *
 * @param rulesOf the rules of the object's fields
 * @throws {GatehouseError} `ERR_HOST_CALLBACK` if the result is not an object, or with every problem of its fields
 */
export function readResult(
  callback: string,
  result: unknown,
  rulesOf: (values: Readonly<Record<string, unknown>>) => Fields,
): Readonly<Record<string, unknown>> | undefined {
  if (!result) return undefined
  if (!isObject(result)) {
    const valid = 'it must be an object; undefined or null means that nothing was found'
    throw invalidResult(callback, `${kindOf(result)}; ${valid}`)
  }
  const problems = findProblems(result, rulesOf(result))
  collectProblems('ERR_HOST_CALLBACK', `${callback} returned an invalid result`, problems).throwIfAny()
  return result
}

/** The error for an invalid result. @param what the kind of the result and the valid kinds, never the value itself */
export function invalidResult(callback: string, what: string): GatehouseError {
  return new GatehouseError('ERR_HOST_CALLBACK', `${callback} returned ${what}`)
}
