import type { CurrentCatalog } from '../catalog/catalog.ts'
import { applicationScopes, directScopes, limitToOwner } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Client } from '../clients/client.ts'
import { missingUsers } from '../host/missing-users.ts'
import { type ChangeOptions, checkChange } from '../host/change-options.ts'
import { checkInput, optional, textRule } from '../validation/rules.ts'
import { partialFailure, CorruptRecord } from '../store/corrupt-record.ts'
import type { GrantsOfUsers } from '../grants/grant-service.ts'
import type { RevokeLostOperations } from '../grants/revoke-lost-operations.ts'
import type { ErasedRecords, PersonToErase } from './erase-person.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import type { EventSink } from '../host/events.ts'
import type { Plan, RevokedAccess, RevokeAccount } from './revoke-account.ts'

/** Lets the host report changes of its accounts. */
export interface AccountService {
  /**
   * Reports that the answer of `accounts.find` for an account has changed. Call this method after `find` returns the
   * new state. The method revokes the access tokens that would no longer be issued:
   *
   * - if the account is not found any more: all tokens of its API keys, of its applications, and of its
   *   grants;
   * - if the `userId` of an API key or application is not found any more: all tokens of this API key or
   *   application;
   * - if a token of one of its applications carries an operation above the account's KYC level: this token;
   * - if a token of an API key with a `userId` carries an operation that `find` no longer allows to this user
   *   (`operations`): this token;
   * - if a token of a grant carries an operation that `find` no longer allows to the user of the grant: this token. The
   *   grant stays in use. If the user may use the operation again, new tokens of the grant carry it after
   *   `lifetimes.delegatedAccessToken`;
   * - if a user who has authorized applications is not found any more: everything that the user has authorized. `find`
   *   is called once for each user who has grants in the account, for a few users at a time.
   *
   * With `userId`, checks only the API keys and applications of this user, and what this user has authorized. This
   * includes authorization codes that are not exchanged yet.
   *
   * If the user who made a client of the account leaves, the client stays in use. But this user still knows its
   * secret. So each call returns the client in `secretsToRotate`, and emits the event `secret.exposed`, until the
   * secret is rotated.
   *
   * Tokens that this list does not name stay valid, so a call is harmless if nothing has changed. New tokens always
   * follow the current answer of `find`.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`; `ERR_STORE_UNAVAILABLE`: call this method again;
   *   `ERR_HOST_CALLBACK` if the answer of `find` is not valid; the errors of `find`. `ERR_STORE_CORRUPT` if the
   *   account has a corrupt record. This error is thrown after all other revocations are complete. If the account still
   *   exists, the tokens of API keys and applications with corrupt records stay valid. To revoke these tokens, call
   *   `tokens.revokeAll({ clientId })`
   */
  changed(accountId: string, options?: AccountChangeOptions): Promise<AccountChanges>
  /**
   * The account's clients whose secrets must be rotated, because a valid secret is known to users whom `find` no
   * longer finds.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`; `ERR_HOST_CALLBACK` and the errors of
   *   `find`; `ERR_STORE_CORRUPT` if the account has a corrupt record
   */
  secretsToRotate(accountId: string): Promise<ExposedSecret[]>
  /**
   * Erases a person: an account with all its users, or one user of an account. Before the call, close the account or
   * remove the user in your own data, so that `accounts.find` does not return the person any more.
   *
   * - The API keys and applications of the person are deleted. Their ids stay reserved.
   * - Clients that belong to the account or to another user stay. In their `createdBy` and `secretShownTo`, `(erased)`
   *   replaces the user.
   * - What the person has authorized is revoked and deleted, together with the refresh tokens.
   * - The entries of the audit trail stay, with their own ids and cursors. They lose the fields that identify the
   *   person: the ids of the person, `address` and `userAgent`. An entry that lost fields has `erased: true`.
   * - A hash of the person's ids and the time of the erasure stay in the store. If a backup contains records of the
   *   person from before this time, `importRegistry` erases the person again.
   *
   * A person who comes back later with the same ids is a new person. The erasure itself becomes an entry
   * `account.erased` of the trail, without the ids of the person. If a call failed, a repeated call completes the
   * erasure. Repeating a completed call is harmless. Two processes may erase the same person at the same time.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`; `ERR_STORE_UNAVAILABLE`: a part may be erased already, so call
   *   this method again. `ERR_SECRET_MISMATCH` if the option `secret` lacks the value that encrypted the key of the
   *   hashes: nothing was erased. `ERR_STORE_CORRUPT` if there are corrupt records: everything else was erased
   */
  erase(person: PersonToErase, options?: ChangeOptions): Promise<ErasedRecords>
}

/** What `accounts.changed` did, and what is left to do. */
export interface AccountChanges extends RevokedAccess {
  /** The clients whose secrets must be rotated, because people who have left the account know these secrets. */
  readonly secretsToRotate: readonly ExposedSecret[]
}

/** A client with a valid secret that was shown to people who have left the account. */
export interface ExposedSecret {
  readonly kind: Client['kind']
  readonly clientId: string
  readonly name: string
  /** The users who know the secret, although the host no longer finds these users in the account. */
  readonly userIds: readonly string[]
}

