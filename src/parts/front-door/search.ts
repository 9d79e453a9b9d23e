import type { Client } from '../../clients/client.ts'
import type { FoundAccount } from '../../host/accounts.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { findClients } from './clients-named-in-list.ts'

/** The maximum number of clients in a result. Accounts and users together have the same maximum. */
const MAX_FOUND = 20

/** The longest text of a search. */
export const MAX_SEARCH_LENGTH = 600

/** What a search of an operator found. */
export interface Found {
  readonly clients: readonly Client[]
  readonly accounts: readonly FoundAccount[]
}

/**
 * Finds clients by id, or by the beginnings of words of their names. Finds accounts and users by id, or by the host's
 * `accounts.search`. The id of a user is written `account/user`. Results whose id is exactly `text` come first.
 *
 * @throws {GatehouseError} the errors of `accounts.find` and `accounts.search`
 */
export async function search(parts: Internals, text: string): Promise<Found> {
  const { accounts, searchByName } = parts
  const slash = text.lastIndexOf('/')
  const user = slash > 0 && slash < text.length - 1 && [text.slice(0, slash), text.slice(slash + 1)]
  const [clients, named, account, person, found = []] = await Promise.all([
    // An application with a metadata document has no account, and no page of its own.
    findClients(parts, isDocumentId(text) ? [] : [{ clientId: text }]),
    searchByName(text, MAX_FOUND),
    accounts.find(text),
    user && accounts.find(user[0] ?? '', user[1]),
    accounts.search?.(text),
  ])
  const holders: FoundAccount[] = [
    ...(account ? [{ accountId: text, name: nameOf(account.claims) }] : []),
    ...(user && person ? [{ accountId: person.id, userId: user[1], name: nameOf(person.claims) }] : []),
  ]
  const isListed = (each: FoundAccount) =>
    holders.some(({ accountId, userId }) => accountId === each.accountId && userId === each.userId)
  return {
    clients: [...clients.values(), ...named.filter(({ clientId }) => !clients.has(clientId))].slice(
      0,
      MAX_FOUND,
    ),
    accounts: [...holders, ...found.filter((each) => !isListed(each))].slice(0, MAX_FOUND),
  }
}

function nameOf(claims: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = claims?.['name']
  return typeof name === 'string' ? name : undefined
}
