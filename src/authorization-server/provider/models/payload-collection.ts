import type { AdapterPayload } from 'oidc-provider'
import { createCollection, type Collection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { countRule, type Fields, oneOf, optional, stringRule } from '../../../validation/rules.ts'

/**
 * The stored payloads of one model of oidc-provider.
 *
 * Relies on: each payload is stored with the name of its model, its times, and its owner if it has one.
 *
 * @param name of the stored records
 * @param more the fields that only this model has
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
