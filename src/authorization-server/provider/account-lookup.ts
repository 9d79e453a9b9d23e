import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { findOnce } from '../../host/find-once.ts'
import { personOf, type Person } from '../../host/subject.ts'
import { accountClaims } from './claims.ts'
import { requestState } from './request-state.ts'

export function createAccountLookup(accounts: HostAccounts, settings: { readonly claimsInIdToken: boolean }) {
  function find(ctx: KoaContextWithOIDC, person: Person): Promise<Account | undefined> {
    return findOnce(accounts, requestState(ctx).accounts, person)
  }

  return {
    find,
    /** Finds an account with its claims for oidc-provider, whose account ids are our subjects. */
    async findAccount(ctx: KoaContextWithOIDC, subject: string) {
      const account = await find(ctx, personOf(subject))
      if (!account) return undefined
      return {
        accountId: subject,
        claims: (use: string) =>
          accountClaims(account, subject, use !== 'id_token' || settings.claimsInIdToken),
      }
    },
  }
}

/** Looks up accounts at the host, each account once per request, and gives oidc-provider their claims. */
export type AccountLookup = ReturnType<typeof createAccountLookup>
