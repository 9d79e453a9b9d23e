import { isActorOf, possiblePeopleOf } from '../host/actor.ts'
import type { Person } from '../host/subject.ts'
import type { AuditEntry, PendingEntry } from './entry.ts'

export interface ErasedPeople {
  /** An erased account covers all its users. @param at when the record was made, in milliseconds since the epoch */
  covers(person: Person, at: number): boolean
}

/** All other fields are removed, also fields that a later version adds. */
const KEPT: ReadonlySet<string> = new Set([
  ...(['id', 'at', 'name', 'outcome', 'kind', 'clientId', 'grantId', 'tokenId', 'keyId'] as const),
  ...([
    'change',
    'target',
    'scopes',
    'denied',
    'added',
    'removed',
    'reason',
    'count',
    'until',
    'leakSource',
    'revokedTokens',
  ] as const),
  ...(['accountId', 'actor', 'address', 'userAgent', 'erased'] as const),
] satisfies (keyof AuditEntry)[])

const ORIGIN = ['actor', 'address', 'userAgent']

/** The value of `change` for a client that got a new owner. The `target` of such an entry is a user. */
const TO_USER = 'owner'

/** Removes from an entry what identifies erased people, but not a colleague. @returns the same object for no change */
export function eraseEntry(entry: AuditEntry, people: ErasedPeople): AuditEntry {
  const { accountId, userId, actor, change, target, at } = entry
  const isErased = (person: Person) => people.covers(person, at)
  const isAbout = accountId !== undefined && isErased({ accountId, userId })
  const isAccount = accountId !== undefined && isErased({ accountId })
  const isBy = actor !== undefined && possiblePeopleOf(actor).some(isErased)
  const isTo = accountId !== undefined && change === TO_USER && isErased({ accountId, userId: target })
  if (!isAbout && !isBy && !isTo) return entry
  const isByColleague =
    !isAccount && accountId !== undefined && actor !== undefined && isActorOf(actor, accountId)
  const removed = new Set([
    ...(isBy || (isAbout && !isByColleague) ? ORIGIN : []),
    ...(isTo ? ['target'] : []),
    ...(isAbout ? ['userId'] : []),
    ...(isAccount ? ['accountId'] : []),
  ])
  const left = Object.entries(entry).filter(([name]) => !removed.has(name) && (!isAbout || KEPT.has(name)))
  return { ...(Object.fromEntries(left) as unknown as AuditEntry), erased: true }
}

export function erasePending<Pending extends PendingEntry>(pending: Pending, people: ErasedPeople): Pending {
  const entry = eraseEntry(pending.entry, people)
  return entry === pending.entry ? pending : { ...pending, entry }
}
