import type { Client } from '../../clients/client.ts'
import { answerRules } from '../../clients/rules-from-fields.ts'
import { CLIENT_FIELDS } from '../../clients/client-fields.ts'
import { FINDINGS } from '../../clients/hygiene-findings.ts'
import { KINDS } from '../../clients/client-index.ts'
import * as json from '../../validation/json-rules.ts'
import { ruleWith, valueOf, type Fields, type Rule } from '../../validation/rules.ts'
import { Problem } from './problem-details.ts'

const text = json.text
const optional = json.optional
const object = json.object
const array = json.array
const secondsAsTime = json.secondsAsTime
const texts = array(text)
const values = ruleWith(object({}), { json: { type: 'object' } })
const optionalText = optional(text)
const optionalTime = optional(secondsAsTime)

const ApiKey = object({ kind: json.literal('apiKey'), ...answerRules('apiKey') })

const Application = object({ kind: json.literal('application'), ...answerRules('application') })

function anyClient() {
  return ruleWith<object>(object({}), {
    json: { oneOf: [ApiKey.json, Application.json] },
    read: (client) => valueOf<object>((client as Client).kind === 'apiKey' ? ApiKey : Application, client),
  })
}

const ClientFindings = object({
  kind: json.choice(KINDS),
  clientId: text,
  accountId: text,
  userId: optional(text, CLIENT_FIELDS.both.userId.openApi.answer),
  name: text,
  findings: json.described(array(json.choice(FINDINGS)), 'What is wrong, the most urgent first'),
  knownToFormer: optional(texts, 'Users who left the account and know a secret, with `known-to-former`'),
  createdAt: secondsAsTime,
  expiresAt: optionalTime,
  lastUsedAt: optionalTime,
})

const listOf = (item: Rule) => object({ items: array(item) })

const pageOf = (item: Rule) => object({ items: array(item), cursor: optionalText })

const catalogTexts = { title: text, description: optionalText }

function productsWith(product: Fields, operation: Fields) {
  const operations = object({
    scope: text,
    ...catalogTexts,
    routes: array(object({ method: text, path: text })),
    kycLevel: optionalText,
    sensitive: json.boolean,
    ...operation,
  })
  return array(object({ id: text, ...catalogTexts, ...product, operations: array(operations) }))
}

const document = optional(
  object({ host: text, isVerified: json.boolean }),
  'For an application with a client metadata document: show `host` as its name. It calls itself `name`, which is not checked unless `isVerified`',
)

const Authorization = object({
  grantId: text,
  clientId: text,
  accountId: text,
  userId: optionalText,
  resource: json.described(
    text,
    'What the application may use: the address of the API or of another resource',
  ),
  scopes: texts,
  authorizedAt: secondsAsTime,
  lastUsedAt: optionalTime,
  expiresAt: secondsAsTime,
  application: optional(
    object({
      name: text,
      document,
      homepageUri: optionalText,
      logoUri: optionalText,
      privacyUri: optionalText,
      termsUri: optionalText,
    }),
    'What users may know about the application; absent if it was deleted',
  ),
})

const AuditEntry = object({
  id: text,
  at: json.millisecondsAsTime,
  name: text,
  outcome: json.choice(['success', 'failure']),
  actor: optionalText,
  by: optional(
    json.choice(['user', 'service']),
    'Who did it, in `GET /audit`, if the account may not see the `actor`',
  ),
  accountId: optionalText,
  userId: optionalText,
  clientId: optionalText,
  kind: optional(json.choice(KINDS)),
  clientName: optional(text, 'The name that the client had before the act'),
  grantId: optionalText,
  tokenId: optionalText,
  keyId: optionalText,
  change: optionalText,
  target: optionalText,
  before: optional(values, 'The values of changed fields before the act'),
  after: optional(values, 'The values of changed fields after the act'),
  revokedTokens: optional(json.boolean, 'Whether the change revoked the tokens issued before'),
  scopes: optional(texts),
  denied: optional(texts),
  leakSource: optional(text, 'Where a leaked secret was found, such as `commit`'),
  leakUrl: optional(text, 'The address at which a leaked secret was found'),
  added: optional(texts),
  removed: optional(texts),
  reason: optional(text, 'Why, as a code: `too-many-grants`'),
  afterSeconds: optional(json.number, 'Seconds between two uses of a token'),
  address: optionalText,
  userAgent: optionalText,
  count: optional(json.number, 'How many equal acts or failures it covers'),
  until: optional(json.millisecondsAsTime, 'When the last of the equal acts happened'),
  erased: optional(json.boolean, 'Whether a person of the entry was erased, so that no field names them'),
})

