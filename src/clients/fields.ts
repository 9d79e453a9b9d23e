import { isDeepStrictEqual } from 'node:util'
import * as json from '../validation/json-rules.ts'
import {
  booleanRule,
  countRule,
  hostIdRule,
  listOf,
  MAX_NAME_LENGTH,
  nameRule,
  notEmpty,
  oneOf,
  optional,
  textRule,
  uniqueListOf,
  wholeNumber,
  type Rule,
} from '../validation/rules.ts'
import { allowedAddressesRule } from './allowed-addresses.ts'
import { findLogoUriProblem, findWebUriProblem } from './application-uris.ts'
import { callLimitsRule } from './call-limits.ts'
import { newClientIdRule } from './client-id.ts'
import { operationsRule, productsRule } from './client-products.ts'
import type { ApiKey, Application, Client, NewApiKey, NewApplication, NewClient } from './client.ts'
import { changedExpiryRule, newExpiryRule, policyOfNew } from './expiry.ts'
import type { Creation, FieldOfBoth, FieldsOf } from './field.ts'
import * as inFile from './file-rules.ts'
import { givenKeysRule, publicKeyRule, storedKeysRule } from './jwk-set.ts'
import { originsRule, redirectUrisRule, webRedirectUrisRule } from './public-uris.ts'
import { secretHashRule } from './stored-secrets.ts'
import { NO_TOKEN_REASONS } from './why-no-token.ts'

const TEXT = { stored: textRule, json: json.text }
const TEXTS = { stored: listOf(textRule), json: json.array(json.text) }
const FLAG = { stored: booleanRule, json: json.boolean }
const TIME = { stored: countRule, json: json.secondsAsTime }
/** A flag that is absent, or true. */
const MARK = { stored: oneOf(true), json: json.boolean }
const LIMITS = json.object({ perMinute: json.optional(json.number), perDay: json.optional(json.number) })

const hostId = { is: TEXT, given: 'code', rule: hostIdRule } as const
const codeFlag = { is: FLAG, byDefault: false, given: 'code', rule: booleanRule } as const
const expiryTime = json.nullable(json.described(json.time, 'When it expires, such as `2026-07-01T00:00:00Z`'))
const furtherOrigins =
  'Only for a public application: further origins whose pages may call the token endpoint'

const nameHints = { apiKey: 'clientsKeyNameHint', application: 'clientsAppNameHint' } as const
const redirectHints = { application: 'appsRedirectUrisHint', public: 'appsRedirectUrisPublicHint' } as const

/** Answers alone have it. */
const shown = (rule: Rule, answer: string) => ({ is: { json: rule }, says: { answer } })

/** A file may have products and operations that no longer exist, because stored clients may have them. */
const chosen = { is: TEXTS, byDefault: [], given: 'create', file: inFile.listOf(textRule) } as const

function redirects<const Label extends string, const Hint>(label: Label, hint: Hint) {
  return {
    is: TEXTS,
    byDefault: [],
    given: 'change',
    rule: redirectUrisRule,
    create: ({ input }: Creation) =>
      optional(input['isPublic'] === true ? redirectUrisRule : webRedirectUrisRule),
    file: inFile.withoutValue(redirectUrisRule, 'must be a list of addresses that an application may have'),
    label,
    input: { type: 'lines', in: { signIn: hint } },
  } as const
}

/** An address that the consent page shows. */
function link<const Label extends string, const Hint extends string>(rule: Rule, label: Label, hint: Hint) {
  const file = inFile.withoutValue(rule, 'must be an address that an application may have')
  const input = { type: 'url', in: { appearance: hint } } as const
  return { is: TEXT, given: 'change', isRemovable: true, rule, file, label, input } as const
}

/**
 * Every field of API keys and applications. The rules of input, of records and of exported files, the bodies and answers
 * of the management API and plain forms of the console are made from this table. The types in `client.ts` are written by
 * hand; `FieldsOf` compares them with it. The audit trail needs a text `activityField…` for each field that can be changed.
 */
