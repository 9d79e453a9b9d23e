import { GatehouseError } from '../errors.ts'
import { type ChangeOptions, checkChange, type RemovalOptions } from '../host/change-options.ts'
import { checkInput, optional, textRule, type Rule } from '../validation/rules.ts'
import type { Person } from '../host/subject.ts'
import type { ListOptions } from '../store/time-index.ts'
import { partialFailure, CorruptRecord } from '../store/corrupt-record.ts'
import { toGrant, type Grant, type GrantPage } from './grant.ts'
import type { AuthorizationHolder } from './revoked-consents.ts'
import { isActive, type GrantRecord } from './grant-record.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import {
  revokeEachGrant,
  revokeGrant,
  revokeGrantRecord,
  type RevokedGrants,
  type RevokeGrantsParts,
} from './revoke-grants.ts'

/**
 * The holder of grants: an account or one of its users. With `clientId`, only the grants of this application
 * are meant.
 */
export interface GrantHolder {
  readonly accountId: string
  /** Selects only the grants of this user. @default all users. An explicit `undefined` is rejected */
  readonly userId?: string
  /** Selects only the grants of this application. @default all applications. An explicit `undefined` is rejected */
  readonly clientId?: string
}

/** The grants to list. */
export interface GrantListOptions extends ListOptions {
  readonly accountId: string
  /** Lists only the grants of this user. @default all users */
  readonly userId?: string | undefined
  /** Lists only the grants of this application. @default all applications */
  readonly clientId?: string | undefined
}

/** What accounts have authorized applications to do. */
export interface Grants {
  /**
   * The grants of an account that are in use, oldest first. A grant is in use once its authorization code was
   * exchanged. Grants of the same second are in no particular order. A grant with a corrupt record is left
   * out and logged. A person has at most 100 grants in use for one application. When a new grant exceeds this
   * limit, the oldest of these grants is revoked.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if an option is invalid. All methods also throw the
   *   errors of `ready()`
   */
  list(options: GrantListOptions): Promise<GrantPage>
  /**
   * The grant; undefined if it never existed, has expired, or was revoked.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; `ERR_STORE_CORRUPT` if the record is corrupt
   */
  find(grantId: string): Promise<Grant | undefined>
  /**
   * Revokes a grant with its refresh token and its access tokens, including tokens that are being issued
   * during this call. The application must ask the person for a new authorization. Resolves when the
   * revocation is stored.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if an option is invalid; `ERR_NOT_FOUND` if the grant never
   *   existed, has expired, or is deleted;
   *   `ERR_STORE_UNAVAILABLE`: call the method again; `ERR_STORE_CORRUPT` if the record is corrupt: the
   *   tokens of the grant are revoked nevertheless
   */
  revoke(grantId: string, options?: ChangeOptions): Promise<void>
  /**
   * Revokes everything that a holder has authorized, each grant as with `revoke`. Codes that are not
   * exchanged yet are revoked too.
   *
   * @returns the number of grants in use that were revoked
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`; `ERR_STORE_UNAVAILABLE`: some of the grants may be
   *   revoked already; call the method again to revoke the rest; `ERR_STORE_CORRUPT` if the account has
   *   grants with corrupt records. Before this error is thrown, all other grants of the holder are revoked.
   *   The tokens of every grant with a corrupt record are revoked too, because such a record does not show
   *   whether the grant belongs to the holder
   */
  revokeAll(holder: GrantHolder, options?: ChangeOptions): Promise<number>
}

const PAGE_SIZE = 100

const DONE =
  'The tokens of these grants were revoked nevertheless, and all other grants were revoked as requested'

interface GrantServiceParts extends RevokeGrantsParts {
  /** {base_url} */
  readonly audience: string
}

function createGrants(parts: GrantServiceParts): Grants {
  const { lifecycle, logger, audience } = parts
  const { records, index } = lifecycle

  return {
    async list(options) {
      const { accountId, userId, clientId, ...page } = Object(options) as GrantListOptions
      checkInput(
        'the grants cannot be listed',
        { accountId, userId, clientId },
        { accountId: textRule, userId: optional(textRule), clientId: optional(textRule) },
      )
      const isMeant = (record: GrantRecord) => isOf(record, { accountId, userId, clientId })
      const { items, corrupt, cursor } = await index.page(accountId, page, isMeant)
      for (const { key, error } of corrupt) {
        logger.error({ err: error, key }, 'a list omits a grant whose record is corrupt')
      }
      return { items: items.map((item) => toGrant(item, audience)), cursor }
    },

    async find(grantId) {
      const record = isGrantId(grantId) ? await records.get(grantId) : undefined
      return isActive(record) ? toGrant({ grantId, record }, audience) : undefined
    },

    async revoke(grantId, options = {}) {
      checkChange('grants.revoke', options)
      // A revoked grant is revoked again, because the first revocation may not have reached other processes.
      const [record] = isGrantId(grantId) ? await records.getEach([grantId]) : []
      if (!record) throw new GatehouseError('ERR_NOT_FOUND', 'there is no grant with that id')
      const known = record instanceof CorruptRecord ? undefined : record
      const error = await revokeGrant(parts, grantId, known, options)
      if (error) throw partialFailure([error], 'The tokens of that grant were revoked nevertheless')
    },

    async revokeAll(holder, options = {}) {
      // A misspelt `clientId` must not be ignored: it would revoke everything that the account authorized.
      const rules = {
        accountId: textRule,
        userId: omittedOr(textRule, 'userId', holder),
        clientId: omittedOr(textRule, 'clientId', holder),
      }
      checkInput('the grants cannot be revoked', holder, rules)
      checkChange('grants.revokeAll', options)
      const { count, errors } = await revokeOfHolders(parts, holder.accountId, [holder], options)
      if (errors.length > 0) throw partialFailure(errors, DONE)
      return count
    },
  }
}

