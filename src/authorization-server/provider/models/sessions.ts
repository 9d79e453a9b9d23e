import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createCollection, type Stored } from '../../../store/collection.ts'
import { createSessionList, SESSION_UIDS, SESSIONS } from '../../../access/session-list.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { countRule, mapOf, objectOf, optional, stringRule } from '../../../validation/rules.ts'
import { isCorruptRecord } from '../../../store/corrupt-record.ts'
import type { ProviderParts } from '../dependencies.ts'
import { isReplacedSession, isSignOutRequest, sessionOfRequest, type FoundSession } from '../seam/sessions.ts'
import { modelAdapter, withoutId, payloadCollection } from './adapter.ts'

const SESSION = {
  uid: stringRule,
  loginTs: optional(countRule),
  authorizations: optional(mapOf(objectOf({ sid: optional(stringRule), grantId: optional(stringRule) }))),
}

/** For one second after a sign-out, the `uid` of the session points to this id, which no session has. */
const NONE = ''

function sessionRecords(store: Store) {
  const sessionsById = payloadCollection(store, SESSIONS, 'Session', SESSION)
  const list = createSessionList(store)
  const idsByUid = createCollection<{ id: string }>(store, {
    name: SESSION_UIDS,
    version: 1,
    fields: { id: stringRule },
  })
  const asStored = <T extends object>(collection: { toText(record: T): string }, record: T): Stored<T> => ({
    record,
    text: collection.toText(record),
  })

  async function create(id: string, record: AdapterPayload, ttl: number): Promise<void> {
    // The pointer and the entry of the list come first, so that every stored session has both.
    await Promise.all([idsByUid.set(uidOf(record), { id }, ttl), list.add(id, record, ttl)])
    await sessionsById.set(id, record, ttl)
    await list.limit(id, record)
  }

  /** False after a sign-out. */
  function repoint(uid: string, from: string, to: string, ttl: number): Promise<boolean> {
    return idsByUid.replace(uid, asStored(idsByUid, { id: from }), { id: to }, ttl)
  }

  /** Restores a lost or corrupt pointer. */
  async function extendPointer(uid: string, id: string, ttl: number): Promise<void> {
    try {
      if (!(await repoint(uid, id, id, ttl))) await idsByUid.create(uid, { id }, ttl)
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      await idsByUid.set(uid, { id }, ttl)
    }
  }

  async function update(found: FoundSession, changed: AdapterPayload, ttl: number): Promise<void> {
    const { id } = found
    const before = found.stored.record
    for (;;) {
      const next = { ...found.stored.record, ...changesOf(before, changed) }
      const [isWritten] = await Promise.all([
        sessionsById.replace(id, found.stored, next, ttl),
        extendPointer(uidOf(before), id, ttl),
        list.add(id, next, ttl, before.accountId === next.accountId ? before.exp : undefined),
      ])
      if (isWritten) {
        found.stored = asStored(sessionsById, next)
        if (before.accountId !== next.accountId) await list.limit(id, next)
        return
      }
      const now = await sessionsById.read(id)
      if (!now || now.record.accountId !== before.accountId) return
      found.stored = now
    }
  }

  /**
   * If the person signs out at the same time, the session is deleted under both ids. But a session that also
   * gets a new `uid` is a new sign-in, which a sign-out from the old session does not end.
   */
  async function move(found: FoundSession, id: string, record: AdapterPayload, ttl: number): Promise<void> {
    const [from, uid] = [found.id, uidOf(record)]
    const isNewUid = uid !== uidOf(found.stored.record)
    await Promise.all([sessionsById.set(id, record, ttl), list.add(id, record, ttl)])
    const existed = await sessionsById.delete(from)
    if (existed && isNewUid) await idsByUid.set(uid, { id }, ttl)
    if (existed && (isNewUid || (await repoint(uid, from, id, ttl)))) {
      // The entry of the old id is still listed.
      await list.limit(id, record)
      Object.assign(found, { id, stored: asStored(sessionsById, record) })
    } else await sessionsById.delete(id)
  }

  async function deleteByUid(uid: string): Promise<void> {
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

  return { sessionsById, idsByUid, create, update, move, deleteByUid }
}

/**
 * Our sessions in browsers, stored under the digest of the session cookie. A second record points to the
 * session from its `uid`, which is no credential, and stays the same when the cookie changes.
 *
 * At the end of each request, oidc-provider saves its session. A session that was read is written only if the
 * store still has it, so that a pending request does not restore the session after a sign-out. A session
 * without a person is usually not stored (`isEmpty`), because strangers can start any number of them.
 */
export function sessions({ store, memory }: ProviderParts): Adapter {
  const { sessionsById, idsByUid, create, update, move, deleteByUid } = sessionRecords(store)

  return modelAdapter('Session', {
    async upsert(cookie, payload, ttl = 0) {
      const { found, ...rest } = payload as AdapterPayload & { found?: FoundSession }
      const [id, record] = [digest(cookie), withoutId(rest)]
      if (!found) {
        if (isEmpty(record)) return
        memory.requireSpace()
        return create(id, record, ttl)
      }
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
      // The session continues under another cookie, and `move` deletes it under the old one.
      if (isReplacedSession(cookie)) return
      const uid = sessionOfRequest()?.uid
      await Promise.all([
        sessionsById.delete(digest(cookie)),
        uid === undefined ? undefined : deleteByUid(uid),
      ])
    },
  })
}

function uidOf({ uid }: AdapterPayload): string {
  if (uid === undefined) throw new TypeError('the session has no uid')
  return uid
}

/** During a sign-out request, `answerWithoutSession` stores a session without a person later. */
function isEmpty({ accountId, state }: AdapterPayload): boolean {
  return accountId === undefined && (state === undefined || isSignOutRequest())
}

/** A removed field is undefined. */
function changesOf(before: AdapterPayload, after: AdapterPayload): AdapterPayload {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof AdapterPayload>
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}
