import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { isCount, isText, mapOf, objectOf, optional } from '../../store/shape.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const SESSION = payloadFields('Session', {
  uid: isText,
  loginTs: optional(isCount),
  authorizations: optional(mapOf(objectOf({ sid: optional(isText), grantId: optional(isText) }))),
})

/**
 * Our sessions in browsers, stored under the digest of the cookie. `uid` stays the same when the cookie
 * changes, and is no credential; a second record leads from it to the session.
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
    fields: { id: isText },
  })
  return modelAdapter('Session', {
    async upsert(cookie, payload, ttl) {
      const id = digest(cookie)
      await sessionsById.set(id, withoutId(payload), ttl)
      if (payload.uid !== undefined) await idsByUid.set(payload.uid, { id }, ttl)
    },
    async find(cookie) {
      const payload = await sessionsById.get(digest(cookie))
      return payload && { ...payload, jti: cookie }
    },
    async findByUid(uid) {
      const pointer = await idsByUid.get(uid)
      return pointer && sessionsById.get(pointer.id)
    },
    async destroy(cookie) {
      await sessionsById.delete(digest(cookie))
    },
  })
}
