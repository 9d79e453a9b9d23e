import type { Account } from './accounts.ts'
import type { HostAccounts } from './host-accounts.ts'

/** `accounts.find`, but the host is asked only once for each account and each user. Use it for one request. */
export function findOnce(accounts: Pick<HostAccounts, 'find'>) {
  const asked = new Map<string, Promise<Account | undefined>>()
  return function find(accountId: string, userId: string | undefined): Promise<Account | undefined> {
    const key = JSON.stringify([accountId, userId])
    const answer = asked.get(key) ?? accounts.find(accountId, userId)
    asked.set(key, answer)
    return answer
  }
}
