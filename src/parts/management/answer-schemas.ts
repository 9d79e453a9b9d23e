import * as v from 'valibot'
import { NO_TOKEN_REASONS } from '../../clients/why-no-token.ts'
import { FINDINGS } from '../../clients/findings.ts'
import { linksOf } from './body-schemas.ts'
import { CREDENTIAL_ANSWERS, secretOfNew } from './credential-answers.ts'
import { USAGE_ANSWERS } from './usage-answers.ts'
import { millisecondsAsTime, secondsAsTime } from './times.ts'

const text = v.string()
const texts = v.array(text)

const optionalLinks = linksOf(v.optional(text))

const noToken = v.pipe(
  v.picklist(NO_TOKEN_REASONS),
  v.description('Why it gets no token; absent if it gets tokens'),
)

const clientEntries = {
  clientId: text,
  accountId: text,
  userId: v.optional(
    v.pipe(text, v.description('The user to whom it belongs; absent if it belongs to the account')),
  ),
  createdBy: v.optional(text),
  name: text,
  products: texts,
  removedOperations: texts,
  disabled: v.boolean(),
  disabledBy: v.optional(
    v.pipe(v.literal('operator'), v.description('Only an operator may enable it; absent if its owner may')),
  ),
  noToken: v.optional(noToken),
  knownToFormer: v.optional(
    v.pipe(texts, v.description('Users who have left the account and know a valid secret: rotate it')),
  ),
  createdAt: secondsAsTime,
  expiresAt: v.optional(
    v.pipe(secondsAsTime, v.description('From then on it gets no tokens; absent if it never expires')),
  ),
  allowedAddresses: v.optional(
    v.pipe(texts, v.description('From where it and its tokens may be used; absent or empty: from anywhere')),
  ),
  limits: v.optional(
    v.pipe(
      v.object({ perMinute: v.optional(v.number()), perDay: v.optional(v.number()) }),
      v.description('Its own limits of API calls; absent if it has the limits of all clients'),
    ),
  ),
  keys: v.optional(
    v.pipe(texts, v.description('Ids of its public keys, newest first; `GET …/keys` says more about them')),
  ),
  lastUsedAt: v.optional(secondsAsTime),
}

const ApiKey = v.object({
  kind: v.literal('apiKey'),
  ...clientEntries,
  resourceServer: v.boolean(),
  resources: v.optional(
    v.pipe(texts, v.description('The resources whose tokens it may introspect; absent: all resources')),
  ),
})

const Application = v.object({
  kind: v.literal('application'),
  ...clientEntries,
  redirectUris: texts,
  postLogoutRedirectUris: texts,
  ...optionalLinks,
  firstParty: v.boolean(),
  isPublic: v.optional(
    v.pipe(v.boolean(), v.description('true: it has no secret and must use PKCE; absent for all others')),
  ),
  origins: v.optional(
    v.pipe(texts, v.description('Origins of a public application, besides those of its https redirect URIs')),
  ),
})

/** A client that needs attention. */
const ClientFindings = v.object({
  kind: v.picklist(['apiKey', 'application']),
  clientId: text,
  accountId: text,
  userId: clientEntries.userId,
  name: text,
  findings: v.pipe(v.array(v.picklist(FINDINGS)), v.description('What is wrong, the most urgent first')),
  knownToFormer: v.optional(
    v.pipe(texts, v.description('Users who left the account and know a secret, with `known-to-former`')),
  ),
  createdAt: secondsAsTime,
  expiresAt: v.optional(secondsAsTime),
  lastUsedAt: v.optional(secondsAsTime),
})

/** A page of a list. */
function pageOf<Item extends v.GenericSchema>(item: Item) {
  return v.object({ items: v.array(item), cursor: v.optional(text) })
}

const catalogTexts = { title: text, description: v.optional(text) }

/** The products of the catalog, with what an answer says of each product and of each operation. */
function productsWith<Of extends v.ObjectEntries, OfEach extends v.ObjectEntries>(
  product: Of,
  operation: OfEach,
) {
  const operations = v.object({
    scope: text,
    ...catalogTexts,
    routes: v.array(v.object({ method: text, path: text })),
    kycLevel: v.optional(text),
    sensitive: v.boolean(),
    ...operation,
  })
  return v.array(v.object({ id: text, ...catalogTexts, ...product, operations: v.array(operations) }))
}

const Catalog = v.object({
  kycLevel: v.optional(text),
  kycLevels: texts,
  products: productsWith({}, { available: v.boolean() }),
})

const AccessPreview = v.object({
  noToken: v.optional(noToken),
  kycLevel: v.optional(text),
  products: productsWith(
    { added: v.boolean() },
    {
      callable: v.boolean(),
      missing: v.array(v.picklist(['product', 'operation', 'kycLevel', 'user', 'token'])),
    },
  ),
})

const DocumentFacts = v.pipe(
  v.object({ host: text, isVerified: v.boolean() }),
  v.description(
    'For an application with a client metadata document: show `host` as its name. It calls itself `name`, which is not checked unless `isVerified`',
  ),
)

