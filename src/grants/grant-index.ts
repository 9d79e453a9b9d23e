import type { Person } from '../host/subject.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { checkedPage, idOfMember, timedMember, type ListOptions } from '../store/time-index.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { isLiving, type GrantRecord } from './grant-record.ts'

/** A person, and an application that they authorize. */
export interface GrantPair extends Person {
  readonly clientId: string
}

/** Where a grant stands in the list of its account. */
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

/** A part of the grants of an account. */
export interface ListedGrants {
  readonly items: ListedGrant[]
  /** What stands among them, and cannot be read. */
  readonly unreadable: readonly CorruptRecord[]
  /** What to hand over as `cursor` for the next page; undefined at the end. */
  readonly cursor?: string | undefined
}

/**
 * The grants of each account that are in use, in the order in which they were made, to the second.
 *
 * An entry stands on a shelf with all of its account that end in the same span of time; the store drops a shelf as a
 * whole when that is over. A grant that lives on is put on a later shelf before its record says so, and stays on the
 * others: so what can be used is always listed, and what is over leaves by itself.
 */
export interface GrantIndex {
  /** @param end epoch seconds at which the grant ends, unless it is prolonged again */
  add(entry: GrantEntry, end: number): Promise<void>
  remove(entry: GrantEntry): Promise<void>
  /**
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`
   */
  page(accountId: string, options: ListOptions): Promise<ListedGrants>
  /**
   * Begins to find out whether so many grants of the account are listed that one of its pairs may have too many.
   *
   * @returns goes on with it, in a second round trip; false where the store cannot be asked
   */
  crowding(accountId: string): () => Promise<boolean>
  /** The grants that are in use beyond the most that a pair may have, the oldest first. */
  surplusOf(pair: GrantPair): Promise<string[]>
}

/** Grants of one person for one application that are in use, at most. */
const MOST_OF_PAIR = 100

/** Members that are read at once to count those of a pair. */
const COUNTED_AT_ONCE = 1000

const DAY = 86_400
/** Seconds that one shelf covers. */
const SPAN = 30 * DAY
/** Seconds by which a shelf outlives what is on it, for clocks that differ. */
const SLACK = DAY
/** Shelves that are read at most; lifetimes have a limit. */
const BUCKETS = 1000

/** @param load the records of grant ids, in their order, undefined where absent */
export function createGrantIndex({
  store,
  load,
}: {
  readonly store: Store
  readonly load: (grantIds: readonly string[]) => Promise<(GrantRecord | CorruptRecord | undefined)[]>
}): GrantIndex {
  async function bucketsOf(accountId: string): Promise<string[]> {
    const index = indexOf(accountId)
    const members = await store.range(index, { limit: BUCKETS })
    // What others have put there names no shelf.
    const numbers = members.filter((member) => /^\d{6}$/.test(member))
    const over = numbers.filter(isOver)
    await tidy(over.map((number) => store.remove(index, number)))
    return numbers.filter((number) => !over.includes(number)).map((number) => `${index}:${number}`)
  }

  async function rangeOf(buckets: readonly string[], after: string | undefined, limit: number) {
    const members = await Promise.all(buckets.map((bucket) => store.range(bucket, { after, limit })))
    return [...new Set(members.flat())].toSorted().slice(0, limit)
  }

  return {
    async add(entry, end) {
      const index = indexOf(entry.accountId)
      const number = bucketOf(end)
      const ttl = Math.max(SLACK, (number + 1) * SPAN + SLACK - Math.floor(Date.now() / 1000))
      await Promise.all([
        store.add(index, pad(number), ttl),
        store.add(`${index}:${pad(number)}`, memberOf(entry), ttl),
      ])
    },

    async remove(entry) {
      const buckets = await bucketsOf(entry.accountId)
      await Promise.all(buckets.map((bucket) => store.remove(bucket, memberOf(entry))))
    },

    async page(accountId, options) {
      const { cursor: after, limit } = checkedPage(options)
      const buckets = await bucketsOf(accountId)
      const items: ListedGrant[] = []
      const unreadable: CorruptRecord[] = []
      let position = after
      while (items.length < limit) {
        const wanted = limit - items.length
        // One more than wanted tells whether there is a next page.
        const members = await rangeOf(buckets, position, wanted + 1)
        const taken = members.slice(0, wanted)
        const records = await load(taken.map(grantIdOf))
        const stale: string[] = []
        for (const [at, member] of taken.entries()) {
          const record = records[at]
          if (record instanceof CorruptRecord) unreadable.push(record)
          else if (isLiving(record)) items.push({ grantId: grantIdOf(member), record })
          // A record is there before its entry: without one it is over for good.
          else stale.push(member)
        }
        await tidy(stale.flatMap((member) => buckets.map((bucket) => store.remove(bucket, member))))
        if (members.length <= wanted) return { items, unreadable }
        position = taken.at(-1)
      }
      return { items, unreadable, cursor: position }
    },

    crowding(accountId) {
      const buckets = bucketsOf(accountId)
      buckets.catch(() => {})
      return () =>
        buckets
          .then((names) => rangeOf(names, undefined, MOST_OF_PAIR))
          .then(({ length }) => length === MOST_OF_PAIR)
          .catch(() => false)
    },

    async surplusOf(pair) {
      const buckets = await bucketsOf(pair.accountId)
      const tag = tagOf(pair)
      const grantIds: string[] = []
      for (let page: string[] | undefined; page === undefined || page.length === COUNTED_AT_ONCE;) {
        page = await rangeOf(buckets, page?.at(-1), COUNTED_AT_ONCE)
        grantIds.push(...page.filter((member) => member.endsWith(tag)).map(grantIdOf))
      }
      if (grantIds.length <= MOST_OF_PAIR) return []
      const records = await load(grantIds)
      const inUse = grantIds.filter((_, at) => isInUseOf(records[at], pair))
      return inUse.slice(0, -MOST_OF_PAIR)
    },
  }
}

/** Tidying up is no part of any question: the next reader tries again. */
async function tidy(removals: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(removals)
}

/** Account ids are the host's: of any length and alphabet. */
function indexOf(accountId: string): string {
  return `grants:of:${digest(accountId)}`
}

/** The shelf of what ends at a time, in epoch seconds. */
export function bucketOf(end: number): number {
  return Math.floor(end / SPAN)
}

function isOver(number: string): boolean {
  return (Number(number) + 1) * SPAN + SLACK < Date.now() / 1000
}

function pad(number: number): string {
  return String(number).padStart(6, '0')
}

function memberOf(entry: GrantEntry): string {
  return timedMember(entry.listedAt, entry.grantId + tagOf(entry))
}

function grantIdOf(member: string): string {
  return idOfMember(member).split(':')[0] ?? ''
}

/** What the members of a pair end with, so that they can be counted without their records. */
function tagOf({ accountId, userId, clientId }: GrantPair): string {
  return `:${digest(JSON.stringify([accountId, userId ?? null, clientId])).slice(0, 8)}`
}

function isInUseOf(record: GrantRecord | CorruptRecord | undefined, pair: GrantPair): boolean {
  if (record instanceof CorruptRecord || !isLiving(record) || record.listedAt === undefined) return false
  const { accountId, userId, clientId } = record
  return accountId === pair.accountId && userId === pair.userId && clientId === pair.clientId
}
