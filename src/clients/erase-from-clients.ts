import type { ErasedPeople } from '../audit/erase-entry.ts'
import { ERASED_USER } from '../host/subject.ts'
import type { Store } from '../store/contract.ts'
import { readMember } from '../store/time-index.ts'
import { clientIndexName, idOfWord, NAME_WORDS } from './index-entries.ts'
import { createClientLists, KINDS, PAGE_SIZE } from './client-index.ts'
import { clientRecords, isDeleted, storedClients, type ClientRecord } from './client-record.ts'
import type { Client } from './client.ts'

/** Removes erased people from clients that stay, and deleted clients from lists. */
export function createClientErasure(store: Store) {
  const stored = storedClients(store)

  async function removeFrom(name: string, idOf: (member: string) => string): Promise<void> {
    for await (const { items } of stored.pages(name, { idOf, limit: PAGE_SIZE })) {
      const deleted = items.filter(({ record }) => isDeleted(record))
      await Promise.all(deleted.map(({ member }) => store.remove(name, member)))
    }
  }

  return {
    pages: createClientLists<Client>(store).pages,

    /** The name of such a list contains the account id. The store deletes a list that is empty. */
    async removeDeleted(accountId: string): Promise<void> {
      for (const kind of KINDS) {
        const name = clientIndexName(kind, accountId)
        await removeFrom(name, (member) => readMember(store, name, member))
      }
    },
    /** A failed rename or deletion may have left such words. */
    removeDeletedNames: () => removeFrom(NAME_WORDS, idOfWord),
    eraseUsers: (clientId: string, people: ErasedPeople) =>
      clientRecords(store).update(clientId, (record) => withoutErased(record, people)),
  }
}

export type ClientErasure = ReturnType<typeof createClientErasure>

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
