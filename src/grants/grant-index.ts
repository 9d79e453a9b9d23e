import { addEntry, bucketOf, openBuckets, type BucketedIndex } from '../store/bucketed-index.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { membersOf, pagesOf, readMembers } from '../store/pages-of-index.ts'
import {
  eachPage,
  readMember,
  readPage,
  timedMember,
  type ListOptions,
  type RecordList,
} from '../store/time-index.ts'
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

const DAY_SECONDS = 86_400

const BUCKETS = { spanSeconds: 30 * DAY_SECONDS, slackSeconds: DAY_SECONDS }

type LoadGrants = (grantIds: readonly string[]) => Promise<(GrantRecord | CorruptRecord | undefined)[]>

/**
 * Lists the grants of each account that are in use: their authorization codes were exchanged. The oldest comes first.
 *
 * A bucket contains the entries of all grants that expire within the same 30 days, after which the store deletes it. If
 * a grant is extended beyond that, its entry is added to a later bucket before its record changes. So every usable
 * grant is listed.
 */
export function createGrantIndex({ store, load }: { store: Store; load: LoadGrants }) {
  const indexOf = (accountId: string): BucketedIndex => ({
    store,
    // The host's account ids may have any length and any characters, so they are hashed.
    name: `grants:of:${digest(accountId)}`,
    ...BUCKETS,
  })
  const open = (accountId: string) => openBuckets(indexOf(accountId))
  const grantIdsOf = (index: string, members: readonly string[]) =>
    members.map((member) => readMember(store, index, member).split(':')[0] ?? '')

  /** In the order of the members; undefined for a member without an active grant. */
  async function loadGrants(index: string, members: readonly string[]) {
    const grantIds = grantIdsOf(index, members)
    const records = await load(grantIds)
    return grantIds.map((grantId, at): ListedGrant | CorruptRecord | undefined => {
      const record = records[at]
      if (record instanceof CorruptRecord) return record
      // The record of a grant is written before its index entry, so this one has expired or was deleted.
      return isActive(record) ? { grantId, record } : undefined
    })
  }

  async function page(
    accountId: string,
    options: ListOptions,
    isMeant: (record: GrantRecord) => boolean = () => true,
  ): Promise<ListedGrants> {
    const entries = open(accountId)
    return readPage<ListedGrant>(options, {
      ...entries,
      load: (members) => loadGrants(entries.index, members),
      removeStale: (members) => Promise.allSettled(members.map(entries.remove)),
      isMeant: ({ record }) => isMeant(record),
    })
  }

  return {
    page,
    /** @param end epoch seconds at which the grant expires, unless it is extended */
    add: (entry: GrantEntry, end: number) =>
      addEntry(indexOf(entry.accountId), memberOf(entry), end, Date.now() / 1000),
    remove: (entry: GrantEntry) => open(entry.accountId).remove(memberOf(entry)),
    /** While the grants of these entries are loaded, the next entries are read. */
    async all(accountId: string): Promise<Pick<ListedGrants, 'items' | 'corrupt'>> {
      const { reader, index } = open(accountId)
      const reads: ReturnType<typeof loadGrants>[] = []
      for await (const members of pagesOf(reader, index)) {
        const read = loadGrants(index, members)
        // If the loop fails at the next entries, `read` is never awaited.
        read.catch(() => {})
        reads.push(read)
      }
      const found = (await Promise.all(reads)).flat()
      return {
        items: found.flatMap((one) => (one === undefined || one instanceof CorruptRecord ? [] : one)),
        corrupt: found.filter((one) => one instanceof CorruptRecord),
      }
    },
    /** @param limit of a page, 1 to 500 */
    pages: (accountId: string, limit: number) => eachPage((cursor) => page(accountId, { cursor, limit })),
    /**
     * Whether a pair of person and application may exceed the limit: with fewer than `MAX_GRANTS_OF_PAIR` grants in the
     * account, none can. The call starts to read the list of buckets. False too if the store is unavailable.
     */
    startLimitCheck(accountId: string): () => Promise<boolean> {
      const { buckets, reader, index } = open(accountId)
      buckets().catch(() => {})
      const limit = MAX_GRANTS_OF_PAIR
      const check = async () => (await readMembers(reader, index, { limit })).length === limit
      return () => check().catch(() => false)
    },
    /** All grants of a pair in use except the newest `MAX_GRANTS_OF_PAIR`, the oldest first. */
    async listOverLimit(pair: GrantPair): Promise<string[]> {
      const { reader, index } = open(pair.accountId)
      const members = await membersOf(reader, index)
      const ofPair = members.filter((member) => member.endsWith(tagOf(pair)))
      const grantIds = grantIdsOf(index, ofPair)
      if (grantIds.length <= MAX_GRANTS_OF_PAIR) return []
      const records = await load(grantIds)
      return grantIds.filter((_, at) => isInUseOf(records[at], pair)).slice(0, -MAX_GRANTS_OF_PAIR)
    },
  }
}

/** For two expiries, in epoch seconds. */
export function isSameBucket(one: number, other: number): boolean {
  return bucketOf(BUCKETS, one) === bucketOf(BUCKETS, other)
}

function memberOf(entry: GrantEntry): string {
  return timedMember(entry.listedAt, entry.grantId + tagOf(entry))
}

/**
 * With it, `listOverLimit` reads the records of hardly any other pair. Two pairs may have the same text by chance: it
 * is short, because Redis needs more memory for a list with an entry above 64 bytes.
 */
function tagOf({ accountId, userId, clientId }: GrantPair): string {
  return `:${digest(JSON.stringify([accountId, userId ?? null, clientId])).slice(0, 6)}`
}

function isInUseOf(record: GrantRecord | CorruptRecord | undefined, pair: GrantPair): boolean {
  if (record instanceof CorruptRecord || !isActive(record) || record.listedAt === undefined) return false
  const { accountId, userId, clientId } = record
  return accountId === pair.accountId && userId === pair.userId && clientId === pair.clientId
}
