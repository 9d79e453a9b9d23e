import { setTimeout as delay } from 'node:timers/promises'
import type { ErasedPeople } from '../audit/erase-entry.ts'
import { ERASED_USER } from '../host/subject.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { readMember } from '../store/time-index.ts'
import { createClientIndex, clientIndexName } from './client-index.ts'
import { clientRecords, isDeleted, storedClients, type ClientRecord } from './client-record.ts'
import { idOfWord, NAME_WORDS } from './name-index.ts'

/** In the order in which they are walked. */
export const KINDS = ['apiKey', 'application'] as const

const PAGE_SIZE = 200

/** Of the page's duration, in the background: token requests need the store. */
const PAUSE_FACTOR = 29

type Page = readonly (ClientRecord | CorruptRecord)[]

/** Walks over the clients of one account, or of all accounts, for work in batches. */
export function createClientWalk(store: Store) {
  const { getEach, update } = clientRecords(store)
  const stored = storedClients(store)

  async function removeFrom(index: string, idOf: (member: string) => string): Promise<void> {
    for (let page: string[] | undefined; page === undefined || page.length === PAGE_SIZE;) {
      page = await store.range(index, { after: page?.at(-1), limit: PAGE_SIZE })
      const records = await stored.getEach(page.map(idOf))
      const deleted = page.filter((_, at) => {
        const record = records[at]
        return record !== undefined && !(record instanceof CorruptRecord) && isDeleted(record)
      })
      await Promise.all(deleted.map((member) => store.remove(index, member)))
    }
  }

  async function* pages(accountId: string | undefined): AsyncGenerator<Page> {
    for (const kind of KINDS) {
      const index = createClientIndex({ store, kind, load: getEach })
      let after: string | undefined
      do {
        const { items, corrupt, cursor } = await index.page(accountId, { cursor: after, limit: PAGE_SIZE })
        yield [...items, ...corrupt]
        after = cursor
      } while (after !== undefined)
    }
  }

  return {
    pages,

    /** In the background, with pauses. @throws the reason of `signal` */
    async *slowPages(signal: AbortSignal): AsyncGenerator<Page> {
      let began = performance.now()
      for await (const page of pages(undefined)) {
        signal.throwIfAborted()
        yield page
        const pause = page.length < PAGE_SIZE ? 0 : PAUSE_FACTOR * (performance.now() - began)
        if (pause > 0) await delay(pause, undefined, { signal, ref: false })
        began = performance.now()
      }
    },

    /** The name of such a list contains the account id. The store deletes a list that is empty. */
    async removeDeleted(accountId: string): Promise<void> {
      for (const kind of KINDS) {
        const index = clientIndexName(kind, accountId)
        await removeFrom(index, (member) => readMember(store, index, member))
      }
    },
    /** A failed rename or deletion may have left such words. */
    removeDeletedNames: () => removeFrom(NAME_WORDS, idOfWord),
    eraseUsers: (clientId: string, people: ErasedPeople) =>
      update(clientId, (record) => withoutErased(record, people)),
  }
}

export type ClientWalk = ReturnType<typeof createClientWalk>

/** The users who created the client, or know its secrets. Undefined if the record names none. */
export function withoutErased(record: ClientRecord, people: ErasedPeople): ClientRecord | undefined {
  const { client, secrets, listedAt } = record
  const { accountId, createdBy } = client
  const isErased = (userId: string | undefined, at: number) =>
    userId !== undefined && people.covers({ accountId, userId }, at)
  const isMaker = isErased(createdBy, listedAt)
  const isKnown = secrets.map(({ shownTo, createdAt }) => isErased(shownTo, createdAt * 1000))
  if (!isMaker && !isKnown.includes(true)) return undefined
  return {
    ...record,
    client: { ...client, ...(isMaker && { createdBy: ERASED_USER }) },
    // The record still says that a person who left knows the secret: it must be rotated.
    secrets: secrets.map((secret, at) => ({ ...secret, ...(isKnown[at] && { shownTo: ERASED_USER }) })),
  }
}
