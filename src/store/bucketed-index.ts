import type { Store } from './contract.ts'

/**
 * An index of entries that expire. Entries that expire in the same span share a bucket, which the store drops as a
 * whole. The index `name` lists the numbers of the buckets; bucket 7 is the index `name:7`.
 */
export interface BucketedIndex {
  readonly store: Store
  readonly name: string
  /** Seconds that one bucket covers. */
  readonly spanSeconds: number
  /** Seconds for which a bucket outlives its entries, because clocks differ. */
  readonly slackSeconds: number
}

/** Seconds for which the number of an expired bucket stays listed, in case another process still adds to the bucket. */
const NUMBER_RETENTION_SECONDS = 86_400

/** Numbers of expired buckets that one read removes. */
const TIDY_LIMIT = 100

const PAGE_SIZE = 1000

/** The number of the bucket for entries that expire at `until`, in epoch seconds. */
export function bucketOf({ spanSeconds }: Pick<BucketedIndex, 'spanSeconds'>, until: number): number {
  return Math.ceil(until / spanSeconds)
}

/**
 * Adds an entry. Adding it again restores what a store has lost.
 *
 * @param until epoch seconds at which the entry expires
 * @param now epoch seconds
 */
export async function addEntry(
  index: BucketedIndex,
  entry: string,
  until: number,
  now: number,
): Promise<void> {
  const { store, name, slackSeconds } = index
  const bucket = bucketOf(index, until)
  const ttl = Math.max(slackSeconds, Math.ceil(expiryOf(index, bucket) - now))
  await Promise.all([
    store.add(name, String(bucket).padStart(8, '0'), ttl),
    store.add(bucketName(index, bucket), entry, ttl),
  ])
}

/** Removes an entry from some buckets. */
export async function removeEntry(
  index: BucketedIndex,
  buckets: readonly number[],
  entry: string,
): Promise<void> {
  await Promise.all(buckets.map((bucket) => index.store.remove(bucketName(index, bucket), entry)))
}

/** Entries of a bucket in ascending order; see `range` of the store. */
export function rangeOfBucket(
  index: BucketedIndex,
  bucket: number,
  options: { after?: string | undefined; limit: number },
): Promise<string[]> {
  return index.store.range(bucketName(index, bucket), options)
}

/**
 * The numbers of the buckets that have not expired, in ascending order. Removes old numbers.
 *
 * @param now epoch seconds
 */
export async function listBuckets(index: BucketedIndex, now: number): Promise<number[]> {
  const { store, name } = index
  const members: string[] = []
  for (let page: string[] | undefined; page === undefined || page.length === PAGE_SIZE;) {
    page = await store.range(name, { after: members.at(-1), limit: PAGE_SIZE })
    members.push(...page)
  }
  // The index may also hold members that are not bucket numbers, such as marks of the log.
  const numbers = members.filter((member) => /^\d{8}$/.test(member))
  const isOld = (member: string) => expiryOf(index, Number(member)) + NUMBER_RETENTION_SECONDS < now
  // Errors of this cleanup are ignored, because the next reader tries again.
  await Promise.allSettled(
    numbers
      .filter(isOld)
      .slice(0, TIDY_LIMIT)
      .map((member) => removeIfEmpty(index, member)),
  )
  return numbers.map(Number).filter((bucket) => expiryOf(index, bucket) > now)
}

/**
 * Removes the number of a bucket that is empty in the store. The clock of this process may be wrong, so the store decides
 * whether the bucket has expired.
 */
async function removeIfEmpty(index: BucketedIndex, member: string): Promise<void> {
  const entries = await rangeOfBucket(index, Number(member), { limit: 1 })
  if (entries.length === 0) await index.store.remove(index.name, member)
}

function expiryOf({ spanSeconds, slackSeconds }: BucketedIndex, bucket: number): number {
  return bucket * spanSeconds + slackSeconds
}

function bucketName({ name }: BucketedIndex, bucket: number): string {
  return `${name}:${bucket}`
}
