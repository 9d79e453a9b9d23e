import type { AuditEntry } from '../../../audit/entry.ts'
import { actorOf, personOfActor } from '../../../host/actor.ts'
import type { HostAccounts } from '../../../host/host-accounts.ts'
import type { Person } from '../../../host/subject.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'

/** In characters: a longer name may break. */
const WHOLE = 24

export type People = (person: Person) => Html

/** Looks up the names of people, each person once. Without a name, the id is shown. */
export async function findPeople(
  accounts: Pick<HostAccounts, 'find'>,
  people: readonly (Person | undefined)[],
): Promise<People> {
  const each = new Map(people.flatMap((person) => (person ? [[actorOf(person), person] as const] : [])))
  const found = await Promise.all(
    [...each].map(async ([id, { accountId, userId }]) => {
      // If the host fails, the page shows ids instead of names.
      const account = await accounts.find(accountId, userId).catch(() => undefined)
      return [id, account?.claims?.['name']] as const
    }),
  )
  const names = new Map(found)
  return (person) => {
    const id = actorOf(person)
    const known = names.get(id)
    const name =
      (typeof known === 'string' && displayText(known)) || displayText(person.userId ?? person.accountId)
    const isWhole = name.length <= WHOLE
    return html`<bdi ${isWhole && html`class="whole"`} title="${displayText(id)}">${name}</bdi>`
  }
}

export function personOf({ name, actor, accountId, userId }: AuditEntry): Person | undefined {
  if (actor !== undefined) return personOfActor(actor, accountId)
  return name.startsWith('consent.') && accountId !== undefined ? { accountId, userId } : undefined
}
