import type { Store } from '../store/contract.ts'

/** Indexes of what ends in the same hour, by the number of that hour; each is gone by itself when it is over. */
export interface ExpiryBuckets {
  /** @param ttl seconds for which the shelf is kept at least */
  put(bucket: number, entry: string, ttl: number): Promise<void>
  /** Entries of a shelf in ascending order; see `range` of the store. */
  range(bucket: number, options: { after?: string | undefined; limit: number }): Promise<string[]>
  /** The first shelf behind `shelf`, or undefined. */
  next(bucket: number): Promise<number | undefined>
  /**
   * Forgets the numbers of shelves that are gone. Never rejects.
   *
   * @param now epoch seconds
   */
  tidy(now: number): Promise<void>
}

/** The numbers of all shelves that may hold something, and the marks of the log (`createLogMarks`). */
export const BUCKET_NUMBERS = 'revocations:buckets'

const HOUR = 3600
/** Seconds for which the number of a shelf stays at least when it is over: no clock is so wrong. */
const KEPT = 24 * HOUR
/** Numbers that are looked at each time. */
const TIDIED = 100

/** The shelf for what ends at `until`, epoch seconds: an hour later at least, for clocks that differ. */
export function bucketFor(until: number): number {
  return Math.ceil(until / HOUR) + 1
}

/** Epoch seconds at which a shelf is over. */
export function endOfBucket(bucket: number): number {
  return bucket * HOUR
}

/** The last shelf that is over. @param now epoch seconds */
export function lastBucketOver(now: number): number {
  return Math.max(0, Math.floor(now / HOUR))
}

/** The shelves in a store. */
export function createExpiryBuckets(store: Store): ExpiryBuckets {
  return {
    async put(bucket, entry, ttl) {
      // Its number last, and each time: whoever finds the number finds the entry, and a store that has lost both
      // gets both back.
      await store.add(nameOf(bucket), entry, ttl)
      await store.add(BUCKET_NUMBERS, pad(bucket), ttl)
    },

    range: (bucket, options) => store.range(nameOf(bucket), options),

    async next(bucket) {
      for (let after = pad(bucket); ;) {
        const [found] = await store.range(BUCKET_NUMBERS, { after, limit: 1 })
        if (found === undefined) return undefined
        if (/^\d{8}$/.test(found)) return Number(found)
        after = found
      }
    },

    async tidy(now) {
      try {
        const numbers = await store.range(BUCKET_NUMBERS, { limit: TIDIED })
        for (const number of numbers.filter((text) => endOfBucket(Number(text)) + KEPT < now)) {
          // The clock of this process may be wrong; what the store has dropped is over.
          const entries = await store.range(nameOf(Number(number)), { limit: 1 })
          if (entries.length === 0) await store.remove(BUCKET_NUMBERS, number)
        }
      } catch {
        // The next one does it.
      }
    },
  }
}

function nameOf(bucket: number): string {
  return `revocations:until:${pad(bucket)}`
}

function pad(bucket: number): string {
  return String(bucket).padStart(8, '0')
}
