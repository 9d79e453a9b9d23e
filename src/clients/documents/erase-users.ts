import type { ErasedPeople } from '../../audit/erase-entry.ts'
import { possiblePeopleOf } from '../../host/actor.ts'
import { personOf, type Person, subjectOf, usersPrefixOf } from '../../host/subject.ts'
import type { Store } from '../../store/contract.ts'
import { CorruptRecord } from '../../store/corrupt-record.ts'
import { hostRecords } from './blocked-hosts.ts'
import { createStoredDocuments } from './stored-documents.ts'

const PAGE_SIZE = 500

/** Removes people from the users of approved documents. @param isMeant selects people of the account */
export async function eraseDocumentUsers(
  store: Store,
  accountId: string,
  isMeant: (person: Person, clientId: string) => boolean | Promise<boolean>,
): Promise<void> {
  const documents = createStoredDocuments(store)
  const prefix = usersPrefixOf(accountId)

  async function eraseFrom(clientId: string): Promise<void> {
    if (await isMeant({ accountId }, clientId)) await documents.removeUser(clientId, subjectOf({ accountId }))
    for (let after: string | undefined = prefix; after !== undefined;) {
      const users: readonly string[] = await documents.users(clientId, after)
      const own = users.filter((subject) => subject.startsWith(prefix))
      for (const subject of own) {
        if (await isMeant(personOf(subject), clientId)) await documents.removeUser(clientId, subject)
      }
      // The users of an account follow each other in the index.
      after = own.length === users.length ? own.at(-1) : undefined
    }
  }

  for (let after: string | undefined, isLast = false; !isLast;) {
    const clientIds: readonly string[] = await documents.list(after, PAGE_SIZE)
    await Promise.all(clientIds.map(eraseFrom))
    after = clientIds.at(-1)
    isLast = clientIds.length < PAGE_SIZE
  }
}

/** Removes the names of people who blocked hosts. The hosts stay blocked. */
export async function eraseBlockers(store: Store, people: ErasedPeople): Promise<void> {
  const hosts = hostRecords(store)
  for await (const records of hosts.pages()) {
    for (const record of records) {
      if (record instanceof CorruptRecord || record.blockedBy === undefined) continue
      const { origin, blockedBy, blockedAt } = record
      if (!possiblePeopleOf(blockedBy).some((person) => people.covers(person, blockedAt * 1000))) continue
      await hosts.update(origin, (stored) =>
        stored.blockedBy === blockedBy ? { ...stored, blockedBy: undefined } : stored,
      )
    }
  }
}