/** Options of `accounts.changed`. */
export interface AccountChangeOptions extends ChangeOptions {
  /** The user whom the host changed in the account, or removed from the account. @default all users of the account */
  readonly userId?: string | undefined
}

const DONE =
  'Everything else of the account was checked. Repair the corrupt records, then call accounts.changed() again; or call tokens.revokeAll({ clientId }) for corrupt API keys and applications'

/** Decides what ends when the host reports that an account or a user changed or left: tokens, grants, secrets. */
export function createAccountService(parts: {
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly catalog: CurrentCatalog
  readonly clientTokens: Pick<ClientTokens, 'listByAccount'>
  readonly events: EventSink
  readonly revokeAccount: RevokeAccount
  readonly grantsOfUsers: GrantsOfUsers
  readonly revokeLostOperations: RevokeLostOperations
}): Omit<AccountService, 'erase'> {
  const { accounts, catalog, clientTokens, events, revokeAccount, grantsOfUsers, revokeLostOperations } =
    parts

  function planOf(client: Client, owner: Account | undefined): Plan {
    if (!owner) return 'all'
    const scopes = directScopes(catalog.current, client)
    const allowed = new Set(
      client.kind === 'application'
        ? applicationScopes(catalog.current, client, owner.kycLevel)
        : limitToOwner(client, owner, scopes),
    )
    const lost = scopes.filter((scope) => !allowed.has(scope))
    return lost.length === 0 ? 'nothing' : lost
  }

  return {
    async changed(accountId, options = {}) {
      checkInput('the account cannot be checked', { accountId }, { accountId: textRule })
      checkChange('accounts.changed', options, { userId: optional(textRule) })
      const { userId: onlyUserId, ...others } = options
      const change = { ...others, reason: 'account-changed' } as const

      // Each user who owns a client or a grant is looked up once, with the same arguments as in token requests.
      const found = new Map<string | undefined, Promise<Account | undefined>>()
      const find = (userId: string | undefined) => {
        const account = found.get(userId) ?? Promise.resolve(accounts.find(accountId, userId))
        found.set(userId, account)
        return account
      }
      if (onlyUserId === undefined && !(await find(undefined)))
        return { ...(await revokeAccount.revokeAll(accountId, change)), secretsToRotate: [] }

      const known: Client[] = []
      const plan = async (client: Client | CorruptRecord): Promise<Plan> => {
        if (client instanceof CorruptRecord) throw client.error
        known.push(client)
        if (onlyUserId !== undefined && client.userId !== onlyUserId) return 'nothing'
        return planOf(client, await find(client.userId))
      }
      const { clients, errors } = await revokeAccount.revokeClients(accountId, plan, change)
      const users =
        onlyUserId === undefined
          ? await grantsOfUsers.users(accountId)
          : { userIds: [onlyUserId], errors: [] }
      const missing = await missingUsers(users.userIds, find)
      const revoked =
        missing.length > 0 ? await grantsOfUsers.revoke(accountId, missing, change) : { count: 0, errors: [] }
      const limitedUsers = new Map<string | undefined, Account>()
      for (const [userId, account] of found) {
        const user = await account
        if (user?.operations !== undefined) limitedUsers.set(userId, user)
      }
      const limited = await revokeLostOperations(accountId, limitedUsers, change)
      // `limited.errors` and `users.errors` report the same corrupt grants, so only one of the two lists is used.
      const ofGrants = limited.errors.length > 0 ? limited.errors : users.errors
      const all = [...errors, ...ofGrants, ...revoked.errors]
      const knowing = usersToFind(known).filter((userId) => onlyUserId === undefined || userId === onlyUserId)
      const secretsToRotate = exposedSecrets(known, await missingUsers(knowing, find))
      for (const { kind, clientId, userIds } of secretsToRotate) {
        events.emit('secret.exposed', { kind, clientId, accountId, userIds, actor: options.actor })
      }
      if (all.length > 0) throw partialFailure(all, DONE)
      return { clients, grants: revoked.count + limited.count, secretsToRotate }
    },

    async secretsToRotate(accountId) {
      checkInput('the account cannot be checked', { accountId }, { accountId: textRule })
      const clients: Client[] = []
      for await (const page of clientTokens.listByAccount(accountId)) {
        for (const client of page) {
          if (client instanceof CorruptRecord) throw client.error
          clients.push(client)
        }
      }
      const find = async (userId: string) => accounts.find(accountId, userId)
      return exposedSecrets(clients, await missingUsers(usersToFind(clients), find))
    },
  }
}

/** A client whose owner has left (`missing`) gets no tokens, so it is omitted until it is handed over. */
function exposedSecrets(clients: readonly Client[], missing: readonly string[]): ExposedSecret[] {
  return clients.flatMap(({ kind, clientId, name, userId: owner, secretShownTo = [] }) => {
    if (owner !== undefined && missing.includes(owner)) return []
    const userIds = secretShownTo.filter((userId) => missing.includes(userId))
    return userIds.length === 0 ? [] : [{ kind, clientId, name, userIds }]
  })
}

/** The owners of these clients, and the users to whom a secret was shown. No user is listed twice. */
function usersToFind(clients: readonly Client[]): string[] {
  return [
    ...new Set(clients.flatMap(({ userId, secretShownTo = [] }) => [...secretShownTo, userId ?? []].flat())),
  ]
}
