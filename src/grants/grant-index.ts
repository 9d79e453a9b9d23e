import {
  addEntry,
  bucketOf,
  listBuckets,
  rangeOfBucket,
  removeEntry,
  type BucketedIndex,
} from '../store/bucketed-index.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { readMember, readPage, timedMember, type ListOptions, type RecordList } from '../store/time-index.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { isActive, type GrantRecord } from './grant-record.ts'
import { MAX_GRANTS_OF_PAIR, type GrantPair } from './max-grants.ts'

export interface GrantEntry extends GrantPair {
  readonly grantId: string
  /** The time by which the grants of an account are sorted, in milliseconds since the epoch. */
  readonly listedAt: number
}

export interface ListedGrant {
  readonly grantId: string
  readonly record: GrantRecord
}

export type ListedGrants = RecordList<ListedGrant>

const PAGE_SIZE = 1000

const DAY_SECONDS = 86_400

const BUCKETS = { spanSeconds: 30 * DAY_SECONDS, slackSeconds: DAY_SECONDS }

type LoadGrants = (grantIds: readonly string[]) => Promise<(GrantRecord | CorruptRecord | undefined)[]>

/**
 * Lists the grants of each account that are in use: their authorization codes were exchanged. The oldest
 * grant comes first. Grants of the same second are in no particular order.
 *
 * The entries of an account are stored in buckets. One bucket contains the entries of all grants that expire
 * within the same 30 days. The store deletes the bucket when these days are over. A grant may be extended
 * beyond the period of its bucket. Its entry is then added to a later bucket before the record of the grant
 * changes. So every usable grant is listed.
 */
export function createGrantIndex({ store, load }: { store: Store; load: LoadGrants }) {
  const indexOf = (accountId: string): BucketedIndex => ({
    store,
    // The host's account ids may have any length and any characters, so they are hashed.
    name: `grants:of:${digest(accountId)}`,
    ...BUCKETS,
  })

  const loadMembers = (index: BucketedIndex, members: readonly string[]) => loadGrants(index, load, members)

  /** `isMeant` selects the grants of the page by their records. */
  async function page(
    accountId: string,
    options: ListOptions,
    isMeant: (record: GrantRecord) => boolean = () => true,
  ): Promise<ListedGrants> {
    const index = indexOf(accountId)
    let buckets: number[] = []
    return readPage<ListedGrant>(options, {
      async range({ after, limit }) {
        // Reads the list of buckets once for each page. `readPage` has checked the options before it calls
        // `range`.
        if (buckets.length === 0) buckets = await bucketsOf(index)
        return rangeOfAll(index, buckets, after, limit)
      },
      load: (members) => loadMembers(index, members),
      removeStale: (members) =>
        Promise.allSettled(members.map((member) => removeEntry(index, buckets, member))),
      isMeant: ({ record }) => isMeant(record),
    })
  }

  return {
    page,
    /** @param end epoch seconds at which the grant expires, unless it is extended */
    add: (entry: GrantEntry, end: number) =>
      addEntry(indexOf(entry.accountId), memberOf(entry), end, Date.now() / 1000),
    async remove(entry: GrantEntry): Promise<void> {
      const index = indexOf(entry.accountId)
      await removeEntry(index, await bucketsOf(index), memberOf(entry))
    },
    /** While the grants of these entries are loaded, the next entries are read. */
    async all(accountId: string): Promise<Pick<ListedGrants, 'items' | 'corrupt'>> {
      const index = indexOf(accountId)
      const buckets = await bucketsOf(index)
      const reads: ReturnType<typeof loadMembers>[] = []
      for (let members: string[] | undefined; !members || members.length === PAGE_SIZE;) {
        members = await rangeOfAll(index, buckets, members?.at(-1), PAGE_SIZE)
        const read = loadMembers(index, members)
        // If the loop fails at the next entries, `read` is never awaited. Without this handler, a failure of `read`
        // would then be an unhandled rejection.
        read.catch(() => {})
        reads.push(read)
      }
      const found = (await Promise.all(reads)).flat()
      const isCorrupt = (one: unknown): one is CorruptRecord => one instanceof CorruptRecord
      return {
        items: found.flatMap((one) => (one === undefined || isCorrupt(one) ? [] : one)),
        corrupt: found.filter(isCorrupt),
      }
    },
    /** All pages of the grants of an account. @param limit maximum number of grants on a page, 1 to 500 */
    async *pages(accountId: string, limit: number): AsyncIterable<ListedGrants> {
      for (let read: ListedGrants | undefined; !read || read.cursor !== undefined;) {
        read = await page(accountId, { cursor: read?.cursor, limit })
        yield read
      }
    },
    /**
     * With fewer than `MAX_GRANTS_OF_PAIR` grants in an account, no pair of person and application can exceed
     * the limit. The call starts to read the list of buckets, and the returned function reads the entries. It
     * resolves with false too if the store is unavailable.
     */
    startLimitCheck(accountId: string): () => Promise<boolean> {
      const index = indexOf(accountId)
      const buckets = bucketsOf(index)
      buckets.catch(() => {})
      const check = async () =>
        (await rangeOfAll(index, await buckets, undefined, MAX_GRANTS_OF_PAIR)).length === MAX_GRANTS_OF_PAIR
      return () => check().catch(() => false)
    },
    /** All grants of a pair in use except the newest `MAX_GRANTS_OF_PAIR`, the oldest first. */
    listOverLimit: (pair: GrantPair) => listOverLimit(indexOf(pair.accountId), load, pair),
  }
}

