import { GatehouseError } from '../errors.ts'
import type { Internals } from './create-internals.ts'

const internals = new WeakMap<object, Internals>()

/**
 * Registers the inner parts of a gatehouse for `internalsOf`. The parts stay hidden from callers of the
 * gatehouse.
 */
export function registerInternals(gatehouse: object, parts: Internals): void {
  internals.set(gatehouse, parts)
}

/**
 * The inner parts of a gatehouse.
 *
 * @param caller the function that the host called, for the error
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `createGatehouse` did not create the gatehouse
 */
export function internalsOf(gatehouse: object, caller: string): Internals {
  const parts = internals.get(gatehouse)
  if (parts) return parts
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `${caller} takes a gatehouse of createGatehouse()`)
}
