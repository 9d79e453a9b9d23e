import { isDeepStrictEqual } from 'node:util'
import type { Store } from '../store/contract.ts'
import {
  readMember,
  readPage,
  timedMember,
  timeOfMember,
  type ListOptions,
  type RecordList,
} from '../store/time-index.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'
import { expiryEntriesOf } from './expiry-notices.ts'
import { resourceServerEntriesOf } from './gateway-keys.ts'
import { nameEntriesOf } from './name-index.ts'
import { originEntriesOf } from './origin-index.ts'

/** A page of a list of clients. */
export interface ClientPage<T> {
  readonly items: T[]
  /** Pass it as `cursor` to read the next page. Undefined on the last page. */
  readonly cursor?: string | undefined
}

/** A new client has an entry before its record, but for a shorter time. */
const STALE_AFTER_MS = 3_600_000

/**
 * Lists the clients of one kind in order of creation: all of them, and those of each account. `entriesOf`
 * names the other indexes of a client.
 *
 * A new client is listed before its record is written, and a deleted client until its record is gone. So
 * every usable client is listed. Readers skip an entry without a record, and remove it when it is old.
 *
 * @param load returns the records in the order of the client ids; undefined for an absent record
 */
export function createClientIndex<C extends Client>({
  store,
  kind,
  load,
}: {
  store: Store
  kind: C['kind']
  load: (clientIds: readonly string[]) => Promise<(ClientRecord<C> | CorruptRecord | undefined)[]>
}) {
  /** Undefined if a member has no record, or one of another kind or `listedAt`. */
  async function recordsOf(
    index: string,
    members: readonly string[],
  ): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> {
    const records = await load(members.map((member) => readMember(store, index, member)))
    return records.map((record, position) => {
      if (record instanceof CorruptRecord) return record
      return record?.client.kind === kind && memberOf(record) === members[position] ? record : undefined
    })
  }

  return {
    async add(record: ClientRecord<C>): Promise<void> {
      await Promise.all(entriesOf(record).map((entry) => store.add(...entry)))
    },

    /** @param except a record with the same client id; the index entries of this record stay */
    async remove(record: ClientRecord<C>, except?: ClientRecord): Promise<void> {
      const kept = except ? entriesOf(except) : []
      const removed = entriesOf(record).filter(
        (entry) => !kept.some((each) => isDeepStrictEqual(each, entry)),
      )
      await Promise.all(removed.map((entry) => store.remove(...entry)))
    },

    /** @param accountId undefined for all clients */
    page(accountId: string | undefined, options: ListOptions): Promise<RecordList<ClientRecord<C>>> {
      const index = clientIndexName(kind, accountId)
      return readPage(options, {
        range: (from) => store.range(index, from),
        load: (members) => recordsOf(index, members),
        removeStale: (members) =>
          Promise.allSettled(members.filter(isStale).map((member) => store.remove(index, member))),
      })
    },

    /** At most `limit` clients of each kind are counted. */
    async count(accountId: string, limit: number): Promise<number> {
      const names = [clientIndexName('apiKey', accountId), clientIndexName('application', accountId)]
      const counts = await Promise.all(names.map((index) => countMembers(store, index, limit)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

/** A client that is being created or deleted may be missing. */
export async function clientIdsOf(store: Store, accountId: string): Promise<string[]> {
  const kinds = (['apiKey', 'application'] as const).map(async (kind) => {
    const index = clientIndexName(kind, accountId)
    const ids: string[] = []
    for (let page: string[] | undefined; page === undefined || page.length === PAGE_SIZE;) {
      page = await store.range(index, { after: page?.at(-1), limit: PAGE_SIZE })
      ids.push(...page.map((member) => readMember(store, index, member)))
    }
    return ids
  })
  return (await Promise.all(kinds)).flat()
}

const PAGE_SIZE = 1000

async function countMembers(store: Store, index: string, limit: number): Promise<number> {
  let count = 0
  let page: string[] = []
  do {
    const size = Math.min(PAGE_SIZE, limit - count)
    page = await store.range(index, { after: page.at(-1), limit: size })
    count += page.length
    if (page.length < size) break
  } while (count < limit)
  return count
}

/** @param accountId undefined for all accounts */
export function clientIndexName(kind: Client['kind'], accountId: string | undefined): string {
  return accountId === undefined ? `clients:${kind}` : `clients:${kind}:of:${accountId}`
}

function entriesOf(record: ClientRecord): [index: string, member: string][] {
  const { kind, accountId, clientId, name } = record.client
  return [
    [clientIndexName(kind, undefined), memberOf(record)],
    [clientIndexName(kind, accountId), memberOf(record)],
    ...nameEntriesOf(clientId, name),
    ...expiryEntriesOf(record.client),
    ...originEntriesOf(record.client),
    ...resourceServerEntriesOf(record.client),
  ]
}

function memberOf({ listedAt, client }: ClientRecord): string {
  return timedMember(listedAt, client.clientId)
}

function isStale(member: string): boolean {
  return Date.now() - timeOfMember(member) > STALE_AFTER_MS
}
