import type { FindAccount, KoaContextWithOIDC } from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { personOf, type Person } from '../../host/subject.ts'
import { requestState } from './request-state.ts'

/** Looks accounts up at the host, each once a request. */
export interface FindAccounts {
  /** The account, or undefined if the host has none such (any more). */
  find(ctx: KoaContextWithOIDC, person: Person): Promise<Account | undefined>
  /** The same, in oidc-provider's terms: its account ids are subjects. */
  readonly findAccount: FindAccount
}

/** Makes the look-ups that all decisions about one request share. */
export function createHostAccounts(accounts: HostAccounts): FindAccounts {
  function find(ctx: KoaContextWithOIDC, { accountId, userId }: Person): Promise<Account | undefined> {
    const known = requestState(ctx).accounts
    const key = JSON.stringify([accountId, userId ?? null])
    const account = known.get(key) ?? Promise.resolve(accounts.find(accountId, userId))
    known.set(key, account)
    return account
  }

  return {
    find,
    async findAccount(ctx, subject) {
      const person = personOf(subject)
      const account = await find(ctx, person)
      if (!account) return undefined
      const who = { sub: subject, account_id: person.accountId, user_id: person.userId }
      return {
        accountId: subject,
        // Claims about the person are for the user info endpoint; an ID token says who it is, no more.
        claims: (use) => ({ ...(use === 'id_token' ? {} : account.claims), ...who }),
      }
    },
  }
}
