import type { CurrentCatalog } from '../catalog/catalog.ts'
import { applicationScopes, directScopes } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import type { CheckedAccounts } from '../host/checked-accounts.ts'
import type { Client } from '../registry/client.ts'
import type { ChangeOptions } from '../registry/client-service.ts'
import { checkChange } from '../registry/clients.ts'
import type { ClientTokens } from '../registry/client-tokens.ts'
import { checkInput } from '../registry/input.ts'
import { doneInSpiteOf, Unreadable } from '../store/unreadable.ts'
import { anyIdRule } from './any-id.ts'
import type { RevokedAccess, TokensOfAccount } from './tokens-of-account.ts'

/** What the host says about its accounts. */
export interface AccountChanges {
  /**
   * Says that `accounts.find` answers something else for an account than before, and takes back the access tokens
   * that it would not get any more:
   *
   * - all that have to do with it, if it is gone: of its API keys and applications, and of its grants;
   * - of an API key or application whose `userId` is not found any more, all;
   * - of its applications, those that carry an operation above its KYC level.
   *
   * All others stay good, so it does no harm where nothing has changed. New tokens go by what `find` answers in any
   * case; this is about those that are out already. Call it after the change is in force.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE` (call it again); `ERR_HOST_CALLBACK` if
   *   `find` answers what cannot be, or if the host keeps the clients and `registry` has no `list`; what `find` throws.
   *   `ERR_STORE_RECORD` at the end, if a record of the account in the store cannot be read: all else has been taken
   *   back by then. Of an API key or application that cannot be read nothing is, unless the account is gone:
   *   `tokens.revokeAllOf({ clientId })` takes its tokens back
   */
  changed(accountId: string, options?: ChangeOptions): Promise<RevokedAccess>
}

/** What is said where something of an account cannot be read. */
const DONE =
  'The other API keys and applications of the account were gone through; call it again once these are put right, or tokens.revokeAllOf({ clientId }) for them'

export function createAccountChanges({
  accounts,
  catalog,
  clientTokens,
  tokensOfAccount,
}: {
  readonly accounts: Pick<CheckedAccounts, 'find'>
  readonly catalog: CurrentCatalog
  readonly clientTokens: Pick<ClientTokens, 'revokeAll' | 'revokeCarrying'>
  readonly tokensOfAccount: TokensOfAccount
}): AccountChanges {
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
    await clientTokens.revokeCarrying(clientId, scopes, options)
    return true
  }

  return {
    async changed(accountId, options = {}) {
      checkInput('the account cannot be looked at', { accountId }, { accountId: anyIdRule })
      checkChange('accounts.changed', options)
      const account = await accounts.find(accountId)
      if (!account) return tokensOfAccount.revokeAll(accountId, options)

      // As a token request asks: for the member of the account who owns the client, each once.
      const owners = new Map([
        [undefined as string | undefined, Promise.resolve<Account | undefined>(account)],
      ])
      const ownerOf = (userId: string | undefined) => {
        const owner = owners.get(userId) ?? Promise.resolve(accounts.find(accountId, userId))
        owners.set(userId, owner)
        return owner
      }
      const { clients, errors } = await tokensOfAccount.ofClients(accountId, async (client) => {
        if (client instanceof Unreadable) throw client.error
        return takeBack(client, await ownerOf(client.userId), options)
      })
      if (errors.length > 0) throw doneInSpiteOf(errors, DONE)
      return { clients, grants: 0 }
    },
  }
}
