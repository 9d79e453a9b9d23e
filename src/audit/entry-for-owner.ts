import { isActorOf } from '../host/actor.ts'
import type { AuditEntry } from './entry.ts'

/** An entry as the owner of a client or of an authorization may see it. */
export interface EntryForOwner extends AuditEntry {
  /**
   * Present if the owner may not see the name of the actor. `user`: a user of another account. `service`: an operator,
   * or a program of the host.
   */
  readonly by?: 'user' | 'service' | undefined
}

/**
 * The entry as it is shown to the account that owns the entry's client, or that made the entry's authorization. The
 * account sees the names, addresses and user agents of its own users only.
 */
export function entryForOwner(entry: AuditEntry, viewerAccountId: string): EntryForOwner {
  const { actor, accountId, userId, address, userAgent, ...rest } = entry
  // A user of another account has connected the application, or has disconnected it.
  if (accountId !== viewerAccountId) return withKnown({ ...rest, by: otherAccount(entry) })
  const own = { ...rest, accountId, userId }
  if (actor === undefined ? hasKnownOrigin(entry) : isActorOf(actor, accountId)) {
    return withKnown({ ...own, actor, address, userAgent })
  }
  return withKnown({ ...own, by: actor === undefined ? undefined : 'service' })
}

/** The account may see the origin if the account itself or a stranger sent the request. */
function hasKnownOrigin({ name, outcome, reason }: AuditEntry): boolean {
  return outcome === 'failure' || name.startsWith('consent.') || reason !== undefined
}

function otherAccount({ name, actor, accountId }: AuditEntry): EntryForOwner['by'] {
  if (actor === undefined) return name.startsWith('consent.') ? 'user' : undefined
  return accountId !== undefined && isActorOf(actor, accountId) ? 'user' : 'service'
}

function withKnown(entry: EntryForOwner): EntryForOwner {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as EntryForOwner
}
