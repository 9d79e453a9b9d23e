import { MAX_NAME_LENGTH, nameRule } from './client-name.ts'
import { isDeepStrictEqual } from 'node:util'
import * as json from '../validation/json-rules.ts'
import {
  booleanRule,
  countRule,
  hostIdRule,
  listOf,
  notEmpty,
  oneOf,
  optional,
  textRule,
  uniqueListOf,
  wholeNumber,
  type Rule,
} from '../validation/rules.ts'
import { allowedAddressesRule } from './allowed-addresses.ts'
import {
  findLogoUriProblem,
  findWebUriProblem,
  originsRule,
  redirectUrisRule,
  webRedirectUrisRule,
} from './application-uris.ts'
import { callLimitsRule } from './call-limits.ts'
import { newClientIdRule } from './client-id.ts'
import { operationsRule, productsRule } from './client-products.ts'
import type { ApiKey, Application, Client, NewApiKey, NewApplication, NewClient } from './client.ts'
import { changedExpiryRule, newExpiryRule, policyOfNew } from './expiry-policy.ts'
import type { Creation, FieldOfBoth, FieldsOf } from './field-row.ts'
import * as backup from './file-rule-builders.ts'
import { givenKeysRule, publicKeyRule, storedKeysRule } from './jwk-set.ts'
import { secretHashRule } from './stored-secrets.ts'
import { NO_TOKEN_REASONS } from './why-no-token.ts'

const TEXT = { inRecord: textRule, inAnswer: json.text }
const TEXTS = { inRecord: listOf(textRule), inAnswer: json.array(json.text) }
const TRUE_OR_FALSE = { inRecord: booleanRule, inAnswer: json.boolean }
const TIME = { inRecord: countRule, inAnswer: json.secondsAsTime }
const TRUE_OR_ABSENT = { inRecord: oneOf(true), inAnswer: json.boolean }
const LIMITS = json.object({ perMinute: json.optional(json.number), perDay: json.optional(json.number) })

const hostId = { ...TEXT, setBy: 'code', rule: hostIdRule } as const
const codeFlag = { ...TRUE_OR_FALSE, byDefault: false, setBy: 'code', rule: booleanRule } as const
const expiryTime = json.nullable(json.described(json.time, 'When it expires, such as `2026-07-01T00:00:00Z`'))
const furtherOrigins =
  'Only for a public application: further origins whose pages may call the token endpoint'

const addressHints = {
  apiKey: 'addressesHint',
  application: 'addressesHint',
  public: 'addressesPublicHint',
} as const
const redirectHints = { application: 'appsRedirectUrisHint', public: 'appsRedirectUrisPublicHint' } as const

const onlyInAnswers = (inAnswer: Rule, answer: string) => ({ inAnswer, openApi: { answer } })

/** A file may have products and operations that no longer exist, because stored clients may have them. */
const productChoice = { ...TEXTS, byDefault: [], setBy: 'creation', inFile: backup.listOf(textRule) } as const

function redirectUris<const Label extends string, const Hint>(label: Label, hint: Hint) {
  return {
    ...TEXTS,
    byDefault: [],
    setBy: 'change',
    rule: redirectUrisRule,
    ruleAtCreation: ({ input }: Creation) =>
      optional(input['isPublic'] === true ? redirectUrisRule : webRedirectUrisRule),
    inFile: backup.withoutValue(redirectUrisRule, 'must be a list of addresses that an application may have'),
    label,
    input: { type: 'lines', forms: { signIn: hint } },
  } as const
}

/** An address that the consent page shows. */
function consentLink<const Label extends string, const Hint extends string>(
  rule: Rule,
  label: Label,
  hint: Hint,
) {
  const inFile = backup.withoutValue(rule, 'must be an address that an application may have')
  const input = { type: 'url', forms: { appearance: hint } } as const
  return { ...TEXT, setBy: 'change', isRemovable: true, rule, inFile, label, input } as const
}

/**
 * Every field of API keys and applications. The rules of input, of records and of exported files, the bodies and
 * answers of the management API and plain forms of the console are made from this table. The types in `client.ts` are
 * written by hand; `FieldsOf` compares them with it. The audit trail needs a text `activityField…` for each field that
 * can be changed.
 */
