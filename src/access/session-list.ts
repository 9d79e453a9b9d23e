import type { ErasedPeople } from '../audit/erase-entry.ts'
import { personOf } from '../host/subject.ts'
import {
  addEntry,
  bucketOf,
  listBuckets,
  rangeOfBucket,
  removeEntry,
  type BucketedIndex,
} from '../store/bucketed-index.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { isObject } from '../validation/predicates.ts'

/** The name of the collection of sessions. */
export const SESSIONS = 'session'

const BUCKETS = { spanSeconds: 7 * 86_400, slackSeconds: 86_400 }

const PAGE_SIZE = 1000

/**
 * Lists the sessions of each account, so that they can be erased. A session is listed in the bucket of its expiry
 * (`bucketed-index.ts`).
 */
export function createSessionList(store: Store) {
  const indexOf = (accountId: string): BucketedIndex => ({
    store,
    // The host's account ids may have any length and any characters, so they are hashed.
    name: `sessions:of:${digest(accountId)}`,
    ...BUCKETS,
  })

  return {
    /**
     * Lists a session.
     *
     * @param subject the subject of the signed-in person. If it is undefined, no person is signed in, and nothing is
     *   listed
     * @param ttl seconds until the session expires
     * @param listedUntil the expiry with which the session is listed already, in epoch seconds. If the new expiry is in
     *   the same bucket, the list does not change
     */
    async add(id: string, subject: string | undefined, ttl: number, listedUntil = 0): Promise<void> {
      if (subject === undefined) return
      const now = Date.now() / 1000
      if (bucketOf(BUCKETS, listedUntil) === bucketOf(BUCKETS, now + ttl)) return
      await addEntry(indexOf(personOf(subject).accountId), id, now + ttl, now)
    },

    /**
     * Deletes the sessions of people who are erased. May be repeated.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async erase(accountId: string, people: ErasedPeople): Promise<void> {
      const index = indexOf(accountId)
      for (const bucket of await listBuckets(index, Date.now() / 1000)) {
        for (let ids: string[] | undefined; ids === undefined || ids.length === PAGE_SIZE;) {
          ids = await rangeOfBucket(index, bucket, { after: ids?.at(-1), limit: PAGE_SIZE })
          const texts = await store.getMany(ids.map((id) => `${SESSIONS}:${id}`))
          const gone = ids.filter((_, at) => isGone(texts[at], people))
          await Promise.all(gone.map((id) => store.delete(`${SESSIONS}:${id}`)))
          await Promise.all(gone.map((id) => removeEntry(index, [bucket], id)))
        }
      }
    },
  }
}

/** Lists the sessions of each account. */
export type SessionList = ReturnType<typeof createSessionList>

/**
 * Whether a session has ended, or belongs to a person who is erased. False for a corrupt session, which expires by
 * itself.
 */
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