const usedAt = optional(secondsAsTime, 'When a program last authenticated with it, to the hour')

const secretOfNew = optional(
  text,
  'Absent for a public application, and for a client that is created with `jwks`',
)

/** The fields of all answers, each rule with its name in the OpenAPI document. */
export const ANSWERS = {
  ApiKey,
  ApiKeyPage: pageOf(ApiKey),
  CreatedApiKey: object({ apiKey: ApiKey, clientSecret: secretOfNew }),
  Application,
  ApplicationPage: pageOf(Application),
  CreatedApplication: object({ application: Application, clientSecret: secretOfNew }),
  Catalog: object({
    kycLevel: optionalText,
    kycLevels: texts,
    products: productsWith({}, { available: json.boolean }),
  }),
  AccessPreview: object({
    noToken: optional(CLIENT_FIELDS.both.noToken.inAnswer, CLIENT_FIELDS.both.noToken.openApi.answer),
    kycLevel: optionalText,
    products: productsWith(
      { added: json.boolean },
      {
        callable: json.boolean,
        missing: array(json.choice(['product', 'operation', 'kycLevel', 'user', 'token'])),
      },
    ),
  }),
  Authorization,
  AuthorizationPage: pageOf(Authorization),
  RevokedAuthorizations: object({ grants: json.number }),
  Client: anyClient(),
  Account: object({ accountId: text, kycLevel: optionalText }),
  SearchResult: object({
    clients: array(anyClient()),
    accounts: array(object({ accountId: text, userId: optionalText, name: optionalText })),
  }),
  RevokedAccess: object({ clients: json.number, grants: json.number }),
  ErasedRecords: object({ clients: json.number, grants: json.number, entries: json.number }),
  SigningKeyList: listOf(
    object({
      kid: text,
      alg: text,
      state: json.choice(['next', 'current', 'previous', 'retired', 'revoked']),
      createdAt: optionalTime,
      since: optionalTime,
      until: optionalTime,
    }),
  ),
  Health: object({
    ready: json.boolean,
    status: json.choice(['pass', 'warn', 'fail']),
    checks: array(
      object({
        name: text,
        status: json.choice(['pass', 'warn', 'fail', 'unknown']),
        message: text,
        remedy: optionalText,
      }),
    ),
    revocations: object({
      enabled: json.boolean,
      stale: json.boolean,
      ageSeconds: optional(json.number),
      count: json.number,
    }),
  }),
  AuditEntry,
  AuditPage: pageOf(AuditEntry),
  ClientFindings,
  FindingsPage: pageOf(ClientFindings),
  UsageRows: listOf(
    object({
      at: optional(secondsAsTime, 'The start of the hour or day'),
      clientId: optionalText,
      kind: optional(json.choice(['call', 'token_request'])),
      operation: optional(text, 'A scope, `POST /oauth2/token` for token requests, or `other operations`'),
      result: optional(json.choice(['successful', 'rejected', 'failed'])),
      outcome: optional(text, 'What became of the calls'),
      count: json.number,
    }),
  ),
  TopClients: listOf(object({ clientId: text, calls: json.number })),
  UncalledOperations: object({
    items: optional(texts, 'Scopes; absent if usage has been counted for fewer days'),
  }),
  RotatedSecret: object({ clientSecret: text, oldSecretExpiresAt: optionalTime }),
  SecretList: listOf(
    object({
      createdAt: secondsAsTime,
      expiresAt: optionalTime,
      lastUsedAt: usedAt,
      hint: optional(text, 'Its beginning and its last four characters; absent if it was imported'),
      shownTo: optional(text, 'The user to whom it was shown'),
    }),
  ),
  KeyList: listOf(
    object({
      kid: text,
      kty: json.choice(['EC', 'RSA']),
      alg: optional(text, 'The only algorithm of the key; absent if all of its type are allowed'),
      createdAt: secondsAsTime,
      lastUsedAt: usedAt,
    }),
  ),
  ReportedSecret: object({
    kind: json.choice(KINDS),
    clientId: text,
    wasValid: json.described(json.boolean, 'Whether the secret or key was valid until now'),
  }),
  UnusedProducts: object({ items: json.described(texts, 'Ids of products') }),
  Session: object({
    accountId: text,
    userId: optionalText,
    operator: json.boolean,
    csrfToken: text,
  }),
  Problem,
} satisfies Record<string, Rule>

export type AnswerName = keyof typeof ANSWERS
