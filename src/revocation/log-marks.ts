import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/**
 * The marks share an index with the numbers of the buckets. Letters sort after digits, so a read that starts
 * at this prefix skips the numbers.
 */
const PREFIX = 'mark:'
/**
 * Usually there is one mark. If several processes start on an empty store, there may be one mark for each
 * process for a moment.
 */
const PAGE_SIZE = 100

/**
 * The marks in the revocation log of a store. A mark is a random id. The key ring contains the same id, which
 * shows that the ring and the log belong together.
 */
export function createLogMarks(store: Store) {
  return {
    async list(): Promise<readonly string[]> {
      const members = await store.range(BUCKET_NUMBERS, { after: PREFIX, limit: PAGE_SIZE })
      return members.flatMap((member) => (member.startsWith(PREFIX) ? member.slice(PREFIX.length) : []))
    },
    // A mark never expires, because the key ring that contains its id never expires.
    add: (id: string) => store.add(BUCKET_NUMBERS, PREFIX + id),
    remove: (id: string) => store.remove(BUCKET_NUMBERS, PREFIX + id),
  }
}
