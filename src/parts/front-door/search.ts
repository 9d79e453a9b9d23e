import type { Client } from '../../clients/client.ts'
import type { FoundAccount } from '../../host/accounts.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { findClients } from './clients-named-in-list.ts'

/** Of clients. Of accounts and users together, the same. */
const MAX_FOUND = 20

export const MAX_SEARCH_LENGTH = 600

export interface Found {
  readonly clients: readonly Client[]
  readonly accounts: readonly FoundAccount[]
}

/**
 * Finds clients by id or by beginnings of words of their names, and accounts and users (`account/user`) by id or by the
 * host's `accounts.search`. Results whose id is exactly `text` come first.
 */
export async function search(parts: Internals, text: string): Promise<Found> {
  const { accounts, searchByName } = parts
  const slash = text.lastIndexOf('/')
  const user = slash > 0 && slash < text.length - 1 && [text.slice(0, slash), text.slice(slash + 1)]
  const [clients, named, account, person, found = []] = await Promise.all([
    // A client with a metadata document has no account and no page, so it is not looked up.
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
  const others = named.filter(({ clientId }) => !clients.has(clientId))
  return {
    clients: [...clients.values(), ...others].slice(0, MAX_FOUND),
    accounts: [...holders, ...found.filter((each) => !isListed(each))].slice(0, MAX_FOUND),
  }
}

function nameOf(claims: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const name = claims?.['name']
  return typeof name === 'string' ? name : undefined
}
