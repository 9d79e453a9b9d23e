import { isObject } from '../validation/predicates.ts'
import type { ExportableKeys } from '../keys/key-ring-import.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { Counts } from './section.ts'
import type { Values } from './file-format.ts'

/** The value of `is` in lines with signing keys. */
export const SIGNING_KEYS = 'signing-keys'

/** The encrypted key ring as the fields of a line. */
export async function exportKeys(keys: ExportableKeys): Promise<object> {
  return { record: JSON.parse(await keys.toText()) as unknown }
}

/**
 * Decrypts the key ring of a line. Writes nothing.
 *
 * @returns a function that imports the ring; undefined if the line contains no key ring
 * @throws {GatehouseError} `ERR_SECRET_MISMATCH` if no configured secret decrypts the ring, `ERR_CONFLICT` if
 *   this store has signing keys of its own
 */
export async function parseKeys(
  keys: ExportableKeys,
  { record }: Values,
): Promise<((counts: Counts) => Promise<void>) | undefined> {
  if (!isObject(record)) return undefined
  try {
    const importKeys = await keys.unseal(JSON.stringify(record))
    return async (counts) => {
      const added = await importKeys()
      counts.signingKeys += added
      if (added === 0) counts.unchanged += 1
    }
  } catch (error) {
    if (isCorruptRecord(error)) return undefined
    throw error
  }
}
