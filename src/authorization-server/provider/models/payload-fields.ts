import { is, isCount, isText, optional, type Fields } from '../../../validation/shape.ts'

/**
 * The fields that every stored payload of oidc-provider has.
 *
 * Relies on: each payload is stored with the name of its model, its times, and its owner if it has one.
 */
export function payloadFields(model: string, more: Fields): Fields {
  return {
    kind: is(model),
    iat: isCount,
    exp: isCount,
    accountId: optional(isText),
    clientId: optional(isText),
    grantId: optional(isText),
    scope: optional(isText),
    ...more,
  }
}
