import type { Store } from '../store/contract.ts'
import { membersOf } from '../store/pages-of-index.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/** Letters sort after digits, so a read from here skips the numbers of the buckets, which share the index. */
const PREFIX = 'mark:'

/** The marks in the revocation log of a store. See `LogMarks` in `keys/`. */
export function createLogMarks(store: Store) {
  return {
    /** Usually one; for a moment more, if several processes start on an empty store. */
    async list(): Promise<readonly string[]> {
      const members = await membersOf(store, BUCKET_NUMBERS, { prefix: PREFIX })
      return members.map((member) => member.slice(PREFIX.length))
    },
    // A mark never expires, because the key ring that contains its id never expires.
    add: (id: string) => store.add(BUCKET_NUMBERS, PREFIX + id),
    remove: (id: string) => store.remove(BUCKET_NUMBERS, PREFIX + id),
  }
}