export const CLIENT_FIELDS = {
  both: {
    accountId: { ...hostId, isRequired: true },
    userId: {
      ...hostId,
      openApi: { answer: 'The user to whom it belongs; absent if it belongs to the account' },
    },
    createdBy: hostId,
    name: {
      ...TEXT,
      isRequired: true,
      setBy: 'change',
      rule: nameRule,
      inBody: json.textOf({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
      label: 'nameLabel',
      input: {
        type: 'text',
        maxLength: MAX_NAME_LENGTH,
        forms: { client: 'clientsKeyNameHint', appearance: 'appsNameHint' },
      },
    },
    products: {
      ...productChoice,
      ruleAtCreation: ({ catalog }: Creation) => optional(productsRule(catalog)),
      label: 'productsLabel',
    },
    removedOperations: {
      ...productChoice,
      ruleAtCreation: ({ catalog, input }: Creation) => optional(operationsRule(catalog, input['products'])),
      label: 'operationLabel',
    },
    clientId: {
      ...TEXT,
      isRequired: true,
      setBy: 'code',
      rule: newClientIdRule,
      inFile: backup.clientIdRule,
    },
    disabled: { ...TRUE_OR_FALSE, byDefault: false },
    disabledBy: {
      inRecord: oneOf('operator'),
      inAnswer: json.literal('operator'),
      openApi: { answer: 'Only an operator may enable it; absent if its owner may' },
    },
    noToken: onlyInAnswers(json.choice(NO_TOKEN_REASONS), 'Why it gets no token; absent if it gets tokens'),
    knownToFormer: onlyInAnswers(
      TEXTS.inAnswer,
      'Users who have left the account and know a valid secret: rotate it',
    ),
    epoch: { inRecord: countRule, byDefault: 0, inFile: backup.countRule },
    createdAt: { ...TIME, isRequired: true, inFile: backup.timeRule },
    expiresAt: {
      ...TIME,
      setBy: 'change',
      ruleAtCreation: ({ kind, input, keyPolicy }: Creation) =>
        newExpiryRule(policyOfNew(kind, input, keyPolicy)),
      ruleInChange: changedExpiryRule,
      // Lists are sorted by this time in milliseconds, which then has at most 13 digits.
      inFile: wholeNumber(0, 9_999_999_999),
      inBody: expiryTime,
      openApi: {
        creation: 'null: it never expires',
        change:
          'null: it never expires. An earlier time revokes the tokens issued so far if they could outlive it',
        answer: 'From then on it gets no tokens; absent if it never expires',
      },
      revokesTokens: ({ expiresAt = Infinity }: Client, after: unknown, tokensEnd: number) =>
        Number(after) < Math.min(expiresAt, tokensEnd),
      label: 'expiryLabel',
      input: { type: 'date', forms: { restrictions: 'expiryWhen' } },
    },
    expiresByDefault: { inRecord: TRUE_OR_ABSENT.inRecord },
    allowedAddresses: {
      ...TEXTS,
      setBy: 'change',
      rule: allowedAddressesRule,
      openApi: {
        creation: 'IP addresses and networks, such as `203.0.113.0/24`, from which it may be used',
        change: 'A change revokes the tokens issued so far; empty: any address',
        answer: 'From where it and its tokens may be used; absent or empty: from anywhere',
      },
      revokesTokens: ({ allowedAddresses: before = [] }: Client, after: unknown) =>
        !isDeepStrictEqual(before, after),
      label: 'addressesTitle',
      input: { type: 'lines', label: 'addressesLabel', forms: { restrictions: addressHints } },
    },
    limits: {
      inRecord: callLimitsRule,
      inAnswer: LIMITS,
      openApi: { answer: 'Its own limits of API calls; absent if it has the limits of all clients' },
    },
    secretHash: { setBy: 'code', rule: secretHashRule },
    jwks: {
      inRecord: storedKeysRule,
      setBy: 'creation',
      rule: givenKeysRule,
      inFile: backup.withoutValue(storedKeysRule, 'must be a JWK Set with public keys'),
      inBody: json.exactObject({ keys: json.array(publicKeyRule) }),
      openApi: { creation: 'Public keys with which it authenticates, instead of a secret; at most 10' },
    },
    keys: onlyInAnswers(
      TEXTS.inAnswer,
      'Ids of its public keys, newest first; `GET …/keys` says more about them',
    ),
    lastUsedAt: { inAnswer: TIME.inAnswer },
  },
  apiKey: {
    resourceServer: {
      ...codeFlag,
      setBy: 'creation',
      openApi: {
        creation:
          'Only operators may set it: a resource server, or the key of a gateway if it has no product',
      },
    },
    resources: {
      ...TEXTS,
      setBy: 'creation',
      ruleAtCreation: ({ input }: Pick<Creation, 'input'>) => {
        const isServer = input['resourceServer'] === true
        return optional(isServer ? notEmpty(uniqueListOf(textRule)) : () => 'needs resourceServer: true')
      },
      inFile: backup.listOf(textRule),
      openApi: {
        creation: 'Of a resource server: the resources whose tokens it may introspect. Otherwise all',
        answer: 'The resources whose tokens it may introspect; absent: all resources',
      },
    },
  },
  application: {
    isPublic: {
      ...TRUE_OR_ABSENT,
      setBy: 'creation',
      rule: booleanRule,
      inFile: TRUE_OR_ABSENT.inRecord,
      openApi: {
        creation: 'true: it runs in a browser or on a device, and gets no secret',
        answer: 'true: it has no secret and must use PKCE; absent for all others',
      },
    },
    redirectUris: redirectUris('appsRedirectUris', redirectHints),
    postLogoutRedirectUris: redirectUris('appsPostLogout', 'appsPostLogoutHint'),
    origins: {
      ...TEXTS,
      setBy: 'change',
      rule: originsRule,
      inFile: backup.withoutValue(originsRule, 'must be a list of origins'),
      openApi: {
        creation: furtherOrigins,
        change: furtherOrigins,
        answer: 'Origins of a public application, besides those of its https redirect URIs',
      },
      label: 'appsOrigins',
      input: { type: 'lines', forms: { signIn: { public: 'appsOriginsHint' } } },
    },
    homepageUri: consentLink(findWebUriProblem, 'appsHomepage', 'appsHomepageHint'),
    logoUri: consentLink(findLogoUriProblem, 'appsLogo', 'appsLogoHint'),
    privacyUri: consentLink(findWebUriProblem, 'privacyPolicy', 'appsLinkHint'),
    termsUri: consentLink(findWebUriProblem, 'appsTerms', 'appsLinkHint'),
    firstParty: { ...codeFlag, label: 'activityFieldFirstParty' },
  },
} as const satisfies {
  readonly both: FieldsOf<FieldOfBoth>
  readonly apiKey: FieldsOf<Exclude<keyof NewApiKey | keyof ApiKey, keyof NewClient | keyof Application>>
  readonly application: FieldsOf<
    Exclude<keyof NewApplication | keyof Application, keyof NewClient | keyof ApiKey>
  >
}
