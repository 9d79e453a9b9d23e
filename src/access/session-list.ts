import type { ErasedPeople } from '../audit/erase-entry.ts'
import { personOf } from '../host/subject.ts'
import { addEntry, bucketOf, openBuckets, type BucketedIndex } from '../store/bucketed-index.ts'
import type { Store } from '../store/contract.ts'
import { pagesOf, readMembers } from '../store/pages-of-index.ts'
import { digest } from '../store/digest.ts'
import { isObject } from '../validation/predicates.ts'

export const SESSIONS = 'session'
/** From a `uid` to its session. */
export const SESSION_UIDS = 'session-uid'

const MAX_SESSIONS = 50

const BUCKETS = { spanSeconds: 7 * 86_400, slackSeconds: 86_400 }

/** `accountId` is the subject of the signed-in person; `iat` is in epoch seconds. */
type Session = { readonly accountId?: string | undefined; readonly iat?: number | undefined }

/**
 * Lists the sessions of each account, so that they can be erased, and so that each person has at most `MAX_SESSIONS`. A
 * session is listed in the bucket of its expiry (`bucketed-index.ts`). In a bucket, the sessions of a person are next
 * to each other, the oldest first.
 */
export function createSessionList(store: Store) {
  const indexOf = (accountId: string): BucketedIndex => ({
    store,
    // The host's account ids may have any length and any characters, so they are hashed.
    name: `sessions:of:${digest(accountId)}`,
    ...BUCKETS,
  })

  return {
    /** Call it before the session is stored. @param ttl seconds @param listedUntil epoch seconds, if it is listed */
    async add(id: string, session: Session, ttl: number, listedUntil = 0): Promise<void> {
      const { accountId: subject } = session
      if (subject === undefined) return
      const now = Date.now() / 1000
      if (bucketOf(BUCKETS, listedUntil) === bucketOf(BUCKETS, now + ttl)) return
      await addEntry(indexOf(personOf(subject).accountId), memberOf(id, subject, session), now + ttl, now)
    },

    /** Deletes the oldest sessions of a person who has too many. Call it after a new session was stored. */
    async limit(id: string, session: Session): Promise<void> {
      const { accountId: subject } = session
      if (subject === undefined) return
      const { reader, index, remove } = openBuckets(indexOf(personOf(subject).accountId))
      const prefix = tagOf(subject)
      const members = await readMembers(reader, index, { prefix })
      // Another process may have removed this session from the list before it was stored.
      if (!members.includes(memberOf(id, subject, session))) await store.delete(`${SESSIONS}:${id}`)
      if (members.length <= MAX_SESSIONS) return
      const texts = await store.getMany(members.map(keyOf))
      // A session that began within the last minute may be listed, but not stored yet.
      const recent = `${prefix}${Math.floor(Date.now() / 1000) - 60}`
      const stored = new Set(members.filter((_, at) => texts[at] !== undefined))
      const ended = [...stored].slice(0, -MAX_SESSIONS)
      const removed = members.filter((each) => (stored.has(each) ? ended.includes(each) : each <= recent))
      await Promise.all(
        removed.map(async (each) => {
          await store.delete(keyOf(each))
          const [, uid] = /"uid":"([\w-]+)"/.exec(texts[members.indexOf(each)] ?? '') ?? []
          if (uid !== undefined) await store.delete(`${SESSION_UIDS}:${uid}`)
          await remove(each)
        }),
      )
    },

    /** Deletes the sessions of people who are erased. May be repeated. */
    async erase(accountId: string, people: ErasedPeople): Promise<void> {
      const { reader, index, remove } = openBuckets(indexOf(accountId))
      for await (const members of pagesOf(reader, index)) {
        const texts = await store.getMany(members.map(keyOf))
        const gone = members.filter((_, at) => isGone(texts[at], people))
        await Promise.all(gone.map((each) => store.delete(keyOf(each))))
        await Promise.all(gone.map(remove))
      }
    },
  }
}

export type SessionList = ReturnType<typeof createSessionList>

/** Two people of an account hardly ever have the same tag. */
function tagOf(subject: string): string {
  return `${digest(subject).slice(0, 8)}:`
}

/** At most 64 characters, because Redis needs more memory for a list with a longer member. */
function memberOf(id: string, subject: string, { iat = 0 }: Session): string {
  return `${tagOf(subject)}${String(iat).padStart(10, '0')}:${id}`
}

function keyOf(member: string): string {
  return `${SESSIONS}:${member.slice(member.lastIndexOf(':') + 1)}`
}

/** False for a corrupt session, which expires by itself. */
function isGone(text: string | undefined, people: ErasedPeople): boolean {
  if (text === undefined) return true
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || typeof value['accountId'] !== 'string') return false
    return people.covers(personOf(value['accountId']), Number(value['iat']) * 1000)
  } catch {
    return false
  }
}
