import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { isObject } from '../../validation/predicates.ts'
import type { Sections } from './create-sections.ts'
import { lineRejected, type Values } from './file-format.ts'
import { retry } from './retry.ts'
import type { Counts } from './section.ts'

export const SIGNING_KEYS = 'signing-keys'

/**
 * Decrypts the encrypted key ring of a line. Writes nothing. The returned function imports the ring. Throws
 * `ERR_SECRET_MISMATCH`, `ERR_CONFLICT` if this store has signing keys of its own, or `ERR_INVALID_ARGUMENT`
 * if the line contains no key ring.
 */
export async function parseKeys(
  { keys }: Sections,
  number: number,
  { fields: { record }, importsKeys }: { fields: Values; importsKeys: boolean },
): Promise<(counts: Counts) => Promise<void>> {
  if (!keys || !importsKeys) return async () => {}
  try {
    const importKeys = isObject(record) && (await retry(() => keys.unseal(JSON.stringify(record))))
    if (importKeys) {
      return async (counts) => {
        const added = await importKeys()
        counts.signingKeys += added
        if (added === 0) counts.unchanged += 1
      }
    }
  } catch (error) {
    if (!isCorruptRecord(error)) throw error
  }
  throw lineRejected(number, 'cannot be imported: it contains no signing keys')
}
