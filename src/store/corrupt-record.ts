import { GatehouseError } from '../errors.ts'

/** What stands in a list in the place of a record: under its key is something that is none, or of a newer version. */
export class CorruptRecord {
  readonly id: string
  /** In the store. */
  readonly key: string
  /** `ERR_STORE_CORRUPT`, which says what is there, and quotes nothing of it. */
  readonly error: GatehouseError

  constructor(id: string, key: string, error: GatehouseError) {
    this.id = id
    this.key = key
    this.error = error
  }
}

/** Whether something failed because what is under a key is no record; any other failure is not about one key alone. */
export function isCorruptRecord(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_STORE_CORRUPT'
}

/** Keys that a message names at most. */
const NAMED = 10

/**
 * The error of something that was done as far as it can be, although there are records that cannot be read.
 *
 * @param errors why each of them cannot
 * @param done what was done all the same, as a sentence without a full stop
 */
export function partialFailure(errors: readonly GatehouseError[], done: string): GatehouseError {
  const messages = [...new Set(errors.map(({ message }) => message))]
  const others = messages.length > NAMED ? [`and ${messages.length - NAMED} more of the kind`] : []
  return new GatehouseError(
    'ERR_STORE_CORRUPT',
    `${[...messages.slice(0, NAMED), ...others].join('; ')}. ${done}`,
    { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) },
  )
}
