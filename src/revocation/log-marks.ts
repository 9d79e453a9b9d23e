import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/** Sorts behind the numbers of the buckets, which are digits. */
const PREFIX = 'mark:'
/** More than there are: one mark, and one more for each process that marks the log at this moment. */
const PAGE_SIZE = 100

/** The marks in the revocation log of a store. */
export function createLogMarks(store: Store) {
  return {
    /** The ids of all marks; mostly one. */
    async list(): Promise<readonly string[]> {
      const members = await store.range(BUCKET_NUMBERS, { after: PREFIX, limit: PAGE_SIZE })
      return members.flatMap((member) => (member.startsWith(PREFIX) ? member.slice(PREFIX.length) : []))
    },
    // Permanent, like the key ring that names it.
    add: (id: string) => store.add(BUCKET_NUMBERS, PREFIX + id),
    remove: (id: string) => store.remove(BUCKET_NUMBERS, PREFIX + id),
  }
}
