import { GatehouseError } from '../errors.ts'
import type { ChangeOptions } from '../clients/client-service-types.ts'
import { checkChange } from '../clients/client-repository.ts'
import { checkInput } from '../validation/check-input.ts'
import { optional, type Rule, textRule } from '../validation/rules.ts'
import type { ListOptions } from '../store/time-index.ts'
import { partialFailure, CorruptRecord } from '../store/corrupt-record.ts'
import { toGrant, type Grant, type GrantPage } from './grant.ts'
import type { AuthorizationHolder } from './consent-version.ts'
import { isLiving, type GrantRecord } from './grant-record.ts'
import type { RevocationSpec } from '../revocation/revoke-tokens.ts'
import { createRevokeGrants, type RevokeGrantsParts } from './revoke-grants.ts'

/** Whose grants. */
export interface GrantHolder {
  readonly accountId: string
  /** Only those that this user of the account gave; everybody's if it is left out. Not `undefined`: that is rejected. */
  readonly userId?: string
  /** Only those of this application; those of all if it is left out. Not `undefined`: that is rejected. */
  readonly clientId?: string
}

/** What accounts have authorized applications to do. */
export interface Grants {
  /**
   * The grants of an account that are in use, in the order in which they were made, to the second. One whose code
   * nobody has exchanged yet is not in use. One whose record cannot be read is left out, and the log tells of it. A
   * person has at most 100 in use for one application: when another comes into use, the oldest is revoked.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, and what `ready()` throws, as all of these do
   */
  ofAccount(accountId: string, options?: ListOptions): Promise<GrantPage>
  /** The grant, or undefined if there is none (any more). */
  find(grantId: string): Promise<Grant | undefined>
  /**
   * Takes a grant back: its refresh token ends, its access tokens are rejected from now on, those that are being
   * issued at this moment too, and the application gets nothing again without asking. Settles when it is stored.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND` if there is none (any more), `ERR_STORE_UNAVAILABLE`: do it again;
   *   `ERR_STORE_CORRUPT` if its record cannot be read: its tokens have been revoked all the same
   */
  revoke(grantId: string, options?: ChangeOptions): Promise<void>
  /**
   * Revokes everything that an account, or one of its users, has authorized, or what they have authorized one
   * application to do: as `revoke` does, and codes that have not been exchanged yet with it.
   *
   * @returns how many grants in use that ended
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`: a part may be done, so do it again.
   *   `ERR_STORE_CORRUPT` at the end, if grants of the account cannot be read: all others have ended by then, and the
   *   tokens of these have been revoked by their ids, whichever application they are of
   */
  revokeAll(holder: GrantHolder, options?: ChangeOptions): Promise<number>
}

