import { is, isCount, isText, optional, type Fields } from '../../../validation/shape.ts'

/**
 * What each payload of oidc-provider has that is stored.
 *
 * Relies on: it is stored with the name of its model and its times, and with whose it is where it is anybody's.
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
