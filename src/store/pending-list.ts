import { randomBytes } from 'node:crypto'
import { isStoreUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import { metCorruptMember, type StoreWithMemory } from './met-corrupt-records.ts'
import { membersOf } from './pages-of-index.ts'

const PREFIX = /^\d{13}:[\w-]{8}:/
const PREFIX_LENGTH = 23

/** A member that is older belongs to a process that has probably stopped. Others complete its change. */
export const ABANDONED_AFTER_MS = 15_000

/** Until then the change is repeated, because the process that began it may be slow, and overwrite it late. */
const REMOVE_AFTER_MS = 600_000

const RESUME_INTERVAL_MS = 60_000

/**
 * A list of changes that are not finished yet. A process adds a member before it begins a change, and removes it when
 * everything that belongs to the change is stored. If the process stops before that, another process completes the
 * change. Members are `<milliseconds>:<random>:<subject>`. The log says `what` a member means.
 */
export function createPendingList(parts: {
  readonly store: StoreWithMemory
  readonly index: string
  readonly keptSeconds: () => Promise<number>
  readonly maxAgeSeconds: () => number
  readonly what: string
  readonly logger: Logger
  readonly now: () => number
}) {
  const { store, index, keptSeconds, maxAgeSeconds, what, logger, now } = parts
  /** When this process last completed each member. */
  let resumedAt = new Map<string, number>()

  /** Never rejects. If the member stays, its change is completed again, which is harmless. */
  async function remove(member: string): Promise<void> {
    await store.remove(index, member).catch((error: unknown) => {
      logger.debug({ err: error }, `a completed ${what} stays listed; it will be completed again`)
    })
  }

  async function readMembers(): Promise<string[]> {
    const members = await membersOf(store, index)
    if (members.some((member) => !PREFIX.test(member))) metCorruptMember(store, index)
    return members
  }

  function isDue(member: string): boolean {
    const age = ageOf(member, now())
    if (age <= ABANDONED_AFTER_MS) return false
    const resumed = resumedAt.get(member)
    return resumed === undefined || age > REMOVE_AFTER_MS || Math.abs(now() - resumed) > RESUME_INTERVAL_MS
  }

  /** @throws {GatehouseError} only `ERR_STORE_UNAVAILABLE`, so that one subject does not stop the work on others */
  async function resumeMembers(members: readonly string[], resume: () => Promise<boolean>): Promise<void> {
    try {
      if (!(await resume())) return metCorruptMember(store, index)
    } catch (error) {
      if (isStoreUnavailable(error)) throw error
      logger.error({ err: error }, `a pending ${what} could not be completed; trying again`)
      return
    }
    for (const member of members) {
      resumedAt.set(member, now())
      if (ageOf(member, now()) > REMOVE_AFTER_MS) await remove(member)
    }
  }

  return {
    remove,

    /** Each new member keeps the time of the old one, so that the change is still completed in time. */
    async rewrite(change: (subject: string) => string): Promise<void> {
      for (const member of (await readMembers()).filter((each) => PREFIX.test(each))) {
        const changed = member.slice(0, PREFIX_LENGTH) + change(member.slice(PREFIX_LENGTH))
        if (changed === member) continue
        await store.add(index, changed, await keptSeconds())
        await store.remove(index, member)
      }
    },

    /** The subjects of all pending changes of all processes, without duplicates. */
    list: async (): Promise<string[]> => [...groupBySubject(await readMembers()).keys()],

    /** Call this before the change of the subject begins. `remove` takes the result. */
    async add(subject: string): Promise<string> {
      const time = String(now()).padStart(13, '0')
      const member = `${time}:${randomBytes(6).toString('base64url')}:${subject}`
      await store.add(index, member, await keptSeconds())
      return member
    },

    /** `resume` may be called while the change runs, and again. It returns false for a subject that it cannot read. */
    async resumeAll(resume: (subject: string) => Promise<boolean>): Promise<void> {
      const members = await readMembers()
      const listed = new Set(members)
      resumedAt = new Map([...resumedAt].filter(([member]) => listed.has(member)))
      const due = members.filter((member) => PREFIX.test(member) && isDue(member))
      for (const [subject, ofSubject] of groupBySubject(due)) {
        await resumeMembers(ofSubject, () => resume(subject))
      }
      // A member in another format, such as one of a newer version, counts as too old.
      const longest = Math.max(maxAgeSeconds() * 1000, REMOVE_AFTER_MS)
      for (const member of members.filter((each) => ageOf(each, now()) > longest)) await remove(member)
    },
  }
}

/** The time of a member may be in the past or in the future; `Infinity` for a corrupt member. */
function ageOf(member: string, now: number): number {
  return PREFIX.test(member) ? Math.abs(now - Number(member.slice(0, 13))) : Infinity
}

function groupBySubject(members: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const member of members) {
    const subject = member.slice(PREFIX_LENGTH)
    groups.set(subject, [...(groups.get(subject) ?? []), member])
  }
  return groups
}
