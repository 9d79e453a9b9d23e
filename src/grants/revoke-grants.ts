import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Person } from '../host/subject.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { GrantLifecycle } from './grant-lifecycle.ts'
import type { GrantRecord } from './grant-record.ts'
import type { TokenFamilies } from './refresh-tokens/token-families.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'

/** How grants end, with all that hangs on them. All of it may be done again. */
export interface RevokeGrants {
  /**
   * Ends a grant, but for the access tokens that are out: the record first, which decides about new ones.
   *
   * @returns why the record cannot be read, where it cannot: nothing new comes of it, and its refresh token ends
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  end(grantId: string): Promise<GatehouseError | undefined>
  /**
   * Ends a grant and takes its access tokens back.
   *
   * @param record undefined where it cannot be read
   * @returns why it cannot, where that is so; its tokens are revoked all the same
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  revoke(
    grantId: string,
    record: GrantRecord | undefined,
    actor: string | undefined,
  ): Promise<GatehouseError | undefined>
  /**
   * Does so with those of an account in use that `isMeant`, some at a time, and with those that cannot be read: nobody
   * can tell whether they are meant, and nothing but their tokens is left of them.
   *
   * @returns how many of the former there were, and why the others cannot be read
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  revokeEach(
    accountId: string,
    actor: string | undefined,
    isMeant: (record: GrantRecord) => boolean | Promise<boolean>,
  ): Promise<{ readonly count: number; readonly errors: readonly GatehouseError[] }>
}

/** Grants that are ended at a time. */
const AT_A_TIME = 20

/** What grants are ended with. */
export interface RevokeGrantsParts {
  readonly lives: GrantLifecycle
  readonly families: Pick<TokenFamilies, 'end'>
  /** Forgets what a person decided about an application. */
  readonly consents: { forget(person: Person, clientId: string): Promise<void> }
  readonly revocations: Pick<Revocations, 'during'>
  readonly events: EventSink
  readonly logger: Logger
}

export function createRevokeGrants(parts: RevokeGrantsParts): RevokeGrants {
  const { lives, families, consents, revocations, events, logger } = parts
  const { records, index } = lives

  async function end(grantId: string): Promise<GatehouseError | undefined> {
    const record = await lives.withdraw(grantId).catch((error: unknown) => {
      if (isCorruptRecord(error)) return error
      throw error
    })
    if (record instanceof GatehouseError) {
      await families.end(grantId)
      return record
    }
    await Promise.all([
      families.end(grantId),
      record && consents.forget(record, record.clientId),
      record && unlist(grantId, record),
    ])
    return undefined
  }

  async function unlist(grantId: string, record: GrantRecord): Promise<void> {
    const { listedAt } = record
    if (listedAt !== undefined) await index.remove({ ...record, grantId, listedAt })
  }

  const revoke: RevokeGrants['revoke'] = async (grantId, record, actor) => {
    const unreadable = await revocations.during({ of: 'grant', id: grantId }, async () => {
      const result = await end(grantId)
      return { result, taken: [{ of: 'grant', id: grantId }], actor }
    })
    // What stands there in its place is for whoever put it there to look at.
    if (unreadable) return unreadable
    if (record) {
      const { accountId, userId, clientId } = record
      events.emit('grant.revoked', { grantId, clientId, accountId, userId, actor })
    }
    // It was only kept for whoever had to try again; if it stays it expires.
    await records.delete(grantId).catch((error: unknown) => {
      logger.debug({ err: error, grantId }, 'what is left of a revoked grant will expire')
    })
    return undefined
  }

  const revokeEach: RevokeGrants['revokeEach'] = async (accountId, actor, isMeant) => {
    let count = 0
    const errors: GatehouseError[] = []
    async function revokeOne(grantId: string, record?: GrantRecord): Promise<void> {
      if (record && !(await isMeant(record))) return
      const error = await revoke(grantId, record, actor)
      if (error) errors.push(error)
      else count += 1
    }

    let after: string | undefined
    do {
      const { items, unreadable, cursor } = await index.page(accountId, { cursor: after, limit: AT_A_TIME })
      await Promise.all([
        ...items.map(({ grantId, record }) => revokeOne(grantId, record)),
        ...unreadable.map(({ id }) => revokeOne(id)),
      ])
      after = cursor
    } while (after !== undefined)
    return { count, errors }
  }

  return { end, revoke, revokeEach }
}
