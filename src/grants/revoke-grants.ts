import type { AuditWriter } from '../audit/audit.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { Commits } from '../commit/commit.ts'
import { GatehouseError } from '../errors.ts'
import { changeOptionsOf, type RemovalOptions } from '../host/change-options.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { ConsentStore } from './consent-store.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { GrantLifecycle } from './grant-lifecycle.ts'
import type { GrantRecord } from './grant-record.ts'
import type { TokenFamilies } from './refresh-tokens/token-families.ts'

// What a revocation ends: the grant, its tokens, the stored consent. After a failure, each function may be called again.

export interface RevokeGrantsParts {
  readonly lifecycle: GrantLifecycle
  readonly families: Pick<TokenFamilies, 'revoke'>
  readonly consents: Pick<ConsentStore, 'delete'>
  readonly commits: Pick<Commits, 'begin' | 'end'>
  readonly events: EventSink
  readonly logger: Logger
}

export interface RevokedGrants {
  readonly count: number
  /** One error for each corrupt record. */
  readonly errors: readonly GatehouseError[]
}

const CONCURRENCY = 20

/**
 * Does not revoke access tokens. The record is changed first, so that no new tokens are issued for the grant.
 * Returns the error of a corrupt record, after its refresh token was revoked nevertheless.
 */
export async function revokeGrantRecord(
  { lifecycle, families, consents }: RevokeGrantsParts,
  grantId: string,
): Promise<GatehouseError | undefined> {
  const record = await lifecycle.revoke(grantId).catch((error: unknown) => {
    if (isCorruptRecord(error)) return error
    throw error
  })
  const pending: Promise<unknown>[] = [families.revoke(grantId)]
  if (record && !(record instanceof GatehouseError)) {
    const { listedAt, clientId } = record
    pending.push(consents.delete(record, clientId))
    if (listedAt !== undefined) pending.push(lifecycle.index.remove({ ...record, grantId, listedAt }))
  }
  await Promise.all(pending)
  return record instanceof GatehouseError ? record : undefined
}

/** Returns the error of a corrupt record (`undefined`), whose tokens are revoked nevertheless. */
export async function revokeGrant(
  parts: RevokeGrantsParts,
  grantId: string,
  record: GrantRecord | undefined,
  options: RemovalOptions,
): Promise<GatehouseError | undefined> {
  const { actor, reason } = options
  const owner = record && { accountId: record.accountId, userId: record.userId, clientId: record.clientId }
  const subject = { of: 'grant', id: grantId } as const
  const entry = { name: 'grant.revoked', grantId, ...owner, reason, ...changeOptionsOf(options) }
  const begun = await parts.commits.begin({ subject, entry }, true)
  const error = await revokeGrantRecord(parts, grantId)
  await parts.commits.end(begun, [subject], actor)
  // A corrupt record stays, so that an operator can examine it.
  if (error) return error
  if (owner) parts.events.emit('grant.revoked', { grantId, ...owner, actor })
  // The revocation is complete, so no repeated call needs the record of the grant.
  await parts.lifecycle.records.delete(grantId).catch((cause: unknown) => {
    parts.logger.debug(
      { err: cause, grantId },
      'the record of a revoked grant was not deleted; it will expire',
    )
  })
  return undefined
}

/** Grants with corrupt records are always revoked, because they cannot show whether `isMeant` would select them. */
export async function revokeEachGrant(
  parts: RevokeGrantsParts,
  accountId: string,
  options: RemovalOptions,
  isMeant: (record: GrantRecord) => boolean | Promise<boolean>,
): Promise<RevokedGrants> {
  let count = 0
  const errors: GatehouseError[] = []
  async function revokeOne(grantId: string, record?: GrantRecord): Promise<void> {
    if (record && !(await isMeant(record))) return
    const error = await revokeGrant(parts, grantId, record, options)
    if (error) errors.push(error)
    else count += 1
  }

  for await (const { items, corrupt } of parts.lifecycle.index.pages(accountId, CONCURRENCY)) {
    await Promise.all([
      ...items.map(({ grantId, record }) => revokeOne(grantId, record)),
      ...corrupt.map(({ id }) => revokeOne(id)),
    ])
  }
  return { count, errors }
}

/**
 * For the authorization server: revokes a grant with its code, refresh tokens and access tokens, also those that are
 * being issued. The stored consent stays. Simultaneous calls for the same grant share one revocation.
 */
export function createRevokeKeepingConsent(
  parts: Pick<RevokeGrantsParts, 'lifecycle' | 'families' | 'commits'> & {
    readonly audit: Pick<AuditWriter, 'record'>
  },
) {
  const { lifecycle, families, commits, audit } = parts
  const pending = new Map<string, Promise<void>>()

  async function revoke(grantId: string, entry: EntryFields | undefined): Promise<void> {
    const subject = { of: 'grant', id: grantId } as const
    const begun = await commits.begin({ subject, entry }, true)
    await lifecycle.delete(grantId)
    await commits.end(begun, [subject])
    // Last, because a refresh token is found through its family. If a write above fails, the client can send the
    // refresh token again, and that request repeats the revocation.
    await families.revoke(grantId)
  }

  return async function revokeKeepingConsent(grantId: string, entry?: EntryFields): Promise<void> {
    const running = pending.get(grantId)
    if (running) {
      await running
      if (entry) await audit.record(entry)
      return
    }
    const revoked = revoke(grantId, entry).finally(() => pending.delete(grantId))
    pending.set(grantId, revoked)
    await revoked
  }
}

export type RevokeKeepingConsent = ReturnType<typeof createRevokeKeepingConsent>
