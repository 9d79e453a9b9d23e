import { countRule, type Fields, oneOf, optional, stringRule } from '../../../validation/rules.ts'

/**
 * The fields that every stored payload of oidc-provider has.
 *
 * Relies on: each payload is stored with the name of its model, its times, and its owner if it has one.
 */
export function payloadFields(model: string, more: Fields): Fields {
  return {
    kind: oneOf(model),
    iat: countRule,
    exp: countRule,
    accountId: optional(stringRule),
    clientId: optional(stringRule),
    grantId: optional(stringRule),
    scope: optional(stringRule),
    ...more,
  }
}
