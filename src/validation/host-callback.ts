import { collectProblems, GatehouseError, type Problem } from '../errors.ts'

/** A value, or a promise of one: a callback of the host may be asynchronous or not. */
export type Awaitable<T> = T | Promise<T>

/**
 * What a callback of the host may answer for "there is none": what database drivers give for a missing row, and
 * what `a && b` leaves over.
 */
export type None = undefined | null | false | ''

/** An object as databases give it: null where a field that may be left out has no value. */
export type Nullable<T> = {
  readonly [Field in keyof T]: undefined extends T[Field] ? T[Field] | null : T[Field]
}

/**
 * Calls a callback of the host. Its errors pass through as they are.
 *
 * @param callback its name, as the host wrote it: `accounts.find`
 * @throws {GatehouseError} `ERR_HOST_CALLBACK` instead of what is no Error, and so could not be reported
 */
export async function ask<T>(callback: string, call: () => Awaitable<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Error) throw error
    throw new GatehouseError('ERR_HOST_CALLBACK', `${callback} threw something that is no Error`, {
      cause: error,
    })
  }
}

/**
 * The fields of what a callback answered, undefined for none.
 *
 * @throws {GatehouseError} `ERR_HOST_CALLBACK` if it is no object
 */
export function fieldsOf(callback: string, answer: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!answer) return undefined
  if (isObject(answer)) return answer
  throw unfitAnswer(callback, `${kindOf(answer)}; it must be an object, or undefined or null for none`)
}

/**
 * Rejects an answer that something is wrong with.
 *
 * @throws {GatehouseError} `ERR_HOST_CALLBACK` with every problem
 */
export function rejectUnfit(callback: string, found: readonly (Problem | undefined)[]): void {
  const problems = collectProblems('ERR_HOST_CALLBACK', `${callback} answered what cannot be`)
  for (const problem of found) if (problem) problems.add(problem.path, problem.message)
  problems.throwIfAny()
}

/** The error for an answer that cannot be; tells of values no more than what kind they are. */
export function unfitAnswer(callback: string, what: string): GatehouseError {
  return new GatehouseError('ERR_HOST_CALLBACK', `${callback} answered ${what}`)
}

/** Whether a value is an object with fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What kind of value it is, for messages: never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty text'
  if (Array.isArray(value)) return 'a list'
  const kind = { string: 'a text', object: 'an object' }[typeof value as string]
  return kind ?? `a ${typeof value}`
}