const Authorization = v.object({
  grantId: text,
  clientId: text,
  accountId: text,
  userId: v.optional(text),
  resource: v.pipe(
    text,
    v.description('What the application may use: the address of the API or of another resource'),
  ),
  scopes: texts,
  authorizedAt: secondsAsTime,
  lastUsedAt: v.optional(secondsAsTime),
  expiresAt: secondsAsTime,
  application: v.optional(
    v.pipe(
      v.object({ name: text, document: v.optional(DocumentFacts), ...optionalLinks }),
      v.description('What users may know about the application; absent if it was deleted'),
    ),
  ),
})

const AuditEntry = v.object({
  id: text,
  at: millisecondsAsTime,
  name: text,
  outcome: v.picklist(['success', 'failure']),
  actor: v.optional(text),
  by: v.optional(
    v.pipe(
      v.picklist(['user', 'service']),
      v.description('Who did it, in `GET /audit`, if the account may not see the `actor`'),
    ),
  ),
  accountId: v.optional(text),
  userId: v.optional(text),
  clientId: v.optional(text),
  kind: v.optional(v.picklist(['apiKey', 'application'])),
  clientName: v.optional(v.pipe(text, v.description('The name that the client had before the act'))),
  grantId: v.optional(text),
  tokenId: v.optional(text),
  keyId: v.optional(text),
  change: v.optional(text),
  target: v.optional(text),
  scopes: v.optional(texts),
  denied: v.optional(texts),
  leakSource: v.optional(v.pipe(text, v.description('Where a leaked secret was found, such as `commit`'))),
  leakUrl: v.optional(v.pipe(text, v.description('The address at which a leaked secret was found'))),
  added: v.optional(texts),
  removed: v.optional(texts),
  reason: v.optional(v.pipe(text, v.description('Why, as a code: `too-many-grants`'))),
  afterSeconds: v.optional(v.pipe(v.number(), v.description('Seconds between two uses of a token'))),
  address: v.optional(text),
  userAgent: v.optional(text),
  count: v.optional(v.pipe(v.number(), v.description('How many equal acts or failures it covers'))),
  until: v.optional(v.pipe(millisecondsAsTime, v.description('When the last of the equal acts happened'))),
  erased: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Whether a person of the entry was erased, so that no field names them'),
    ),
  ),
})

const SigningKey = v.object({
  kid: text,
  alg: text,
  state: v.picklist(['next', 'current', 'previous', 'retired', 'revoked']),
  createdAt: v.optional(secondsAsTime),
  since: v.optional(secondsAsTime),
  until: v.optional(secondsAsTime),
})

const Health = v.object({
  ready: v.boolean(),
  status: v.picklist(['pass', 'warn', 'fail']),
  checks: v.array(
    v.object({
      name: text,
      status: v.picklist(['pass', 'warn', 'fail', 'unknown']),
      message: text,
      remedy: v.optional(text),
    }),
  ),
  revocations: v.object({
    enabled: v.boolean(),
    stale: v.boolean(),
    ageSeconds: v.optional(v.number()),
    count: v.number(),
  }),
})

const Session = v.object({
  accountId: text,
  userId: v.optional(text),
  operator: v.boolean(),
  csrfToken: text,
})

const Problem = v.object({
  type: text,
  title: text,
  status: v.pipe(v.number(), v.integer()),
  code: text,
  detail: text,
  confirmUrl: v.optional(
    v.pipe(text, v.description('With `ERR_CONFIRM`: the page where the caller signs in again')),
  ),
  errors: v.optional(
    v.array(
      v.object({
        path: text,
        code: v.pipe(text, v.description('What is wrong: `required`, `too-long`, …')),
        message: text,
        min: v.optional(v.number()),
        max: v.optional(v.number()),
        expected: v.optional(text),
      }),
    ),
  ),
})

/** The schemas of answers, each with its name in the OpenAPI document. */
export const ANSWERS = {
  ApiKey,
  ApiKeyPage: pageOf(ApiKey),
  CreatedApiKey: v.object({ apiKey: ApiKey, clientSecret: secretOfNew }),
  Application,
  ApplicationPage: pageOf(Application),
  CreatedApplication: v.object({ application: Application, clientSecret: secretOfNew }),
  Catalog,
  AccessPreview,
  Authorization,
  AuthorizationPage: pageOf(Authorization),
  RevokedAuthorizations: v.object({ grants: v.number() }),
  Client: v.variant('kind', [ApiKey, Application]),
  Account: v.object({ accountId: text, kycLevel: v.optional(text) }),
  SearchResult: v.object({
    clients: v.array(v.variant('kind', [ApiKey, Application])),
    accounts: v.array(v.object({ accountId: text, userId: v.optional(text), name: v.optional(text) })),
  }),
  RevokedAccess: v.object({ clients: v.number(), grants: v.number() }),
  ErasedRecords: v.object({ clients: v.number(), grants: v.number(), entries: v.number() }),
  SigningKeyList: v.object({ items: v.array(SigningKey) }),
  Health,
  AuditEntry,
  AuditPage: pageOf(AuditEntry),
  ClientFindings,
  FindingsPage: pageOf(ClientFindings),
  ...USAGE_ANSWERS,
  ...CREDENTIAL_ANSWERS,
  UnusedProducts: v.object({ items: v.pipe(texts, v.description('Ids of products')) }),
  Session,
  Problem,
} satisfies Record<string, v.GenericSchema>

export type AnswerName = keyof typeof ANSWERS
