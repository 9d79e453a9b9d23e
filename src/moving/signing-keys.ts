import { isObject } from '../host/answer.ts'
import type { MovableKeys } from '../keys/signing-keys.ts'
import { isUnreadable } from '../store/unreadable.ts'
import type { Counts } from './cargo.ts'
import type { Values } from './file-format.ts'

/** What lines with signing keys are called. */
export const SIGNING_KEYS = 'signing-keys'

/** The ring in force, sealed, as the fields of a line. */
export async function packKeys(keys: MovableKeys): Promise<object> {
  return { record: JSON.parse(await keys.toText()) as unknown }
}

/**
 * Opens the ring of a line; nothing is changed by this.
 *
 * @returns has its keys sign; undefined if it is no ring
 * @throws {GatehouseError} `ERR_SECRET` if none of the secrets opens it
 */
export async function unpackKeys(
  keys: MovableKeys,
  { record }: Values,
): Promise<((counts: Counts) => Promise<void>) | undefined> {
  if (!isObject(record)) return undefined
  try {
    const join = await keys.open(JSON.stringify(record))
    return async (counts) => {
      const added = await join()
      counts.signingKeys += added
      if (added === 0) counts.unchanged += 1
    }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}
