import { randomBytes } from 'node:crypto'
import { isPendingEntry, type PendingEntry } from '../audit/entry.ts'
import { isStoreUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import { asRevocation } from '../revocation/revocation.ts'
import { metCorruptMember, type StoreWithMemory } from '../store/met-corrupt-records.ts'
import { membersOf } from '../store/pages-of-index.ts'
import { paddedTime } from '../store/time-index.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'
import { findProblems, listOf, must, objectOf, oneOf, optional, stringRule } from '../validation/rules.ts'

/** What a changed record says: which of its tokens are revoked, or what else is to be deleted. */
export interface Subject {
  readonly of: 'client' | 'grant' | 'account' | 'host'
  readonly id: string
}

/** What is to be finished of a change. */
export interface Unfinished {
  /** The key of the changed record, whose outbox has the entries of the change. */
  readonly record?: string | undefined
  /** Asked when the change is finished. */
  readonly subject?: Subject | undefined
  readonly revokes?: readonly RevocationSpec[] | undefined
  /** Of a change whose record carries no entry, or ends with the change. */
  readonly entry?: PendingEntry | undefined
  /** How another process finds out whether the change was made. Without it, finishing the change makes it. */
  readonly proof?: Proof | undefined
}

export interface Proof {
  /** The key of a record that exists before the change. The change replaces the record, which is deleted later. */
  readonly key: string
  /** A text that the record contains only after the change. */
  readonly text: string
}

const RULES = {
  record: optional(stringRule),
  subject: optional(objectOf({ of: oneOf('client', 'grant', 'account', 'host'), id: stringRule })),
  revokes: optional(
    listOf(must('a revocation', (value) => asRevocation({ until: 0, ...Object(value) }) !== undefined)),
  ),
  entry: optional(must('an audit entry', isPendingEntry)),
  proof: optional(objectOf({ key: stringRule, text: stringRule })),
}

const INDEX = 'changes:unfinished'

const PREFIX = /^\d{13}:[\w-]{8}:/
const PREFIX_LENGTH = 23

/** A member that is older belongs to a process that has probably stopped. */
export const ABANDONED_AFTER_MS = 15_000

/** Until then the change is finished again, because the process that began it may be slow, and overwrite it late. */
const REMOVE_AFTER_MS = 600_000

const RESUME_INTERVAL_MS = 60_000

/**
 * The list of the changes that are not finished yet. A member, `<milliseconds>:<random>:<what is unfinished>`, is added
 * before a change, and removed when all is stored. If its process stops before that, another one finishes the change.
 */
export function createUnfinishedList(parts: {
  readonly store: StoreWithMemory
  /** For which a member is kept if no process finishes its change. */
  readonly maxAgeSeconds: () => number
  readonly logger: Logger
  readonly now: () => number
}) {
  const { store, maxAgeSeconds, logger, now } = parts
  /** When this process last finished each member. */
  let resumedAt = new Map<string, number>()

  /** Never rejects. If the member stays, its change is finished again, which is harmless. */
  async function remove(member: string): Promise<void> {
    await store.remove(INDEX, member).catch((error: unknown) => {
      logger.debug({ err: error }, 'a finished change stays listed; it will be finished again')
    })
  }

  async function readMembers(): Promise<string[]> {
    const members = await membersOf(store, INDEX)
    if (members.some((member) => unfinishedOf(member) === undefined)) metCorruptMember(store, INDEX)
    return members
  }

  function isDue(member: string): boolean {
    const age = ageOf(member, now())
    if (age <= ABANDONED_AFTER_MS) return false
    const resumed = resumedAt.get(member)
    return resumed === undefined || age > REMOVE_AFTER_MS || Math.abs(now() - resumed) > RESUME_INTERVAL_MS
  }

  return {
    remove,

    /** Call this before the change begins. `remove` takes the result. */
    async add(unfinished: Unfinished): Promise<string> {
      const time = paddedTime(now())
      const member = `${time}:${randomBytes(6).toString('base64url')}:${JSON.stringify(unfinished)}`
      await store.add(INDEX, member, maxAgeSeconds())
      return member
    },

    /** Of all processes, each once. */
    async all(): Promise<readonly Unfinished[]> {
      return [...byText(await readMembers()).values()].map(({ unfinished }) => unfinished)
    },

    /** Each new member keeps the time of the old one, so that the change is still finished in time. */
    async rewrite(change: (unfinished: Unfinished) => Unfinished): Promise<void> {
      for (const member of await readMembers()) {
        const unfinished = unfinishedOf(member)
        const changed = unfinished && change(unfinished)
        if (changed === unfinished) continue
        await store.add(INDEX, member.slice(0, PREFIX_LENGTH) + JSON.stringify(changed), maxAgeSeconds())
        await store.remove(INDEX, member)
      }
    },

    /**
     * @param finish may be called while the change is made, and again; false if it goes on
     * @throws {GatehouseError} only `ERR_STORE_UNAVAILABLE`, after the work on all others
     */
    async finishDue(finish: (unfinished: Unfinished) => Promise<boolean>): Promise<void> {
      const members = await readMembers()
      let unavailable: unknown
      const listed = new Set(members)
      resumedAt = new Map([...resumedAt].filter(([member]) => listed.has(member)))
      for (const { unfinished, members: own } of byText(members.filter(isDue)).values()) {
        let isFinished = false
        try {
          isFinished = await finish(unfinished)
        } catch (error) {
          // Its server may be another than that of the next change.
          if (isStoreUnavailable(error)) unavailable ??= error
          else logger.error({ err: error }, 'an unfinished change could not be finished; trying again')
          continue
        }
        for (const member of own) {
          resumedAt.set(member, now())
          if (isFinished && ageOf(member, now()) > REMOVE_AFTER_MS) await remove(member)
        }
      }
      // A member in another format, such as one of a newer version, counts as too old.
      const longest = Math.max(maxAgeSeconds() * 1000, REMOVE_AFTER_MS)
      for (const member of members.filter((each) => ageOf(each, now()) > longest)) await remove(member)
      if (unavailable) throw unavailable
    },
  }
}

/** The time of a member may be in the past or in the future; `Infinity` for a corrupt member. */
function ageOf(member: string, now: number): number {
  return PREFIX.test(member) ? Math.abs(now - Number(member.slice(0, 13))) : Infinity
}

function unfinishedOf(member: string): Unfinished | undefined {
  const value = PREFIX.test(member) ? parseJson(member.slice(PREFIX_LENGTH)) : undefined
  return isObject(value) && findProblems(value, RULES).length === 0 ? value : undefined
}

/** Members of equal changes together. Corrupt members are left out. */
function byText(members: readonly string[]) {
  const groups = new Map<string, { readonly unfinished: Unfinished; readonly members: string[] }>()
  for (const member of members) {
    const [text, unfinished] = [member.slice(PREFIX_LENGTH), unfinishedOf(member)]
    const known = groups.get(text)
    if (known) known.members.push(member)
    else if (unfinished) groups.set(text, { unfinished, members: [member] })
  }
  return groups
}
