import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/** Letters sort after digits, so the marks stand after the numbers of the buckets. */
const PREFIX = 'mark:'
/** More than the number of marks: one mark, and one more mark for each process that marks the log at this moment. */
const PAGE_SIZE = 100

/** The marks in the revocation log of a store. */
export function createLogMarks(store: Store) {
  return {
    /** The ids of all marks; usually one mark. */
    async list(): Promise<readonly string[]> {
      const members = await store.range(BUCKET_NUMBERS, { after: PREFIX, limit: PAGE_SIZE })
      return members.flatMap((member) => (member.startsWith(PREFIX) ? member.slice(PREFIX.length) : []))
    },
    // A mark is permanent, like the key ring that names the mark.
    add: (id: string) => store.add(BUCKET_NUMBERS, PREFIX + id),
    remove: (id: string) => store.remove(BUCKET_NUMBERS, PREFIX + id),
  }
}
