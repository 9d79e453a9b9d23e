import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createCollection, type Stored } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { countRule, mapOf, objectOf, optional, stringRule } from '../../../validation/rules.ts'
import { isCorruptRecord } from '../../../store/corrupt-record.ts'
import { isReplacedSession, isSignOutRequest, sessionOfRequest, type FoundSession } from '../seam/sessions.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const SESSION = payloadFields('Session', {
  uid: stringRule,
  loginTs: optional(countRule),
  authorizations: optional(mapOf(objectOf({ sid: optional(stringRule), grantId: optional(stringRule) }))),
})

/** The id of no session: what the `uid` of a session that was signed out leads to, for a moment. */
const NONE = ''

/**
 * Our sessions in browsers, stored under the digest of the cookie. `uid` stays the same when the cookie
 * changes, and is no credential; a second record leads from it to the session.
 *
 * oidc-provider saves the session of every request at its end. A session that was found is only written while it is
 * still there, so that a request in flight never undoes a sign-out. Where nobody is signed in there is nothing to
 * store: strangers begin sessions by the thousand.
 */
export function sessions(store: Store): Adapter {
  const sessionsById = createCollection<AdapterPayload>(store, {
    name: 'session',
    version: 1,
    fields: SESSION,
  })
  const idsByUid = createCollection<{ id: string }>(store, {
    name: 'session-uid',
    version: 1,
    fields: { id: stringRule },
  })
  const asStored = <T extends object>(collection: { toText(record: T): string }, record: T): Stored<T> => ({
    record,
    text: collection.toText(record),
  })

  async function begin(id: string, record: AdapterPayload, ttl: number): Promise<void> {
    // First, so that no session is without it.
    await idsByUid.set(uidOf(record), { id }, ttl)
    await sessionsById.set(id, record, ttl)
  }

  /** Leads from a `uid` to another session; false if the session was signed out meanwhile. */
  function lead(uid: string, from: string, to: string, ttl: number): Promise<boolean> {
    return idsByUid.replace(uid, asStored(idsByUid, { id: from }), { id: to }, ttl)
  }

  /** Lets a `uid` go on leading to its session, also where the record was lost or is corrupt. */
  async function keepLeading(uid: string, id: string, ttl: number): Promise<void> {
    try {
      if (!(await lead(uid, id, id, ttl))) await idsByUid.create(uid, { id }, ttl)
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      await idsByUid.set(uid, { id }, ttl)
    }
  }

  /** Writes what this request changed of a session, unless it is gone, or somebody else is signed in by now. */
  async function update(found: FoundSession, changed: AdapterPayload, ttl: number): Promise<void> {
    const { id } = found
    const before = found.stored.record
    for (;;) {
      const next = { ...found.stored.record, ...changesOf(before, changed) }
      const [isWritten] = await Promise.all([
        sessionsById.replace(id, found.stored, next, ttl),
        keepLeading(uidOf(before), id, ttl),
      ])
      if (isWritten) {
        found.stored = asStored(sessionsById, next)
        return
      }
      const now = await sessionsById.read(id)
      if (!now || !isSamePerson(now.record, before)) return
      found.stored = now
    }
  }

  /** Puts a session under another id. A sign-out at the same time finds either the old one or the new one. */
  async function move(found: FoundSession, id: string, record: AdapterPayload, ttl: number): Promise<void> {
    const [from, uid] = [found.id, uidOf(record)]
    const isOther = uid !== uidOf(found.stored.record)
    await sessionsById.set(id, record, ttl)
    const isThere = await sessionsById.delete(from)
    if (isThere && isOther) await idsByUid.set(uid, { id }, ttl)
    if (isThere && (isOther || (await lead(uid, from, id, ttl)))) {
      Object.assign(found, { id, stored: asStored(sessionsById, record) })
    } else await sessionsById.delete(id)
  }

  /** Deletes the session that a `uid` leads to, and lets it lead to none any more. */
  async function endByUid(uid: string): Promise<void> {
    let last = NONE
    await idsByUid.update(
      uid,
      ({ id }) => {
        last = id
        return { id: NONE }
      },
      1,
    )
    if (last !== NONE) await sessionsById.delete(last)
  }

  return modelAdapter('Session', {
    async upsert(cookie, payload, ttl = 0) {
      const { found, ...rest } = payload as AdapterPayload & { found?: FoundSession }
      const [id, record] = [digest(cookie), withoutId(rest)]
      if (!found) return isEmpty(record) ? undefined : begin(id, record, ttl)
      return found.id === id ? update(found, record, ttl) : move(found, id, record, ttl)
    },
    async find(cookie) {
      const id = digest(cookie)
      const stored = await sessionsById.read(id)
      return stored && { ...stored.record, jti: cookie, found: { id, stored } satisfies FoundSession }
    },
    async findByUid(uid) {
      const pointer = await idsByUid.get(uid)
      return pointer && pointer.id !== NONE ? sessionsById.get(pointer.id) : undefined
    },
    async destroy(cookie) {
      // `move` deletes it, and only then writes the other one.
      if (isReplacedSession(cookie)) return
      const uid = sessionOfRequest()?.uid
      await Promise.all([sessionsById.delete(digest(cookie)), uid === undefined ? undefined : endByUid(uid)])
    },
  })
}

function uidOf({ uid }: AdapterPayload): string {
  if (uid === undefined) throw new TypeError('a session has a uid')
  return uid
}

/** Whether there is nothing to know of a session. Whether a sign-out of nobody is asked about is known later. */
function isEmpty({ accountId, state }: AdapterPayload): boolean {
  return accountId === undefined && (state === undefined || isSignOutRequest())
}

function isSamePerson(one: AdapterPayload, other: AdapterPayload): boolean {
  return one.accountId === other.accountId
}

/** The fields that differ; undefined where one was taken out. */
function changesOf(before: AdapterPayload, after: AdapterPayload): AdapterPayload {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof AdapterPayload>
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}
