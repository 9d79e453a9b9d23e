import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './revocation-log.ts'

/**
 * The beginning of every mark. Letters sort after digits, so the marks stand after the numbers of the
 * buckets.
 */
const PREFIX = 'mark:'
/**
 * A limit above the number of marks. Usually there is one mark. Each process that is marking the log at this
 * moment adds one more mark.
 */
const PAGE_SIZE = 100

/** The marks in the revocation log of a store. */
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
