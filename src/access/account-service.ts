import type { CurrentCatalog } from '../catalog/catalog.ts'
import { applicationScopes, directScopes } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Client } from '../clients/client.ts'
import type { ChangeOptions } from '../clients/client-service-types.ts'
import { checkChange } from '../clients/client-repository.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { checkInput } from '../validation/check-input.ts'
import { optional, textRule } from '../validation/rules.ts'
import { partialFailure, CorruptRecord } from '../store/corrupt-record.ts'
import type { GrantsOfUsers } from '../grants/grant-service.ts'
import type { RevokedAccess, RevokeAccount } from './revoke-account.ts'

/** What the host says about its accounts. */
export interface AccountService {
  /**
   * Says that `accounts.find` answers something else for an account than before, and revokes the access tokens
   * that it would not get any more:
   *
   * - all that have to do with it, if it is gone: of its API keys and applications, and of its grants;
   * - of an API key or application whose `userId` is not found any more, all;
   * - of its applications, those that carry an operation above its KYC level;
   * - what a user of the account has authorized who is not found any more, all. `find` is asked for each user of its
   *   grants in use once, for a few at a time.
   *
   * With `userId` it is about this user of the account alone: about the API keys and applications that they own, and
   * what they have authorized, codes that have not been exchanged yet included.
   *
   * All others stay good, so it does no harm where nothing has changed. New tokens go by what `find` answers in any
   * case; this is about those that are out already. Call it after the change is in force.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE` (call it again); `ERR_HOST_CALLBACK` if
   *   `find` answers what cannot be, or if the host keeps the clients and `registry` has no `list`; what `find` throws.
   *   `ERR_STORE_CORRUPT` at the end, if a record of the account in the store cannot be read: all else has been taken
   *   back by then. Of an API key or application that cannot be read nothing is, unless the account is gone:
   *   `tokens.revokeAll({ clientId })` takes its tokens back
   */
  changed(accountId: string, options?: AccountChangeOptions): Promise<RevokedAccess>
}

/** Options of `accounts.changed`. */
export interface AccountChangeOptions extends ChangeOptions {
  /** The user of the account whom the host changed or removed. @default the account and all of its users */
  readonly userId?: string | undefined
}

/** What is said where something of an account cannot be read. */
const DONE =
  'All else of the account was gone through; call it again once these are put right, or tokens.revokeAll({ clientId }) where they are API keys or applications'

/** Users whom the host is asked for at once. */
const USERS_AT_A_TIME = 5

/** Those of the users whom the host does not find. */
async function usersGone(
  userIds: readonly string[],
  find: (userId: string) => Promise<Account | undefined>,
): Promise<string[]> {
  const gone: string[] = []
  for (let at = 0; at < userIds.length; at += USERS_AT_A_TIME) {
    const asked = userIds.slice(at, at + USERS_AT_A_TIME)
    const found = await Promise.all(asked.map(find))
    gone.push(...asked.filter((_, index) => found[index] === undefined))
  }
  return gone
}

export function createAccountService({
  accounts,
  catalog,
  clientTokens,
  revokeAccount,
  grantsOfUsers,
}: {
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly catalog: CurrentCatalog
  readonly clientTokens: Pick<ClientTokens, 'revokeAll' | 'revokeScopes'>
  readonly revokeAccount: RevokeAccount
  readonly grantsOfUsers: GrantsOfUsers
}): AccountService {
  /** Operations of its products that are above the level of its developer. */
  function aboveLevel(application: Client, kycLevel: string | undefined): string[] {
    const allowed = new Set(applicationScopes(catalog.current, application, kycLevel))
    return directScopes(catalog.current, application).filter((scope) => !allowed.has(scope))
  }

  async function takeBack(client: Client, owner: Account | undefined, options: ChangeOptions) {
    const { clientId } = client
    if (!owner) {
      await clientTokens.revokeAll(clientId, options)
      return true
    }
    const scopes = client.kind === 'application' ? aboveLevel(client, owner.kycLevel) : []
    if (scopes.length === 0) return false
    await clientTokens.revokeScopes(clientId, scopes, options)
    return true
  }

  return {
    async changed(accountId, options = {}) {
      checkInput('the account cannot be looked at', { accountId }, { accountId: textRule })
      checkChange('accounts.changed', options, { userId: optional(textRule) })
      const { userId: only, ...change } = options

      // As a token request asks: for the user of the account who owns the client, or gave the grant, each once.
      const found = new Map<string | undefined, Promise<Account | undefined>>()
      const find = (userId: string | undefined) => {
        const account = found.get(userId) ?? Promise.resolve(accounts.find(accountId, userId))
        found.set(userId, account)
        return account
      }
      if (only === undefined && !(await find(undefined))) return revokeAccount.revokeAll(accountId, change)

      const { clients, errors } = await revokeAccount.ofClients(accountId, async (client) => {
        if (client instanceof CorruptRecord) throw client.error
        if (only !== undefined && client.userId !== only) return false
        return takeBack(client, await find(client.userId), change)
      })
      const known =
        only === undefined ? await grantsOfUsers.users(accountId) : { userIds: [only], errors: [] }
      const gone = await usersGone(known.userIds, find)
      const ended =
        gone.length > 0 ? await grantsOfUsers.revoke(accountId, gone, change) : { count: 0, errors: [] }
      const all = [...errors, ...known.errors, ...ended.errors]
      if (all.length > 0) throw partialFailure(all, DONE)
      return { clients, grants: ended.count }
    },
  }
}
