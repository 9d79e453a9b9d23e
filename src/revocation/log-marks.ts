import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/**
 * The beginning of every mark. Letters sort after digits, so the marks stand after the numbers of the
 * buckets.
 */
const PREFIX = 'mark:'
/**
 * A limit above the number of marks. Usually there is one mark. If several processes start on an empty store,
 * each of them may add a mark for a moment.
 */
const PAGE_SIZE = 100

/** The marks in the revocation log of a store. `LogMarks` explains what a mark is. */
export function createLogMarks(store: Store) {
  return {
    /** The ids of all marks. Usually there is one mark. */
    async list(): Promise<readonly string[]> {
      const members = await store.range(BUCKET_NUMBERS, { after: PREFIX, limit: PAGE_SIZE })
      return members.flatMap((member) => (member.startsWith(PREFIX) ? member.slice(PREFIX.length) : []))
    },
    // A mark never expires, because the key ring that names the mark never expires.
    add: (id: string) => store.add(BUCKET_NUMBERS, PREFIX + id),
    remove: (id: string) => store.remove(BUCKET_NUMBERS, PREFIX + id),
  }
}
