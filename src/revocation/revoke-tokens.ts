// Model: test/proof/models/revocation-feed.pml
import type { AuditWriter } from '../audit/audit.ts'
import type { EntryFields } from '../audit/entry.ts'
import { isRejection } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { RevocationSet } from './is-revoked.ts'
import { withUntil, type RevocationSpec } from './kept-until.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'
import {
  createPendingRevocations,
  type GrantScopes,
  type PendingSubject,
  type Subject,
  type TokenToRevoke,
} from './pending-revocations.ts'
import type { Revocation } from './revocation.ts'
import type { RevocationLog } from './revocation-log.ts'

export type { Subject, TokenToRevoke } from './pending-revocations.ts'

/** The result of a change that revokes tokens. */
export interface Change<T> {
  readonly result: T
  /** A repeated call must list the same, because an earlier one may have made the change without storing them. */
  readonly revoked: readonly RevocationSpec[]
  readonly actor?: string | undefined
}

/** The process may have stopped before it changed anything, so the returned revocations must be harmless. */
export type SpecsOf = (subject: Subject) => Promise<readonly RevocationSpec[]>

interface Parts {
  readonly store: Store
  readonly log: Pick<RevocationLog, 'add'>
  readonly set: Pick<RevocationSet, 'add'>
  readonly longestLifetime: LongestLifetime
  /** The longest lifetime of the tokens of grants. @default `longestLifetime` */
  readonly longestDelegatedLifetime?: LongestLifetime | undefined
  readonly events?: Pick<EventSink, 'emit'> | undefined
  readonly audit?: Pick<AuditWriter, 'entry' | 'append' | 'record'> | undefined
  readonly logger: Logger
  /** Milliseconds since the epoch. @default the clock of this process */
  readonly now?: (() => number) | undefined
}

export function createRevocations(parts: Parts) {
  const { longestLifetime, audit, now = () => Date.now() } = parts
  const pending = createPendingRevocations({ ...parts, now })
  const direct = createDirectRevocations({ ...parts, now })

  return {
    ...direct,

    erase: pending.erase,

    /** Like `revoke`, and recorded, even if the revocation cannot be listed as pending. */
    async revokeToken(token: TokenToRevoke, fields: EntryFields): Promise<readonly Revocation[]> {
      const entry = await audit?.entry(fields)
      const listed = pending.add({ of: 'token', ...token, entry }).catch(() => undefined)
      const stored = await direct.revokeAs(fields.actor, { of: 'token', ...token })
      await pending.finish(await listed, entry)
      return stored
    },

    /** The grant and its refresh token stay valid. The revocation is recorded. */
    async revokeGrantScopes(limit: Omit<GrantScopes, 'of'>, fields: EntryFields): Promise<void> {
      const subject = { of: 'grant', ...limit } as const
      const entry = await audit?.entry(fields)
      const member = await pending.add({ ...subject, entry })
      await direct.revokeAs(fields.actor, subject)
      await pending.finish(member, entry)
    },

    /**
     * Stores a pending entry, calls `change`, and then stores the revocations of the change. If this process stops
     * before, other processes find the entry and complete the change (`resumeAll`). `fields` are recorded in the
     * audit trail, unless the change itself records them.
     *
     * `change` must first change the record that decides about new tokens. An error with a status below 500 means
     * that nothing was changed. After any other error, other processes complete the change.
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`: repeat the call. If the entry was not stored, nothing was
     *   changed, and the tokens stay valid in this process too
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
      await direct.revokeAs(actor, ...revoked)
      await pending.finish(member, entry)
      return result
    },

    /** Call it periodically. If `specsOf` rejects, the subject stays pending. */
    resumeAll: (specsOf: SpecsOf) =>
      pending.resumeAll(async (subject) => {
        await direct.revoke(...(await specsFor(subject, specsOf)))
        if (subject.entry) await audit?.append([subject.entry])
      }),

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

function createDirectRevocations(parts: Parts & { now: () => number }) {
  const { log, set, longestLifetime, longestDelegatedLifetime = longestLifetime, events, now } = parts
  const lifetimeOf = ({ of }: RevocationSpec) => (of === 'grant' ? longestDelegatedLifetime : longestLifetime)
  const withEnd = (spec: RevocationSpec) => withUntil(spec, now() / 1000 + lifetimeOf(spec).secondsKnown)

  async function storeRevocations(specs: readonly RevocationSpec[]): Promise<readonly Revocation[]> {
    if (specs.length === 0) return []
    // This process rejects the tokens immediately, even while the store is unavailable.
    set.add(specs.map(withEnd))
    const lifetimes = specs.filter(({ until }) => until === undefined).map(lifetimeOf)
    await Promise.all([...new Set(lifetimes)].map((each) => each.seconds()))
    const revocations = specs.map(withEnd)
    set.add(revocations)
    await log.add(revocations)
    return revocations
  }

  async function revokeAs(actor: string | undefined, ...specs: readonly RevocationSpec[]) {
    const revocations = await storeRevocations(specs)
    for (const { of, id } of revocations) {
      events?.emit('token.revoked', { of, id, ...(actor !== undefined && { actor }) })
    }
    return revocations
  }

  return {
    /**
     * This process rejects the tokens immediately, and all other processes within moments. Resolves with the
     * revocations when they are stored. Without `until`, a revocation is kept for the longest lifetime of the
     * tokens that it may cover. After `ERR_STORE_UNAVAILABLE` call the method again, because other processes
     * may still accept the tokens. `ERR_INVALID_ARGUMENT` comes before anything is revoked.
     */
    revoke: (...specs: readonly RevocationSpec[]) => revokeAs(undefined, ...specs),
    revokeAs,
    /**
     * Like `revoke`, but without events: for many clients before their epochs are raised one after the other. If this
     * process stops before, `withRepairedEpochs` raises the epoch with the next token request of a client.
     */
    async revokeFirst(specs: readonly RevocationSpec[]): Promise<void> {
      await storeRevocations(specs)
    },
  }
}

export type Revocations = ReturnType<typeof createRevocations>

async function specsFor(subject: PendingSubject, specsOf: SpecsOf): Promise<readonly RevocationSpec[]> {
  if (subject.of === 'token' || (subject.of === 'grant' && 'scopes' in subject)) return [subject]
  return specsOf({ of: subject.of, id: subject.id })
}
