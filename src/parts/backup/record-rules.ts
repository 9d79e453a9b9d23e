import { LATEST_EPOCH_SECONDS } from '../../validation/predicates.ts'
import {
  booleanRule,
  type Fields,
  hostIdRule,
  listOf,
  must,
  nameRule,
  objectOf,
  oneOf,
  optional,
  type Rule,
  textRule,
  uniqueListOf,
  wholeNumber,
} from '../../validation/rules.ts'
import { applicationFields } from '../../clients/application-fields.ts'
import type { Client } from '../../clients/client.ts'
import { clientRuleOf } from '../../clients/client-schema.ts'
import { isClientId } from '../../clients/client-id.ts'
import { allowedAddressesRule } from '../../clients/allowed-addresses.ts'
import { callLimitsRule } from '../../clients/call-limits.ts'
import { keysOf, storedKeysRule } from '../../clients/jwk-set.ts'
import { isConsistent, isPublicClient } from '../../clients/public-applications.ts'
import { isSecretHash } from '../../clients/stored-secrets.ts'

// Error messages never quote a value of the file. The value may be a secret in the wrong place, and messages
// are logged.

/**
 * The highest valid value of a counter. It is far above real counters, and above the Unix time that
 * `revocationOfCorrupt` uses as an epoch. It is far below the largest safe integer, so that a counter can
 * still rise.
 */
const MAX_COUNT = 1_000_000_000_000

export const timeRule = wholeNumber(0, LATEST_EPOCH_SECONDS)

export const countRule = wholeNumber(0, MAX_COUNT)

/** Many changes may have made such a list long, so its number of entries is not limited here. */
function storedListOf(rule: Rule): Rule {
  return uniqueListOf(rule, Infinity)
}

export const clientIdRule = must('a client id', isClientId)

/** Replaces each message of `rule` by `message`, because a message of `rule` may quote the value. */
function withoutValue(rule: Rule, message: string): Rule {
  return (value) => {
    const found = rule(value)
    if (found === undefined || typeof found === 'string') return found && message
    return 'code' in found
      ? { code: found.code, message }
      : found.map(({ path, code }) => ({ path, code, message }))
  }
}

const CLIENT: Fields = {
  clientId: clientIdRule,
  accountId: hostIdRule,
  userId: optional(hostIdRule),
  createdBy: optional(hostIdRule),
  name: nameRule,
  // Products and operations that no longer exist are allowed, because stored clients may have them.
  products: storedListOf(textRule),
  removedOperations: storedListOf(textRule),
  disabled: booleanRule,
  disabledBy: optional(oneOf('operator')),
  epoch: countRule,
  createdAt: timeRule,
  // Lists are sorted by this time in milliseconds, which then has at most 13 digits.
  expiresAt: optional(wholeNumber(0, 9_999_999_999)),
  expiresByDefault: optional(oneOf(true)),
  allowedAddresses: optional(allowedAddressesRule),
  limits: optional(callLimitsRule),
  jwks: optional(withoutValue(storedKeysRule, 'must be a JWK Set with public keys')),
}

const NO_ADDRESSES = 'must be a list of addresses that an application may have'
const NO_ADDRESS = 'must be an address that an application may have'

/** The rules for the fields of a client in a file. */
export const FILE_CLIENT: Readonly<Record<Client['kind'], Fields>> = {
  apiKey: { ...CLIENT, resourceServer: booleanRule, resources: optional(storedListOf(textRule)) },
  application: {
    ...CLIENT,
    redirectUris: withoutValue(applicationFields.redirectUris, NO_ADDRESSES),
    postLogoutRedirectUris: withoutValue(applicationFields.postLogoutRedirectUris, NO_ADDRESSES),
    homepageUri: withoutValue(applicationFields.homepageUri, NO_ADDRESS),
    logoUri: withoutValue(applicationFields.logoUri, NO_ADDRESS),
    privacyUri: withoutValue(applicationFields.privacyUri, NO_ADDRESS),
    termsUri: withoutValue(applicationFields.termsUri, NO_ADDRESS),
    firstParty: applicationFields.firstParty,
    isPublic: optional(oneOf(true)),
    origins: withoutValue(applicationFields.origins, 'must be a list of origins'),
  },
}

const hashRule: Rule = (value) =>
  isSecretHash(value) ? undefined : 'must be the hash of a secret: "sha256:" and 43 characters'

const SECRET: Fields = {
  hash: hashRule,
  createdAt: timeRule,
  expiresAt: optional(timeRule),
  shownTo: optional(hostIdRule),
  hint: optional(hostIdRule),
}

export const SECRET_FIELDS = Object.keys(SECRET)

const secretRule = objectOf(SECRET)

/** The rule for the secrets of a client: at most two, and none after `reportCompromised`. */
const secretsRule: Rule = (value) =>
  Array.isArray(value) && value.length > 2
    ? 'must be a list of at most two secrets'
    : listOf(secretRule)(value)

const clientRule = clientRuleOf(FILE_CLIENT)

function findInconsistency(client: Client): string | undefined {
  if (isPublicClient(client) && keysOf(client).length > 0) return 'must not be public and have keys'
  if (client.kind !== 'application' || isConsistent(client)) return undefined
  return 'must have addresses that fit its kind'
}

export const CLIENT_RECORD: Fields = {
  deleted: (value) => (value === undefined ? undefined : 'must be absent'),
  client: (value) => clientRule(value) ?? findInconsistency(value as Client),
  secrets: secretsRule,
  // Lists are sorted by this time, which is in milliseconds and has at most 13 digits.
  listedAt: wholeNumber(0, 9_999_999_999_999),
  partialRevocations: optional(objectOf({ since: countRule, scopes: storedListOf(textRule) })),
  noticed: optional(countRule),
}
