import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { countMembers, membersOf } from '../store/pages-of-index.ts'
import {
  eachPage,
  readMember,
  readPage,
  timedMember,
  timeOfMember,
  type ListOptions,
} from '../store/time-index.ts'
import { clientIndexName } from './index-entries.ts'
import { clientRecords, type ClientRecord } from './client-record.ts'
import type { Client } from './client.ts'

/** A page of a list of clients. */
export interface ClientPage<T> {
  readonly items: T[]
  /** Pass it as `cursor` to read the next page. Undefined on the last page. */
  readonly cursor?: string | undefined
}

/** In the order of lists of both kinds. */
export const KINDS = ['apiKey', 'application'] as const

/** Large pages need fewer consecutive reads of the store. */
export const PAGE_SIZE = 200

/** A new client has an entry before its record, but for a shorter time. */
const STALE_AFTER_MS = 3_600_000

/** Lists the clients of one kind in order of creation: all of them, and those of each account. */
export function createClientLists<C extends Client>(
  store: Store,
  load: (
    clientIds: readonly string[],
  ) => Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> = clientRecords<C>(store).getEach,
) {
  /** @param accountId undefined for all clients */
  function page(kind: Client['kind'], accountId: string | undefined, options: ListOptions) {
    const index = clientIndexName(kind, accountId)
    return readPage(options, {
      reader: store,
      index,
      load: (members) => loadMembers(kind, index, members),
      removeStale: (members) =>
        Promise.allSettled(members.filter(isStale).map((member) => store.remove(index, member))),
    })
  }

  async function loadMembers(kind: Client['kind'], index: string, members: readonly string[]) {
    const isOf = ({ client, listedAt }: ClientRecord, member: string | undefined) =>
      client.kind === kind && timedMember(listedAt, client.clientId) === member
    const records = await load(members.map((member) => readMember(store, index, member)))
    return records.map((record, at) =>
      record && (record instanceof CorruptRecord || isOf(record, members[at])) ? record : undefined,
    )
  }

  return {
    page,

    /** The newest clients of an account. Undefined if an entry has no sound record: `page` reports and removes it. */
    async newest(
      kind: Client['kind'],
      accountId: string,
      count: number,
      isWanted: (listedAt: number, clientId: string) => boolean,
    ): Promise<ClientRecord<C>[] | undefined> {
      const index = clientIndexName(kind, accountId)
      const members = (await membersOf(store, index)).filter((member) =>
        isWanted(timeOfMember(member), readMember(store, index, member)),
      )
      let start = Math.max(0, members.length - count)
      const timeAt = (at: number) => timeOfMember(members[at] ?? '')
      // The order of a page decides between clients of the same millisecond, so none of them is cut off.
      while (start > 0 && timeAt(start - 1) === timeAt(start)) start -= 1
      const records = await loadMembers(kind, index, members.slice(start))
      const isSound = (record: (typeof records)[number]) => record && !(record instanceof CorruptRecord)
      return records.every(isSound) ? (records as ClientRecord<C>[]) : undefined
    },

    async *pages(accountId: string | undefined, kinds: readonly Client['kind'][] = KINDS) {
      for (const kind of kinds)
        yield* eachPage((cursor) => page(kind, accountId, { cursor, limit: PAGE_SIZE }))
    },

    /** At most `limit` clients of each kind are counted. */
    async count(accountId: string, limit: number): Promise<number> {
      const counts = KINDS.map((kind) => countMembers(store, clientIndexName(kind, accountId), limit))
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
  }
}

/** A client that is being created or deleted may be missing. */
export async function clientIdsOf(store: Store, accountId: string): Promise<string[]> {
  const ids = KINDS.map(async (kind) => {
    const index = clientIndexName(kind, accountId)
    return (await membersOf(store, index)).map((member) => readMember(store, index, member))
  })
  return (await Promise.all(ids)).flat()
}

function isStale(member: string): boolean {
  return Date.now() - timeOfMember(member) > STALE_AFTER_MS
}
