import type { Account } from './accounts.ts'
import type { HostAccounts } from './host-accounts.ts'
import type { Person } from './subject.ts'

/** What the host has answered to one request, by account and user id. */
export type KnownAccounts = Map<string, Promise<Account | undefined>>

/** `accounts.find`, but the host is asked only once for each account and each user. */
export function findOnce(
  accounts: Pick<HostAccounts, 'find'>,
  known: KnownAccounts,
  { accountId, userId }: Person,
): Promise<Account | undefined> {
  // No account ID is read as a list: it begins with another character.
  const key = userId === undefined ? `account ${accountId}` : JSON.stringify([accountId, userId])
  const answer = known.get(key) ?? accounts.find(accountId, userId)
  known.set(key, answer)
  return answer
}