/** The service, and what finishes that which another process has begun. */
export interface GrantsAndFinish {
  readonly grants: Grants
  readonly grantsOfUsers: GrantsOfUsers
  /**
   * Ends a grant whose end was begun; does no harm where it has ended.
   *
   * @returns what is to be revoked of it
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  resumeGrant(grantId: string): Promise<readonly RevocationSpec[]>
  /**
   * Ends what is left of all grants whose end was begun together (`revokeAll`); those that were made since live,
   * except those that cannot be read.
   *
   * @returns nothing: they have been revoked by then
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  resumeAccount(accountId: string): Promise<readonly RevocationSpec[]>
}

/** What users of an account have authorized. */
export interface GrantsOfUsers {
  /** The users of the account's grants in use, each once, and why other grants cannot be read. */
  users(accountId: string): Promise<{ readonly userIds: string[]; readonly errors: GatehouseError[] }>
  /** Revokes all that these users have authorized, as `revokeAll` does. */
  revoke(accountId: string, userIds: readonly string[], options: ChangeOptions): Promise<Revoked>
}

/** What came of revoking grants: how many ended that were in use, and why others cannot be read. */
interface Revoked {
  readonly count: number
  readonly errors: readonly GatehouseError[]
}

/** Grants that are read at once to see whose they are. */
const PAGE = 100

/** What is said where grants cannot be read. */
const DONE =
  'The tokens of that grant, or those grants, were revoked all the same, and all else that was meant'

/** @param parts.audience {base_url}, whose scopes are told */
export function createGrantService(
  parts: RevokeGrantsParts & { readonly audience: string },
): GrantsAndFinish {
  const { lives, revocations, logger, audience } = parts
  const { records, index, epochs } = lives
  const { end, revoke, revokeEach } = createRevokeGrants(parts)

  /** Revokes all that the holders, who are of one account, have authorized, and what is under way with it. */
  function revokeOf(
    accountId: string,
    holders: readonly AuthorizationHolder[],
    { actor }: ChangeOptions,
  ): Promise<Revoked> {
    const isTheirs = ({ userId, clientId }: GrantRecord) =>
      holders.some(
        (holder) =>
          (holder.userId === undefined || holder.userId === userId) &&
          (holder.clientId === undefined || holder.clientId === clientId),
      )
    return revocations.during({ of: 'account', id: accountId }, async () => {
      // First: what is not listed by now finds the other epoch when it comes into use (`GrantLifecycle.begin`).
      await Promise.all(holders.map((holder) => epochs.renew(holder)))
      return { result: await revokeEach(accountId, actor, isTheirs), taken: [] }
    })
  }

  const grantsOfUsers: GrantsOfUsers = {
    async users(accountId) {
      const users = new Set<string>()
      const errors: GatehouseError[] = []
      let after: string | undefined
      do {
        const { items, unreadable, cursor } = await index.page(accountId, { cursor: after, limit: PAGE })
        for (const { record } of items) if (record.userId !== undefined) users.add(record.userId)
        errors.push(...unreadable.map(({ error }) => error))
        after = cursor
      } while (after !== undefined)
      return { userIds: [...users], errors }
    },
    revoke: (accountId, userIds, options) =>
      revokeOf(
        accountId,
        userIds.map((userId) => ({ accountId, userId })),
        options,
      ),
  }

  return {
    grantsOfUsers,

    grants: {
      async ofAccount(accountId, options = {}) {
        checkInput('no grants can be listed', { accountId }, { accountId: textRule })
        const { items, unreadable, cursor } = await index.page(accountId, options)
        for (const { key, error } of unreadable) {
          logger.error({ err: error, key }, 'a list lacks a grant whose record cannot be read')
        }
        return { items: items.map((item) => toGrant(item, audience)), cursor }
      },

      async find(grantId) {
        const record = isGrantId(grantId) ? await records.get(grantId) : undefined
        return isLiving(record) ? toGrant({ grantId, record }, audience) : undefined
      },

      async revoke(grantId, options = {}) {
        checkChange('grants.revoke', options)
        // Also one that is withdrawn, but whose end nobody was told of.
        const [record] = isGrantId(grantId) ? await records.getEach([grantId]) : []
        if (!record) throw new GatehouseError('ERR_NOT_FOUND', 'there is no grant with that id')
        const known = record instanceof CorruptRecord ? undefined : record
        const error = await revoke(grantId, known, options.actor)
        if (error) throw partialFailure([error], 'The tokens of that grant were revoked all the same')
      },

      async revokeAll(holder, options = {}) {
        // Nothing else may stand there: with a misspelt client id everything of the account would end.
        const rules = {
          accountId: textRule,
          userId: leftOutOr(textRule, 'userId', holder),
          clientId: leftOutOr(textRule, 'clientId', holder),
        }
        checkInput('no grants can be revoked', holder, rules)
        checkChange('grants.revokeAll', options)
        const { count, errors } = await revokeOf(holder.accountId, [holder], options)
        if (errors.length > 0) throw partialFailure(errors, DONE)
        return count
      },
    },

    async resumeAccount(accountId) {
      const { errors } = await revokeEach(accountId, undefined, lives.isVoid)
      for (const error of errors) logger.error({ err: error }, DONE)
      return []
    },

    async resumeGrant(grantId) {
      const unreadable = await end(grantId)
      // It is finished again for a while, and must not forget what the person decides from now on.
      if (!unreadable) await records.delete(grantId)
      return [{ of: 'grant', id: grantId }]
    },
  }
}

function isGrantId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value)
}

/** Left out, not undefined: what somebody looked up and did not find must not end everything of the account. */
function leftOutOr(rule: Rule, name: string, holder: unknown): Rule {
  return (value) =>
    value === undefined && name in Object(holder)
      ? 'is undefined; leave it out where everything that the account has authorized is meant'
      : optional(rule)(value)
}
