import { GatehouseError } from '../errors.ts'

/** What stands in a list in the place of a record: under its key is something that is none, or of a newer version. */
export class Unreadable {
  readonly id: string
  /** In the store. */
  readonly key: string
  /** `ERR_STORE_RECORD`, which says what is there, and quotes nothing of it. */
  readonly error: GatehouseError

  constructor(id: string, key: string, error: GatehouseError) {
    this.id = id
    this.key = key
    this.error = error
  }
}

/** Whether something failed because what is under a key is no record; any other failure is not about one key alone. */
export function isUnreadable(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_STORE_RECORD'
}

/** Keys that a message names at most. */
const NAMED = 10

/**
 * The error of something that was done as far as it can be done, although there are records that cannot be read.
 *
 * @param done what has been done all the same, as a sentence without a full stop
 * @param errors of each of them
 */
export function doneInSpiteOf(done: string, errors: readonly GatehouseError[]): GatehouseError {
  const messages = errors.slice(0, NAMED).map(({ message }) => message)
  const others = errors.length > NAMED ? [`and ${errors.length - NAMED} more`] : []
  return new GatehouseError('ERR_STORE_RECORD', `${done}; but ${[...messages, ...others].join('; ')}`, {
    cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
  })
}
