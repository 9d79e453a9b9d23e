import type { Internals } from '../../gatehouse/internals.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { isObject } from '../../validation/predicates.ts'
import { anyValue } from '../../validation/rules.ts'
import { lineRejected } from './file-format.ts'
import { sectionOf, type Section } from './section.ts'

export const SIGNING_KEYS = 'signing-keys'

/** The encrypted key ring. To parse the line decrypts it: `ERR_SECRET_MISMATCH`, `ERR_CONFLICT` for other keys. */
export function signingKeySection(keys: Internals['exportableKeys'], importsKeys: boolean): Section {
  return sectionOf<{ record: unknown }>({
    is: SIGNING_KEYS,
    rules: { record: anyValue },
    async *pages() {
      if (keys) yield { items: [{ record: JSON.parse(await keys.toText()) as unknown }] }
    },
    async read({ record }, number) {
      if (!keys || !importsKeys) return async () => {}
      try {
        const importKeys = isObject(record) && (await keys.unseal(JSON.stringify(record)))
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
    },
  })
}
