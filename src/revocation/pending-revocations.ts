// Model: test/proof/models/revocation-feed.pml
import type { AuditWriter } from '../audit/audit.ts'
import { isPendingEntry, type PendingEntry } from '../audit/entry.ts'
import { erasePending, type ErasedPeople } from '../audit/erase-entry.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createPendingList } from '../store/pending-list.ts'
import { parseJson } from '../validation/parse-json.ts'
import {
  countRule,
  findProblems,
  listOf,
  must,
  oneOf,
  optional,
  stringRule,
  textRule,
} from '../validation/rules.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'

export interface Subject {
  readonly of: 'client' | 'grant' | 'account'
  readonly id: string
}

export interface TokenToRevoke {
  /** Its `jti`. */
  readonly id: string
  /** When it expires, in epoch seconds. */
  readonly until?: number | undefined
  /** Its client, its `access_epoch` and its grant, if the client itself revokes it. */
  readonly clientId?: string | undefined
  readonly epoch?: number | undefined
  readonly grantId?: string | undefined
}

/** At `until`, in epoch seconds, all tokens that carry one of these scopes have expired. */
export interface GrantScopes {
  readonly of: 'grant'
  readonly id: string
  readonly scopes: readonly string[]
  readonly until: number
}

export type PendingSubject = (Subject | (TokenToRevoke & { readonly of: 'token' }) | GrantScopes) & {
  /** The audit entry of the revocation. The process that completes the revocation also records the entry. */
  readonly entry?: PendingEntry | undefined
}

const SUBJECT = {
  of: oneOf('client', 'grant', 'account', 'token'),
  id: stringRule,
  until: optional(countRule),
  clientId: optional(stringRule),
  epoch: optional(countRule),
  grantId: optional(stringRule),
  scopes: optional(listOf(textRule)),
  entry: optional(must('an audit entry', isPendingEntry)),
}

/**
 * Lists the changes that revoke tokens and are not finished yet. A process adds a change before it begins, and
 * removes it when the revocations are stored. If the process stops before, another one completes the change.
 */
export function createPendingRevocations(parts: {
  readonly store: Store
  readonly longestLifetime: LongestLifetime
  readonly audit?: Pick<AuditWriter, 'append' | 'record'> | undefined
  readonly logger: Logger
  readonly now: () => number
}) {
  const { longestLifetime, audit, logger } = parts
  const pending = createPendingList({
    ...parts,
    index: 'revocations:pending',
    keptSeconds: () => longestLifetime.seconds(),
    // After the longest lifetime, all tokens that a change revokes have expired.
    maxAgeSeconds: () => longestLifetime.secondsKnown,
    what: 'revocation',
  })

  return {
    remove: pending.remove,

    /**
     * If the entry cannot be recorded, the change stays listed, so that it is recorded later. Never rejects. A change
     * that could not be listed (`undefined`) is known to this process alone, so it keeps the entry.
     */
    async finish(member: string | undefined, entry: PendingEntry | undefined): Promise<void> {
      if (member === undefined) return entry && audit?.record(entry)
      try {
        if (entry) await audit?.append([entry])
        await pending.remove(member)
      } catch (error) {
        logger.debug({ err: error }, 'the audit entry of a revocation could not be recorded yet')
      }
    },

    erase: (people: ErasedPeople) =>
      pending.rewrite((text) => {
        const subject = readSubject(text)
        return subject?.entry
          ? JSON.stringify({ ...subject, entry: erasePending(subject.entry, people) })
          : text
      }),

    async list(): Promise<readonly PendingSubject[]> {
      return (await pending.list()).flatMap((text) => readSubject(text) ?? [])
    },

    /** Call this before the change of the subject begins. `remove` takes the result. */
    add: (subject: PendingSubject) => pending.add(JSON.stringify(subject)),

    /** `resume` may be called while the change is still running, and again for the same change. */
    resumeAll: (resume: (subject: PendingSubject) => Promise<void>) =>
      pending.resumeAll(async (text) => {
        const subject = readSubject(text)
        if (subject) await resume(subject)
        return subject !== undefined
      }),
  }
}

function readSubject(text: string): PendingSubject | undefined {
  const subject = parseJson(text) as PendingSubject | undefined
  return findProblems({ ...subject }, SUBJECT).length === 0 ? subject : undefined
}