/** The grants of the index entries `members`, in the same order; undefined for an entry without an active grant. */
async function loadGrants(
  { store, name }: BucketedIndex,
  load: LoadGrants,
  members: readonly string[],
): Promise<(ListedGrant | CorruptRecord | undefined)[]> {
  const grantIds = members.map((member) => grantIdOf(readMember(store, name, member)))
  const records = await load(grantIds)
  return grantIds.map((grantId, at) => {
    const record = records[at]
    if (record instanceof CorruptRecord) return record
    // The record of a grant is written before its index entry. So if an entry has no record, its grant has
    // expired or was deleted.
    return isActive(record) ? { grantId, record } : undefined
  })
}

/** Whether grants that expire at these times, in epoch seconds, are listed in the same bucket. */
export function isSameBucket(one: number, other: number): boolean {
  return bucketOf(BUCKETS, one) === bucketOf(BUCKETS, other)
}

function bucketsOf(index: BucketedIndex): Promise<number[]> {
  return listBuckets(index, Date.now() / 1000)
}

/** In ascending order, without duplicates. */
async function rangeOfAll(
  index: BucketedIndex,
  buckets: readonly number[],
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const members = await Promise.all(buckets.map((bucket) => rangeOfBucket(index, bucket, { after, limit })))
  return [...new Set(members.flat())].toSorted().slice(0, limit)
}

function memberOf(entry: GrantEntry): string {
  return timedMember(entry.listedAt, entry.grantId + tagOf(entry))
}

function grantIdOf(id: string): string {
  return id.split(':')[0] ?? ''
}

/**
 * With this text, `listOverLimit` finds the entries of a pair without reading records of other pairs. Two
 * pairs may have the same text by chance. So `isInUseOf` also compares the records. The text is short,
 * because Redis needs more memory for a list with an entry above 64 bytes.
 */
function tagOf({ accountId, userId, clientId }: GrantPair): string {
  return `:${digest(JSON.stringify([accountId, userId ?? null, clientId])).slice(0, 6)}`
}

async function listOverLimit(index: BucketedIndex, load: LoadGrants, pair: GrantPair): Promise<string[]> {
  const buckets = await bucketsOf(index)
  const tag = tagOf(pair)
  const grantIds: string[] = []
  for (let members: string[] | undefined; !members || members.length === PAGE_SIZE;) {
    members = await rangeOfAll(index, buckets, members?.at(-1), PAGE_SIZE)
    const ofPair = members.filter((member) => member.endsWith(tag))
    grantIds.push(...ofPair.map((member) => grantIdOf(readMember(index.store, index.name, member))))
  }
  if (grantIds.length <= MAX_GRANTS_OF_PAIR) return []
  const records = await load(grantIds)
  return grantIds.filter((_, at) => isInUseOf(records[at], pair)).slice(0, -MAX_GRANTS_OF_PAIR)
}

function isInUseOf(record: GrantRecord | CorruptRecord | undefined, pair: GrantPair): boolean {
  if (record instanceof CorruptRecord || !isActive(record) || record.listedAt === undefined) return false
  const { accountId, userId, clientId } = record
  return accountId === pair.accountId && userId === pair.userId && clientId === pair.clientId
}
