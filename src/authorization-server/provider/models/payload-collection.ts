import type { AdapterPayload } from 'oidc-provider'
import { createCollection, type Collection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { countRule, type Fields, oneOf, optional, stringRule } from '../../../validation/rules.ts'

/**
 * The stored payloads of one model of oidc-provider.
 *
 * Relies on: each payload contains the name of its model, its time of issue and its expiry time. If the
 * payload belongs to an account, a client or a grant, it also contains the id of that owner.
 *
 * @param name the name of the collection in the store
 * @param more the fields that only this model has, with their rules
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