/** Lists and revokes grants for hosts. Who disconnects an application is asked again: its consent ends, too. */
export function createGrantService(parts: GrantServiceParts) {
  const { lifecycle, logger } = parts
  const { records, index } = lifecycle

  return {
    grants: createGrants(parts),
    grantsOfUsers: {
      /** The users who have grants in use, each once, and an error for each corrupt grant. */
      async users(accountId: string) {
        const users = new Set<string>()
        const errors: GatehouseError[] = []
        for await (const { items, corrupt } of index.pages(accountId, PAGE_SIZE)) {
          for (const { record } of items) if (record.userId !== undefined) users.add(record.userId)
          errors.push(...corrupt.map(({ error }) => error))
        }
        return { userIds: [...users], errors }
      },
      revoke(accountId: string, userIds: readonly string[], options: RemovalOptions) {
        const holders = userIds.map((userId) => ({ accountId, userId }))
        return revokeOfHolders(parts, accountId, holders, options)
      },
      revokeOfClient(person: Person, clientId: string, options: RemovalOptions) {
        return revokeOfHolders(parts, person.accountId, [{ ...person, clientId }], options)
      },
      /** `madeAt` is when the grant was made, in milliseconds since the epoch. */
      revokeSome(
        accountId: string,
        isMeant: (holder: Person, madeAt: number) => boolean,
        options: RemovalOptions,
      ) {
        const isGrantMeant = ({ userId, iat }: GrantRecord) => isMeant({ accountId, userId }, iat * 1000)
        return revokeEachGrant(parts, accountId, options, isGrantMeant)
      },
    },

    /** Completes a pending `revokeAll`. Nothing is left for the caller to revoke. */
    async resumeAccount(accountId: string): Promise<readonly RevocationSpec[]> {
      const { errors } = await revokeEachGrant(parts, accountId, {}, lifecycle.hasStaleConsent)
      for (const error of errors) logger.error({ err: error }, DONE)
      return []
    },

    /** Completes a pending `revoke`. May be called again. Returns what the caller must still revoke. */
    async resumeGrant(grantId: string): Promise<readonly RevocationSpec[]> {
      const error = await revokeGrantRecord(parts, grantId)
      // Otherwise a later call, which may find the record, would delete a new decision of the person.
      if (!error) await records.delete(grantId)
      return [{ of: 'grant', id: grantId }]
    },
  }
}

export type GrantsOfUsers = ReturnType<typeof createGrantService>['grantsOfUsers']

async function revokeOfHolders(
  parts: RevokeGrantsParts,
  accountId: string,
  holders: readonly AuthorizationHolder[],
  options: RemovalOptions,
): Promise<RevokedGrants> {
  const isMeant = (record: GrantRecord) => holders.some((holder) => isOf(record, holder))
  const begun = await parts.commits.begin({ subject: { of: 'account', id: accountId } }, true)
  // Before the list is read: `GrantLifecycle.activate` then rejects a grant that is not listed.
  await Promise.all(holders.map((holder) => parts.lifecycle.consentVersions.renew(holder)))
  const revoked = await revokeEachGrant(parts, accountId, options, isMeant)
  await parts.commits.end(begun)
  return revoked
}

function isOf({ userId, clientId }: GrantRecord, holder: AuthorizationHolder): boolean {
  return (
    (holder.userId === undefined || holder.userId === userId) &&
    (holder.clientId === undefined || holder.clientId === clientId)
  )
}

function isGrantId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
}

/** If `undefined` were accepted, a failed lookup of the id would revoke everything of the account. */
function omittedOr(rule: Rule, name: string, holder: unknown): Rule {
  return (value) =>
    value === undefined && name in Object(holder)
      ? 'is undefined; omit it to revoke everything that the account has authorized'
      : optional(rule)(value)
}
