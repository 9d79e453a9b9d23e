import { GatehouseError } from '../../../src/errors.ts'

/** The error that a function throws. */
export function thrownBy(action: () => unknown): GatehouseError {
  try {
    action()
  } catch (error) {
    if (error instanceof GatehouseError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