export const FIELDS = {
  both: {
    accountId: { ...hostId, isRequired: true },
    userId: {
      ...hostId,
      says: { answer: 'The user to whom it belongs; absent if it belongs to the account' },
    },
    createdBy: hostId,
    name: {
      is: TEXT,
      isRequired: true,
      given: 'change',
      rule: nameRule,
      body: json.textOf({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
      label: 'nameLabel',
      input: {
        type: 'text',
        maxLength: MAX_NAME_LENGTH,
        in: { client: nameHints, appearance: 'appsNameHint' },
      },
    },
    products: {
      ...chosen,
      create: ({ catalog }: Creation) => optional(productsRule(catalog)),
      label: 'productsLabel',
    },
    removedOperations: {
      ...chosen,
      create: ({ catalog, input }: Creation) => optional(operationsRule(catalog, input['products'])),
      label: 'operationLabel',
    },
    clientId: { is: TEXT, isRequired: true, given: 'code', rule: newClientIdRule, file: inFile.clientIdRule },
    disabled: { is: FLAG, byDefault: false },
    disabledBy: {
      is: { stored: oneOf('operator'), json: json.literal('operator') },
      says: { answer: 'Only an operator may enable it; absent if its owner may' },
    },
    noToken: shown(json.choice(NO_TOKEN_REASONS), 'Why it gets no token; absent if it gets tokens'),
    knownToFormer: shown(TEXTS.json, 'Users who have left the account and know a valid secret: rotate it'),
    epoch: { is: { stored: countRule }, byDefault: 0, file: inFile.countRule },
    createdAt: { is: TIME, isRequired: true, file: inFile.timeRule },
    expiresAt: {
      is: TIME,
      given: 'change',
      create: ({ kind, input, keyPolicy }: Creation) => newExpiryRule(policyOfNew(kind, input, keyPolicy)),
      change: changedExpiryRule,
      // Lists are sorted by this time in milliseconds, which then has at most 13 digits.
      file: wholeNumber(0, 9_999_999_999),
      body: expiryTime,
      says: {
        create: 'null: it never expires',
        change: 'null: it never expires. An earlier time than before revokes the tokens issued so far',
        answer: 'From then on it gets no tokens; absent if it never expires',
      },
      revokes: ({ expiresAt = Infinity }: Client, after: unknown) => Number(after) < expiresAt,
      label: 'expiryLabel',
      input: { type: 'date', in: {} },
    },
    expiresByDefault: { is: { stored: MARK.stored } },
    allowedAddresses: {
      is: TEXTS,
      given: 'change',
      rule: allowedAddressesRule,
      says: {
        create: 'IP addresses and networks, such as `203.0.113.0/24`, from which it may be used',
        change: 'A change revokes the tokens issued so far; empty: any address',
        answer: 'From where it and its tokens may be used; absent or empty: from anywhere',
      },
      revokes: ({ allowedAddresses: before = [] }: Client, after: unknown) =>
        !isDeepStrictEqual(before, after),
      label: 'addressesTitle',
      input: { type: 'lines', label: 'addressesLabel', in: { addresses: 'addressesHint' } },
    },
    limits: {
      is: { stored: callLimitsRule, json: LIMITS },
      says: { answer: 'Its own limits of API calls; absent if it has the limits of all clients' },
    },
    secretHash: { is: {}, given: 'code', rule: secretHashRule },
    jwks: {
      is: { stored: storedKeysRule },
      given: 'create',
      rule: givenKeysRule,
      file: inFile.withoutValue(storedKeysRule, 'must be a JWK Set with public keys'),
      body: json.exactObject({ keys: json.array(publicKeyRule) }),
      says: { create: 'Public keys with which it authenticates, instead of a secret; at most 10' },
    },
    keys: shown(TEXTS.json, 'Ids of its public keys, newest first; `GET …/keys` says more about them'),
    lastUsedAt: { is: { json: TIME.json } },
  },
  apiKey: {
    resourceServer: codeFlag,
    resources: {
      is: TEXTS,
      given: 'code',
      create: ({ input }: Pick<Creation, 'input'>) => {
        const isServer = input['resourceServer'] === true
        return optional(isServer ? notEmpty(uniqueListOf(textRule)) : () => 'needs resourceServer: true')
      },
      file: inFile.listOf(textRule),
      says: { answer: 'The resources whose tokens it may introspect; absent: all resources' },
    },
  },
  application: {
    isPublic: {
      is: MARK,
      given: 'create',
      rule: booleanRule,
      file: MARK.stored,
      says: {
        create: 'true: it runs in a browser or on a device, and gets no secret',
        answer: 'true: it has no secret and must use PKCE; absent for all others',
      },
    },
    redirectUris: redirects('appsRedirectUris', redirectHints),
    postLogoutRedirectUris: redirects('appsPostLogout', 'appsPostLogoutHint'),
    origins: {
      is: TEXTS,
      given: 'change',
      rule: originsRule,
      file: inFile.withoutValue(originsRule, 'must be a list of origins'),
      says: {
        create: furtherOrigins,
        change: furtherOrigins,
        answer: 'Origins of a public application, besides those of its https redirect URIs',
      },
      label: 'appsOrigins',
      input: { type: 'lines', in: { signIn: { public: 'appsOriginsHint' } } },
    },
    homepageUri: link(findWebUriProblem, 'appsHomepage', 'appsHomepageHint'),
    logoUri: link(findLogoUriProblem, 'appsLogo', 'appsLogoHint'),
    privacyUri: link(findWebUriProblem, 'privacyPolicy', 'appsLinkHint'),
    termsUri: link(findWebUriProblem, 'appsTerms', 'appsLinkHint'),
    firstParty: { ...codeFlag, label: 'activityFieldFirstParty' },
  },
} as const satisfies {
  readonly both: FieldsOf<FieldOfBoth>
  readonly apiKey: FieldsOf<Exclude<keyof NewApiKey | keyof ApiKey, keyof NewClient | keyof Application>>
  readonly application: FieldsOf<
    Exclude<keyof NewApplication | keyof Application, keyof NewClient | keyof ApiKey>
  >
}
