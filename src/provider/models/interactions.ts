import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { ROUTES } from '../routes.ts'
import { isText, listOf, objectOf, optional } from '../../store/shape.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const INTERACTION = payloadFields('Interaction', {
  prompt: objectOf({ name: isText, reasons: listOf(isText), details: objectOf({}) }),
  params: objectOf({ client_id: isText }),
  session: optional(objectOf({ uid: optional(isText), accountId: optional(isText) })),
  result: optional(objectOf({})),
})

/**
 * Authorization requests that wait for a person, stored under the digest of their id. What in the payload
 * could be used (the id in `returnTo`, the session's cookie) is taken out, and put back from the id itself.
 *
 * Relies on: those two are all of the kind, and of the session only its `uid` and `accountId` are read again.
 */
export function interactions(store: Store, issuer: string): Adapter {
  const pending = createCollection<AdapterPayload>(store, {
    name: 'interaction',
    version: 1,
    fields: INTERACTION,
  })
  return modelAdapter('Interaction', {
    async upsert(id, payload, ttl) {
      // It ended while the host was waited for. Nothing is stored for no time at all.
      if (ttl !== undefined && ttl < 1) {
        throw new errors.SessionNotFound('this authorization request has expired')
      }
      const session = payload.session && { ...payload.session, cookie: undefined }
      const record = { ...withoutId(payload), session, returnTo: undefined }
      if (payload.result === undefined) return pending.set(digest(id), record, ttl)
      // An answer only goes to what still waits for one: a blind write would bring back what another tab has
      // answered and left, and of two decisions the first one counts.
      const now = await pending.update(digest(id), (stored) => (isDecided(stored) ? undefined : record), ttl)
      if (now !== record) throw answeredAlready()
    },
    async find(id) {
      const payload = await pending.get(digest(id))
      return payload && { ...payload, jti: id, returnTo: `${issuer}${ROUTES.authorization}/${id}` }
    },
    async destroy(id) {
      const existed = await pending.delete(digest(id))
      // Two tabs that come back at the same moment: one goes on, so that there is one code.
      if (!existed && Provider.ctx?.oidc.route === 'resume') {
        throw answeredAlready()
      }
    },
  })
}

/** Whether the person has approved or denied; whoever signs in may do so again. */
function isDecided({ prompt, result }: AdapterPayload): boolean {
  return prompt?.name === 'consent' && result !== undefined
}

function answeredAlready(): Error {
  return new errors.SessionNotFound('this authorization request has been answered already')
}
