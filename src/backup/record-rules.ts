import { isObject } from '../validation/host-callback.ts'
import { applicationFields } from '../clients/application-fields.ts'
import type { Client } from '../clients/client.ts'
import { isClientId } from '../clients/client-id.ts'
import {
  findProblems,
  hostIdRule,
  listOf,
  nameRule,
  optional,
  type Fields,
  type Rule,
} from '../validation/input.ts'
import { isSecretHash } from '../clients/secrets.ts'

// What a line says is never repeated: it may stand in the wrong place, and messages end up in logs.

/** Epoch seconds that no time may exceed: the year 4707. */
export const LATEST = 86_400_000_000

/** What counters may have come to: far beyond any, even the seconds of `revocationOfCorrupt`, and far from where numbers end. */
const HIGHEST = 1_000_000_000_000

/** A whole number within bounds. */
export function wholeNumber(max: number, min = 0): Rule {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`
}

/** Epoch seconds, rounded down. */
export const timeRule = wholeNumber(LATEST)

/** A counter such as an epoch. */
export const countRule = wholeNumber(HIGHEST)

/** A text with anything in it. */
export const textRule = (value: unknown) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty'

const NO_KIND = 'must be "apiKey" or "application"'

/** A list as the store has it: it has grown by changes, so it has no maximum but that of its line. */
export function storedListOf(rule: Rule): Rule {
  return listOf(rule, Infinity)
}

/** `apiKey` or `application`. */
export const kindRule: Rule = (value) => (value === 'apiKey' || value === 'application' ? undefined : NO_KIND)

/** The id of a client in the store. */
export const clientIdRule: Rule = (value) => (isClientId(value) ? undefined : 'must be a client id')

/** True or false. */
export const flagRule: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')

/** An object whose fields follow rules. */
export function objectOf(fields: Fields): Rule {
  return (value) =>
    isObject(value)
      ? findProblems(value, fields).map(({ path, message }) => ({ path: `.${path}`, message }))
      : 'must be an object'
}

/** The same rule, with a message that repeats nothing of the value. */
function withoutValue(rule: Rule, message: string): Rule {
  return (value) => {
    const found = rule(value)
    if (found === undefined || typeof found === 'string') return found && message
    return found.map(({ path }) => ({ path, message }))
  }
}

const CLIENT: Fields = {
  clientId: clientIdRule,
  accountId: hostIdRule,
  userId: optional(hostIdRule),
  name: nameRule,
  // They may have left the products by now, as with clients in the store.
  products: storedListOf(textRule),
  removedOperations: storedListOf(textRule),
  disabled: flagRule,
  epoch: countRule,
  createdAt: timeRule,
}

const NO_ADDRESSES = 'must be a list of addresses that an application may have'
const NO_ADDRESS = 'must be an address that an application may have'

const FIELDS: Readonly<Record<Client['kind'], Fields>> = {
  apiKey: { ...CLIENT, resourceServer: flagRule },
  application: {
    ...CLIENT,
    redirectUris: withoutValue(applicationFields.redirectUris, NO_ADDRESSES),
    postLogoutRedirectUris: withoutValue(applicationFields.postLogoutRedirectUris, NO_ADDRESSES),
    homepageUri: withoutValue(applicationFields.homepageUri, NO_ADDRESS),
    logoUri: withoutValue(applicationFields.logoUri, NO_ADDRESS),
    firstParty: applicationFields.firstParty,
  },
}

/** The fields that a client of a kind has. */
export function fieldsOf(kind: Client['kind']): readonly string[] {
  return ['kind', ...Object.keys(FIELDS[kind])]
}

const clientRule: Rule = (value) => {
  if (!isObject(value)) return 'must be an object'
  const { kind } = value
  return kind === 'apiKey' || kind === 'application'
    ? objectOf(FIELDS[kind])(value)
    : [{ path: '.kind', message: NO_KIND }]
}

const hashRule: Rule = (value) =>
  isSecretHash(value) ? undefined : 'must be the hash of a secret: "sha256:" and 43 characters'

const secretRule = objectOf({ hash: hashRule, createdAt: timeRule, expiresAt: optional(timeRule) })

/** At most two secrets; none after `reportCompromised`. */
const secretsRule: Rule = (value) => {
  if (!Array.isArray(value) || value.length > 2) return 'must be a list of at most two secrets'
  return value.flatMap((secret: unknown, at) => {
    const found = secretRule(secret) ?? []
    if (typeof found === 'string') return [{ path: `[${at}]`, message: found }]
    return found.map(({ path, message }) => ({ path: `[${at}]${path}`, message }))
  })
}

/** What was taken from a client in part. */
export const partialRevocationsRule: Rule = optional(
  objectOf({ since: countRule, scopes: storedListOf(textRule) }),
)

/** What is stored of a client. */
export const CLIENT_RECORD: Fields = {
  client: clientRule,
  secrets: secretsRule,
  // Of the milliseconds that lists are in order of, 13 digits.
  listedAt: wholeNumber(9_999_999_999_999),
  partialRevocations: partialRevocationsRule,
}
