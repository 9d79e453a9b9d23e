import { isObject } from '../validation/predicates.ts'
import type { ExportableKeys } from '../keys/signing-keys.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { Counts } from './section.ts'
import type { Values } from './file-format.ts'

/** What lines with signing keys are called. */
export const SIGNING_KEYS = 'signing-keys'

/** The ring in force, sealed, as the fields of a line. */
export async function exportKeys(keys: ExportableKeys): Promise<object> {
  return { record: JSON.parse(await keys.toText()) as unknown }
}

/**
 * Opens the ring of a line; nothing is changed by this.
 *
 * @returns has its keys sign; undefined if it is no ring
 * @throws {GatehouseError} `ERR_SECRET_MISMATCH` if none of the secrets opens it
 */
export async function parseKeys(
  keys: ExportableKeys,
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
    if (isCorruptRecord(error)) return undefined
    throw error
  }
}
