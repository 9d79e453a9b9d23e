import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { personOf, type Person } from '../../host/subject.ts'
import { userClaims } from './endpoints/userinfo.ts'
import { requestState } from './request-state.ts'

export function createAccountLookup(accounts: HostAccounts) {
  /** Finds an account; undefined if the host does not have this account. */
  function find(ctx: KoaContextWithOIDC, { accountId, userId }: Person): Promise<Account | undefined> {
    const known = requestState(ctx).accounts
    const key = JSON.stringify([accountId, userId ?? null])
    const account = known.get(key) ?? Promise.resolve(accounts.find(accountId, userId))
    known.set(key, account)
    return account
  }

  return {
    find,
    /**
     * Finds an account for oidc-provider, and adds its claims. oidc-provider passes one of our subjects as
     * the account id.
     */
    async findAccount(ctx: KoaContextWithOIDC, subject: string) {
      const account = await find(ctx, personOf(subject))
      return account && { accountId: subject, claims: (use: string) => userClaims(account, subject, use) }
    },
  }
}

/** Looks up accounts at the host, each account once per request. */
export type AccountLookup = ReturnType<typeof createAccountLookup>
