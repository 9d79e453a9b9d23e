import { isRejection } from '../errors.ts'
import type { AuditWriter } from '../audit/audit.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import {
  createPendingRevocations,
  type GrantScopes,
  type PendingSubject,
  type Subject,
  type TokenToRevoke,
} from './pending-revocations.ts'
import type { Revocation } from './revocation.ts'
import {
  createStoreRevocations,
  withUntil,
  type RevocationSpec,
  type StoreRevocationsParts,
} from './store-revocations.ts'

export type { Subject, TokenToRevoke } from './pending-revocations.ts'
export type { RevocationSpec } from './store-revocations.ts'

/** The result of a change that revokes tokens. */
export interface Change<T> {
  readonly result: T
  /**
   * What the change revokes. If an earlier call made the change and then failed, a repeated call must list
   * the same revocations. Otherwise these revocations might never be stored.
   */
  readonly revoked: readonly RevocationSpec[]
  /** Who made the change, for the events. */
  readonly actor?: string | undefined
}

/**
 * Returns what must be revoked for the subject of a pending entry. The process that stored the entry may have
 * stopped before it changed anything. Even then, the returned revocations must be harmless.
 */
export type SpecsOf = (subject: Subject) => Promise<readonly RevocationSpec[]>

/** @param parts.now milliseconds since the epoch. @default the clock of this process */
export function createRevocations(
  parts: Omit<StoreRevocationsParts, 'now'> & {
    readonly store: Store
    readonly audit?: Pick<AuditWriter, 'entry' | 'append'> | undefined
    readonly logger: Logger
    readonly now?: (() => number) | undefined
  },
) {
  const { longestLifetime, audit, now = () => Date.now() } = parts
  const pending = createPendingRevocations({ ...parts, now })
  const stores = createStoreRevocations({ ...parts, now })

  return {
    ...stores,

    /**
     * Revokes one access token, as `revoke`, and records it in the audit trail. The token is revoked even if nothing can
     * be listed as pending.
     *
     * @returns the stored revocation
     */
    async revokeToken(token: TokenToRevoke, fields: EntryFields): Promise<readonly Revocation[]> {
      const entry = await audit?.entry(fields)
      const listed = pending.add({ of: 'token', ...token, entry }).catch(() => undefined)
      const stored = await stores.revokeAs(fields.actor, { of: 'token', ...token })
      await pending.finish(await listed, entry)
      return stored
    },

    /**
     * Revokes the access tokens of a grant that carry one of these scopes, and records it in the audit trail. The
     * grant itself, and its refresh token, stay valid.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`: call the method again
     */
    async revokeGrantScopes(limit: Omit<GrantScopes, 'of'>, fields: EntryFields): Promise<void> {
      const subject = { of: 'grant', ...limit } as const
      const entry = await audit?.entry(fields)
      const member = await pending.add({ ...subject, entry })
      await stores.revokeAs(fields.actor, subject)
      await pending.finish(member, entry)
    },

    /**
     * Stores a pending entry, calls `change`, and then stores the revocations of the change. If this process
     * stops before the revocations are stored, other processes find the pending entry and complete the change
     * (`resumeAll`).
     *
     * @param fields what to record in the audit trail, unless the change itself records it
     * @param change makes the change. The function must first change the record that decides about new
     *   tokens. Errors of the function are passed on. An error with a status below 500 means that nothing was
     *   changed. After any other error, other processes complete the change
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`: repeat the call. Even without a repeated call,
     *   another process completes the change if the pending entry was stored. Otherwise nothing was changed,
     *   and the tokens stay valid in this process too
     */
    async revokeWith<T>(
      subject: Subject,
      change: () => Promise<Change<T>>,
      fields?: EntryFields,
    ): Promise<T> {
      const entry = fields && (await audit?.entry(fields))
      const member = await pending.add({ ...subject, entry })
      const { result, revoked, actor } = await change().catch(async (error: unknown) => {
        if (isRejection(error)) await pending.remove(member)
        throw error
      })
      await stores.revokeAs(actor, ...revoked)
      await pending.finish(member, entry)
      return result
    },

    /**
     * Completes the changes that other processes left pending. Call it periodically.
     *
     * @param specsOf returns what to revoke for a subject. If the function rejects, the subject stays pending
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    resumeAll: (specsOf: SpecsOf) =>
      pending.resumeAll(async (subject) => {
        await stores.revoke(...(await specsFor(subject, specsOf)))
        if (subject.entry) await audit?.append([subject.entry])
      }),

    /**
     * The revocations that pending changes will make. Revokes nothing.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async listPending(specsOf: SpecsOf): Promise<readonly Revocation[]> {
      const until = now() / 1000 + (await longestLifetime.seconds())
      const revocations: Revocation[] = []
      for (const subject of await pending.list()) {
        for (const spec of await specsFor(subject, specsOf)) revocations.push(withUntil(spec, until))
      }
      return revocations
    },
  }
}

/** Revokes tokens in all processes. */
export type Revocations = ReturnType<typeof createRevocations>

/** What to revoke for a pending subject. */
async function specsFor(subject: PendingSubject, specsOf: SpecsOf): Promise<readonly RevocationSpec[]> {
  if (subject.of === 'token') {
    const { of, id, until, clientId, epoch } = subject
    return [{ of, id, until, clientId, epoch }]
  }
  if (subject.of === 'grant' && 'scopes' in subject) {
    const { of, id, scopes, until } = subject
    return [{ of, id, scopes, until }]
  }
  return specsOf({ of: subject.of, id: subject.id })
}
