import {
  booleanRule,
  countRule,
  type Fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  type Rule,
  stringRule,
} from '../validation/rules.ts'

const COMMON: Fields = {
  kind: oneOf('apiKey', 'application'),
  accountId: stringRule,
  userId: optional(stringRule),
  name: stringRule,
  products: listOf(stringRule),
  removedOperations: listOf(stringRule),
  disabled: booleanRule,
  epoch: countRule,
  createdAt: countRule,
  resourceServer: optional(booleanRule),
}

const apiKeyRule = objectOf({ ...COMMON, kind: oneOf('apiKey') })

const applicationRule = objectOf({
  ...COMMON,
  kind: oneOf('application'),
  redirectUris: listOf(stringRule),
  postLogoutRedirectUris: listOf(stringRule),
  firstParty: booleanRule,
  homepageUri: optional(stringRule),
  logoUri: optional(stringRule),
})

const deletedRule = objectOf({
  deleted: oneOf(true),
  kind: oneOf('apiKey', 'application'),
  epoch: countRule,
  deletedAt: countRule,
})

/**
 * The rule for the stored record of a client id. A record of another client does not match, nor does one whose secrets
 * have another form.
 */
export function clientRecordRule(clientId: string): Rule {
  const idRule = objectOf({ clientId: oneOf(clientId) })
  const livingRule = objectOf({
    client: (value) => idRule(value) ?? (apiKeyRule(value) && applicationRule(value)),
    secrets: listOf(objectOf({ hash: stringRule, createdAt: countRule, expiresAt: optional(countRule) })),
    listedAt: countRule,
    partialRevocations: optional(objectOf({ since: countRule, scopes: listOf(stringRule) })),
  })
  return (value) => deletedRule(value) && livingRule(value)
}
