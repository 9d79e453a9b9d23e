import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { addressGroup } from '../../../http/rate-limit-group.ts'
import { digest } from '../../../store/digest.ts'
import type { ProviderDependencies } from '../dependencies.ts'
import { currentContext, requestState } from '../request-state.ts'
import { ROUTES } from '../routes.ts'
import { objectOf, optional, stringRule } from '../../../validation/rules.ts'
import { modelAdapter, payloadCollection } from './adapter.ts'

const INTERACTION = {
  prompt: objectOf({ name: stringRule }),
  params: objectOf({ client_id: stringRule }),
  session: optional(objectOf({ uid: optional(stringRule), accountId: optional(stringRule) })),
  result: optional(objectOf({})),
}

const NAME = 'interaction'

export function interactionKey(uid: string): string {
  return `${NAME}:${digest(uid)}`
}

/**
 * Interactions: the first decision counts. Stored under the digest of their id, without a credential: neither the
 * session's cookie nor the id itself. `returnTo` contains the id, so it is added only when the payload is read.
 */
export function interactions({ store, settings, pendingInteractions }: ProviderDependencies): Adapter {
  const pending = payloadCollection(store, NAME, 'Interaction', INTERACTION)

  async function create(id: string, record: AdapterPayload, ttl: number | undefined): Promise<void> {
    pendingInteractions.admit(addressGroup(requestState(currentContext()).host.ip), id)
    try {
      await pending.set(id, record, ttl)
    } catch (error) {
      pendingInteractions.release(id)
      throw error
    }
  }

  return modelAdapter('Interaction', {
    async upsert(id, payload, ttl) {
      // A `ttl` below 1 means that the interaction expired while a callback of the host was running.
      if (ttl !== undefined && ttl < 1) {
        throw new errors.SessionNotFound('this authorization request has expired')
      }
      const record = recordOf(payload)
      if (payload.result === undefined) return create(digest(id), record, ttl)
      // The first decision counts. An unconditional write would restore an interaction that another tab has completed.
      const now = await pending.update(digest(id), (stored) => (isDecided(stored) ? undefined : record), ttl)
      if (now !== record) throw alreadyAnswered()
    },
    async find(id) {
      const payload = await pending.get(digest(id))
      return payload && { ...payload, jti: id, returnTo: `${settings.issuer}${ROUTES.authorization}/${id}` }
    },
    async destroy(id) {
      const existed = await pending.delete(digest(id))
      pendingInteractions.release(digest(id))
      // If the browser returns in two tabs at the same moment, only one code is issued.
      if (!existed && Provider.ctx?.oidc.route === 'resume') throw alreadyAnswered()
    },
  })
}

/** A sign-in is no decision: the person may sign in again. */
function isDecided({ prompt, result }: AdapterPayload): boolean {
  return prompt?.name !== 'login' && result !== undefined
}

/** Parameters that no code reads after the authorization request has been checked. */
const UNUSED = ['acr_values', 'claims_locales', 'display']

/**
 * Only the fields that are read later are stored, because strangers can start any number of interactions.
 *
 * Relies on: oidc-provider reads only `uid` and `accountId` of the session. Our pages read only the name of
 * the prompt. `lastSubmission` and `result` hold the person's answers.
 */
function recordOf(payload: AdapterPayload): AdapterPayload {
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

function alreadyAnswered(): Error {
  return new errors.SessionNotFound('this authorization request has been answered already')
}
