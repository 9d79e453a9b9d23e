import type { ErasedPeople } from '../../audit/erase-entry.ts'
import { possiblePeopleOf } from '../../host/actor.ts'
import { personOf, type Person, subjectOf, usersPrefixOf } from '../../host/subject.ts'
import type { Store } from '../../store/contract.ts'
import { hostRecords } from './blocked-hosts.ts'
import { createStoredDocuments } from './stored-documents.ts'

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
    for await (const own of documents.userPages(clientId, prefix)) {
      for (const subject of own) {
        if (await isMeant(personOf(subject), clientId)) await documents.removeUser(clientId, subject)
      }
    }
  }

  for await (const clientIds of documents.pages()) await Promise.all(clientIds.map(eraseFrom))
}

/** Removes the names of people who blocked hosts. The hosts stay blocked. */
export async function eraseBlockers(store: Store, people: ErasedPeople): Promise<void> {
  const hosts = hostRecords(store)
  for await (const { items } of hosts.pages()) {
    for (const { record } of items) {
      const { origin, blockedBy, blockedAt } = record
      if (blockedBy === undefined) continue
      if (!possiblePeopleOf(blockedBy).some((person) => people.covers(person, blockedAt * 1000))) continue
      await hosts.update(origin, (stored) =>
        stored.blockedBy === blockedBy ? { ...stored, blockedBy: undefined } : stored,
      )
    }
  }
}
