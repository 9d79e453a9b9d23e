import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { addressGroup } from '../../../http/client-address.ts'
import { createCollection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import type { InteractionAdmission } from '../endpoints/authorize/interaction-admission.ts'
import { requestState } from '../request-state.ts'
import { ROUTES } from '../routes.ts'
import { objectOf, optional, stringRule } from '../../../validation/rules.ts'
import { modelAdapter } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const INTERACTION = payloadFields('Interaction', {
  prompt: objectOf({ name: stringRule }),
  params: objectOf({ client_id: stringRule }),
  session: optional(objectOf({ uid: optional(stringRule), accountId: optional(stringRule) })),
  result: optional(objectOf({})),
})

/**
 * Authorization requests that wait for a person, stored under the digest of their id. What in the payload
 * could be used (the id in `returnTo`, the session's cookie) is left out, and put back from the id itself.
 */
export function interactions(
  store: Store,
  { issuer, authorizeRequest }: { readonly issuer: string; readonly authorizeRequest: InteractionAdmission },
): Adapter {
  const pending = createCollection<AdapterPayload>(store, {
    name: 'interaction',
    version: 1,
    fields: INTERACTION,
  })

  async function begin(id: string, record: AdapterPayload, ttl: number | undefined): Promise<void> {
    const { ctx } = Provider
    if (ctx) authorizeRequest.admit(addressGroup(requestState(ctx).host.ip), id)
    try {
      await pending.set(id, record, ttl)
    } catch (error) {
      authorizeRequest.release(id)
      throw error
    }
  }

  return modelAdapter('Interaction', {
    async upsert(id, payload, ttl) {
      // It ended while the host was waited for. Nothing is stored for no time at all.
      if (ttl !== undefined && ttl < 1) {
        throw new errors.SessionNotFound('this authorization request has expired')
      }
      const record = neededLater(payload)
      if (payload.result === undefined) return begin(digest(id), record, ttl)
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
      authorizeRequest.release(digest(id))
      // Two tabs that come back at the same moment: one goes on, so that there is one code.
      if (!existed && Provider.ctx?.oidc.route === 'resume') {
        throw answeredAlready()
      }
    },
  })
}

/** Whether the person has approved or denied; whoever signs in may do so again. */
function isDecided({ prompt, result }: AdapterPayload): boolean {
  return prompt?.name !== 'login' && result !== undefined
}

/** Parameters that nobody reads once a request has been checked. */
const UNUSED = ['acr_values', 'claims_locales', 'display']

/**
 * What of an interaction is read again. Strangers make as many as they like, so there is nothing else in the store.
 *
 * Relies on: of the session only `uid` and `accountId` are read, of the prompt only its name, by our pages; whom the
 * interaction came from and what the person answered before are those of the same name.
 */
function neededLater(payload: AdapterPayload): AdapterPayload {
  const { kind, iat, exp, params, prompt, session, lastSubmission, result } = payload
  const { uid, accountId } = session ?? {}
  return {
    kind,
    iat,
    exp,
    params: Object.fromEntries(Object.entries(params ?? {}).filter(([name]) => !UNUSED.includes(name))),
    prompt: { name: prompt?.name },
    session: session && { uid, accountId },
    lastSubmission,
    result,
  } as AdapterPayload
}

function answeredAlready(): Error {
  return new errors.SessionNotFound('this authorization request has been answered already')
}
