import { GatehouseError, hasCode } from '../errors.ts'

/**
 * An item of a list in place of a corrupt record. A record is corrupt if it cannot be parsed, breaks its
 * rules, or has another schema version.
 */
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

/** Whether an error is about one corrupt record, and not about the store as a whole. */
export function isCorruptRecord(error: unknown): error is GatehouseError {
  return hasCode(error, 'ERR_STORE_CORRUPT')
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
