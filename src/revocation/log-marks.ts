import type { Store } from '../store/contract.ts'
import { BUCKET_NUMBERS } from './expiry-buckets.ts'

/**
 * Marks in the revocation log. The key ring names one of them: if the log does not have it, the log was lost. A mark
 * stands in the index that names everything in the log, so the two are lost together.
 */
export interface LogMarks {
  /** The ids of all marks; mostly one. */
  list(): Promise<readonly string[]>
  add(id: string): Promise<void>
  remove(id: string): Promise<void>
}

/** Sorts behind the numbers of the buckets, which are digits. */
const MARK = 'mark:'
/** Marks that are read at most: there is one, and one more for each process that marks the log at this moment. */
const PAGE = 100

/** The marks in the revocation log of a store. */
export function createLogMarks(store: Store): LogMarks {
  return {
    async list() {
      const members = await store.range(BUCKET_NUMBERS, { after: MARK, limit: PAGE })
      return members.flatMap((member) => (member.startsWith(MARK) ? member.slice(MARK.length) : []))
    },
    // For good: the ring that names it has no end either.
    add: (id) => store.add(BUCKET_NUMBERS, MARK + id),
    remove: (id) => store.remove(BUCKET_NUMBERS, MARK + id),
  }
}
