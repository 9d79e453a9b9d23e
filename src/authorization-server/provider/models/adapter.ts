import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { createCollection, type Collection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { countRule, type Fields, oneOf, optional, stringRule } from '../../../validation/rules.ts'
import { isServiceUnavailable } from '../service-unavailable.ts'
import { requestState } from '../request-state.ts'

const NAMES = [
  'upsert',
  'find',
  'findByUid',
  'findByUserCode',
  'consume',
  'destroy',
  'revokeByGrantId',
] as const

type Method = (...args: never[]) => Promise<unknown>

/**
 * An adapter for one model of oidc-provider. A missing method throws: such a call is our bug and must not
 * look like "nothing found".
 *
 * After a failure of the store, later calls of the request fail at once. oidc-provider makes such calls: it
 * reads the client to find out where to send the error, and it saves the session.
 */
export function modelAdapter(model: string, methods: Partial<Adapter>): Adapter {
  const unsupported = (name: string) => async () => {
    throw new TypeError(`${model}.${name} is not supported`)
  }
  return Object.fromEntries(
    NAMES.map((name) => [name, failFast(methods[name] ?? unsupported(name))]),
  ) as unknown as Adapter
}

function failFast(method: Method): Method {
  return async (...args) => {
    const state = Provider.ctx && requestState(Provider.ctx)
    if (state?.unavailable) throw state.unavailable
    try {
      return await method(...args)
    } catch (error) {
      if (state && isServiceUnavailable(error)) state.unavailable = error
      throw error
    }
  }
}

/** For most models, the `jti` is the credential itself. */
export function withoutId(payload: AdapterPayload): Omit<AdapterPayload, 'jti'> {
  const { jti: _credential, ...rest } = payload
  return rest
}

/**
 * The stored payloads of one model of oidc-provider.
 *
 * Relies on: each payload contains the name of its model, its time of issue and its expiry time; and the id of its
 * account, client or grant if it belongs to one.
 */
export function payloadCollection(
  store: Store,
  name: string,
  model: string,
  more: Fields,
): Collection<AdapterPayload> {
  const fields = {
    kind: oneOf(model),
    iat: countRule,
    exp: countRule,
    accountId: optional(stringRule),
    clientId: optional(stringRule),
    grantId: optional(stringRule),
    scope: optional(stringRule),
    ...more,
  }
  return createCollection(store, { name, version: 1, fields })
}
