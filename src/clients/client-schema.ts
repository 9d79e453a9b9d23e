import { callLimitsRule } from './call-limits.ts'
import { storedKeysRule } from './jwk-set.ts'
import { isObject } from '../validation/predicates.ts'
import {
  booleanRule,
  countRule,
  type Fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Rule,
  textRule,
} from '../validation/rules.ts'
import type { Client } from './client.ts'

export const kindRule = oneOf('apiKey', 'application')

const COMMON: Fields = {
  clientId: textRule,
  accountId: textRule,
  userId: optional(textRule),
  createdBy: optional(textRule),
  name: textRule,
  products: listOf(textRule),
  removedOperations: listOf(textRule),
  disabled: booleanRule,
  disabledBy: optional(oneOf('operator')),
  epoch: countRule,
  createdAt: countRule,
  expiresAt: optional(countRule),
  expiresByDefault: optional(oneOf(true)),
  allowedAddresses: optional(listOf(textRule)),
  limits: optional(callLimitsRule),
  jwks: optional(storedKeysRule),
}

/** Stricter rules apply to clients from the host's own database, and to clients in an exported file. */
const clientFields = {
  apiKey: { ...COMMON, resourceServer: booleanRule, resources: optional(listOf(textRule)) },
  application: {
    ...COMMON,
    redirectUris: listOf(textRule),
    postLogoutRedirectUris: listOf(textRule),
    homepageUri: optional(textRule),
    logoUri: optional(textRule),
    privacyUri: optional(textRule),
    termsUri: optional(textRule),
    firstParty: booleanRule,
    isPublic: optional(oneOf(true)),
    origins: optional(listOf(textRule)),
  },
} satisfies Record<Client['kind'], Fields>

export function clientRuleOf(fields: Readonly<Record<Client['kind'], Fields>>): Rule {
  const rules = { apiKey: objectOf(fields.apiKey), application: objectOf(fields.application) }
  return (value) => {
    const kind = isObject(value) ? value['kind'] : undefined
    if (kind === 'apiKey' || kind === 'application') return rules[kind](value)
    return objectOf({ kind: kindRule })(value)
  }
}

const partialRevocationsRule = optional(objectOf({ since: countRule, scopes: listOf(textRule) }))

const deletedRule = objectOf({
  deleted: oneOf(true),
  kind: kindRule,
  epoch: countRule,
  deletedAt: countRule,
})

const clientRule = clientRuleOf(clientFields)

/** The rule for the record under a client id: of a client with this id, or of a deleted client. */
export function clientRecordRule(clientId: string): Rule {
  const idRule = objectOf({ clientId: oneOf(clientId) })
  const existingRule = objectOf({
    client: (value) => idRule(value) ?? clientRule(value),
    secrets: listOf(
      objectOf({
        hash: textRule,
        createdAt: countRule,
        expiresAt: optional(countRule),
        shownTo: optional(textRule),
        hint: optional(textRule),
      }),
    ),
    listedAt: countRule,
    partialRevocations: partialRevocationsRule,
    noticed: optional(countRule),
  })
  return (value) => deletedRule(value) && existingRule(value)
}
