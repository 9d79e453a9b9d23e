import { metCorruptMember, type StoreWithMemory } from './met-corrupt-records.ts'
import { membersOf, readMembers, type IndexReader } from './pages-of-index.ts'

/**
 * An index of entries that expire. Those that expire within the same span of time share a bucket, which the store
 * deletes as a whole. The index `name` lists the numbers of the buckets. `name:7` has the entries of bucket 7.
 */
export interface BucketedIndex {
  readonly store: StoreWithMemory
  readonly name: string
  /** The span of time that one bucket covers, in seconds. */
  readonly spanSeconds: number
  /** Seconds for which a bucket stays after its span has ended, because the clocks of processes differ. */
  readonly slackSeconds: number
}

/** Seconds for which the number of an expired bucket stays listed, in case another process still adds to the bucket. */
const NUMBER_RETENTION_SECONDS = 86_400

const TIDY_LIMIT = 100

/** @param until when the entries expire, in epoch seconds */
export function bucketOf({ spanSeconds }: Pick<BucketedIndex, 'spanSeconds'>, until: number): number {
  return Math.ceil(until / spanSeconds)
}

/** Adds an entry; `until` and `now` are epoch seconds. Adding it again restores what the store has lost. */
export async function addEntry(index: BucketedIndex, entry: string, until: number, now: number) {
  const { store, name, slackSeconds } = index
  const bucket = bucketOf(index, until)
  const ttl = Math.max(slackSeconds, Math.ceil(expiryOf(index, bucket) - now))
  await Promise.all([
    store.add(name, String(bucket).padStart(8, '0'), ttl),
    store.add(bucketName(index, bucket), entry, ttl),
  ])
}

export async function removeEntry(index: BucketedIndex, buckets: readonly number[], entry: string) {
  await Promise.all(buckets.map((bucket) => index.store.remove(bucketName(index, bucket), entry)))
}

/** The entries of all buckets as those of one index. The list of buckets is read once, when it is first needed. */
export function openBuckets(index: BucketedIndex) {
  let listed: Promise<number[]> | undefined
  const buckets = () => (listed ??= listBuckets(index, Date.now() / 1000))
  const reader: IndexReader = {
    async range(_, part) {
      const found = (await buckets()).map((bucket) =>
        readMembers(index.store, bucketName(index, bucket), part),
      )
      return [...new Set((await Promise.all(found)).flat())].toSorted().slice(0, part.limit)
    },
  }
  return {
    buckets,
    reader,
    index: index.name,
    remove: async (entry: string) => removeEntry(index, await buckets(), entry),
  }
}

/** The numbers of the buckets that have not expired, ascending. Removes old empty ones. `now` is in seconds. */
export async function listBuckets(index: BucketedIndex, now: number): Promise<number[]> {
  const { store, name } = index
  const members = await membersOf(store, name)
  // The index may also hold other members, such as the marks of the revocation log (`createLogMarks`).
  const numbers = members.filter((member) => /^\d{8}$/.test(member))
  if (members.some((member) => !/^(?:\d{8}$|mark:.)/.test(member))) metCorruptMember(store, name)
  const isOld = (member: string) => expiryOf(index, Number(member)) + NUMBER_RETENTION_SECONDS < now
  // Errors of this cleanup are ignored, because the next call of this function tries again.
  await Promise.allSettled(
    numbers
      .filter(isOld)
      .slice(0, TIDY_LIMIT)
      .map((member) => removeIfEmpty(index, member)),
  )
  return numbers.map(Number).filter((bucket) => expiryOf(index, bucket) > now)
}

/** The clock of this process may be wrong, so the number stays until the entries are deleted. */
async function removeIfEmpty(index: BucketedIndex, member: string): Promise<void> {
  const entries = await readMembers(index.store, bucketName(index, Number(member)), { limit: 1 })
  if (entries.length === 0) await index.store.remove(index.name, member)
}

function expiryOf({ spanSeconds, slackSeconds }: BucketedIndex, bucket: number): number {
  return bucket * spanSeconds + slackSeconds
}

export function bucketName({ name }: BucketedIndex, bucket: number): string {
  return `${name}:${bucket}`
}
