import { GatehouseError, hasCode } from '../errors.ts'

/** In place of a record that cannot be parsed, breaks its rules, or has another schema version. */
export class CorruptRecord {
  readonly id: string
  readonly key: string
  /** `ERR_STORE_CORRUPT`. Its message describes the problem and quotes no stored data. */
  readonly error: GatehouseError

  constructor(id: string, key: string, error: GatehouseError) {
    this.id = id
    this.key = key
    this.error = error
  }
}

/** @param problem what is wrong with the value: it follows the key */
export function corruptValue(key: string, problem: string): GatehouseError {
  return new GatehouseError('ERR_STORE_CORRUPT', `the value under "${key}" in the store ${problem}`)
}

/** About one record, and not about the store as a whole. */
export function isCorruptRecord(error: unknown): error is GatehouseError {
  return hasCode(error, 'ERR_STORE_CORRUPT')
}

/** Handles a rejection: adds the error of a corrupt record to `errors`, and throws every other error. */
export function collectIn(errors: GatehouseError[]) {
  return (error: unknown): undefined => {
    if (!isCorruptRecord(error)) throw error
    errors.push(error)
  }
}

const MAX_NAMED_KEYS = 10

/** The error after corrupt records were skipped and the rest completed: `done`, without a full stop. */
export function partialFailure(errors: readonly GatehouseError[], done: string): GatehouseError {
  const messages = [...new Set(errors.map(({ message }) => message))]
  const more = messages.length - MAX_NAMED_KEYS
  const named = messages.slice(0, MAX_NAMED_KEYS)
  return new GatehouseError(
    'ERR_STORE_CORRUPT',
    `${[...named, ...(more > 0 ? [`and ${more} more corrupt records`] : [])].join('; ')}. ${done}`,
    { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
  )
}
