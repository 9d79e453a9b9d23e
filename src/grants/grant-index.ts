import type { Person } from '../host/subject.ts'
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
import { idOfMember, readPage, timedMember, type ListOptions, type RecordList } from '../store/time-index.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { isActive, type GrantRecord } from './grant-record.ts'

/** A person, and an application that the person authorizes. */
export interface GrantPair extends Person {
  readonly clientId: string
}

/** The entry of a grant in the list of its account. */
export interface GrantEntry extends GrantPair {
  readonly grantId: string
  /** Milliseconds since the epoch. */
  readonly listedAt: number
}

/** A grant with its record. */
export interface ListedGrant {
  readonly grantId: string
  readonly record: GrantRecord
}

/** A page of the grants of an account. */
export type ListedGrants = RecordList<ListedGrant>

/** Maximum number of grants in use that one person may have for one application. */
const PAIR_LIMIT = 100

const PAGE_SIZE = 1000

const DAY_SECONDS = 86_400

const BUCKETS = { spanSeconds: 30 * DAY_SECONDS, slackSeconds: DAY_SECONDS }

type LoadGrants = (grantIds: readonly string[]) => Promise<(GrantRecord | CorruptRecord | undefined)[]>

/**
 * The grants of each account that are in use, in the order in which they were made, to the second.
 *
 * An entry stands in the bucket of the time at which its grant expires. When a grant is extended, its entry is added to
 * a later bucket before the record changes, and also stays in the earlier buckets. So every usable grant is listed, and
 * expired entries are deleted with their buckets.
 *
 * @param load reads the records of grant ids, in their order, undefined where absent
 */
export function createGrantIndex({ store, load }: { store: Store; load: LoadGrants }) {
  const indexOf = (accountId: string): BucketedIndex => ({
    store,
    // The host's account ids may have any length and any characters, so they are hashed.
    name: `grants:of:${digest(accountId)}`,
    ...BUCKETS,
  })

  /**
   * @param isMeant whether a grant belongs on the page. @default all grants belong on the page
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options
   */
  async function page(
    accountId: string,
    options: ListOptions,
    isMeant: (record: GrantRecord) => boolean = () => true,
  ): Promise<ListedGrants> {
    const index = indexOf(accountId)
    let buckets: number[] = []
    return readPage<ListedGrant>(options, {
      async range({ after, limit }) {
        // Reads the buckets once for each page, after the options were checked.
        if (buckets.length === 0) buckets = await bucketsOf(index)
        return rangeOfAll(index, buckets, after, limit)
      },
      async load(members) {
        const records = await load(members.map(grantIdOf))
        return members.map((member, at) => {
          const record = records[at]
          if (record instanceof CorruptRecord) return record
          // A record is written before its entry, so a grant without a record has expired or was deleted.
          return isActive(record) ? { grantId: grantIdOf(member), record } : undefined
        })
      },
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
    /** All pages of an account. @param limit grants on a page, 1 to 500 */
    async *pages(accountId: string, limit: number): AsyncIterable<ListedGrants> {
      for (let read: ListedGrants | undefined; !read || read.cursor !== undefined;) {
        read = await page(accountId, { cursor: read?.cursor, limit })
        yield read
      }
    },
    /**
     * Begins to count the grants of an account.
     *
     * @returns a function that resolves, after a second round trip, with whether any pair of this account may exceed the
     *   limit. It resolves with false if the store is unavailable
     */
    startLimitCheck(accountId: string): () => Promise<boolean> {
      const index = indexOf(accountId)
      const buckets = bucketsOf(index)
      buckets.catch(() => {})
      const check = async () =>
        (await rangeOfAll(index, await buckets, undefined, PAIR_LIMIT)).length === PAIR_LIMIT
      return () => check().catch(() => false)
    },
    /** The ids of the grants in use by which a pair exceeds its limit, the oldest first. */
    async listOverLimit(pair: GrantPair): Promise<string[]> {
      const index = indexOf(pair.accountId)
      const buckets = await bucketsOf(index)
      const tag = tagOf(pair)
      const grantIds: string[] = []
      for (let members: string[] | undefined; !members || members.length === PAGE_SIZE;) {
        members = await rangeOfAll(index, buckets, members?.at(-1), PAGE_SIZE)
        grantIds.push(...members.filter((member) => member.endsWith(tag)).map(grantIdOf))
      }
      if (grantIds.length <= PAIR_LIMIT) return []
      const records = await load(grantIds)
      return grantIds.filter((_, at) => isInUseOf(records[at], pair)).slice(0, -PAIR_LIMIT)
    },
  }
}

/** Whether grants that expire at two times, in epoch seconds, stand in the same bucket. */
export function isSameBucket(one: number, other: number): boolean {
  return bucketOf(BUCKETS, one) === bucketOf(BUCKETS, other)
}

function bucketsOf(index: BucketedIndex): Promise<number[]> {
  return listBuckets(index, Date.now() / 1000)
}

/** Entries of all buckets in ascending order, each once. */
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

function grantIdOf(member: string): string {
  return idOfMember(member).split(':')[0] ?? ''
}

/** The text with which all members of a pair end, so that the members can be counted without their records. */
function tagOf({ accountId, userId, clientId }: GrantPair): string {
  return `:${digest(JSON.stringify([accountId, userId ?? null, clientId])).slice(0, 8)}`
}

function isInUseOf(record: GrantRecord | CorruptRecord | undefined, pair: GrantPair): boolean {
  if (record instanceof CorruptRecord || !isActive(record) || record.listedAt === undefined) return false
  const { accountId, userId, clientId } = record
  return accountId === pair.accountId && userId === pair.userId && clientId === pair.clientId
}
