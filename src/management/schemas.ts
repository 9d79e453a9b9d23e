import * as v from 'valibot'
import { OVERLAP_SECONDS } from '../clients/secret-rotation.ts'
import { PAGE_LIMIT } from '../store/page-limit.ts'
import { MAX_NAME_LENGTH } from '../validation/rules.ts'

const text = v.string()
const texts = v.array(text)
const epochSeconds = v.pipe(v.number(), v.integer())
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_NAME_LENGTH))

/** The links of an application, which the consent page shows. */
const linksOf = <Link extends v.GenericSchema>(link: Link) => ({
  homepageUri: link,
  logoUri: link,
  privacyUri: link,
  termsUri: link,
})
const optionalLinks = linksOf(v.optional(text))

const clientEntries = {
  clientId: text,
  accountId: text,
  userId: v.optional(text),
  name: text,
  products: texts,
  removedOperations: texts,
  disabled: v.boolean(),
  createdAt: epochSeconds,
  lastUsedAt: v.optional(epochSeconds),
}

const ApiKey = v.object({
  kind: v.literal('apiKey'),
  ...clientEntries,
  resourceServer: v.boolean(),
})

const Application = v.object({
  kind: v.literal('application'),
  ...clientEntries,
  redirectUris: texts,
  postLogoutRedirectUris: texts,
  ...optionalLinks,
  firstParty: v.boolean(),
})

/** A page of a list. */
function pageOf<Item extends v.GenericSchema>(item: Item) {
  return v.object({ items: v.array(item), cursor: v.optional(text) })
}

const newClient = {
  name,
  products: v.optional(texts),
  removedOperations: v.optional(texts),
}

export const NewApiKey = v.strictObject(newClient)

export const NewApplication = v.strictObject({
  ...newClient,
  redirectUris: v.optional(texts),
  postLogoutRedirectUris: v.optional(texts),
  ...optionalLinks,
})

export const ApiKeyChanges = v.strictObject({ name: v.optional(name) })

export const ApplicationChanges = v.strictObject({
  name: v.optional(name),
  redirectUris: v.optional(texts),
  postLogoutRedirectUris: v.optional(texts),
  ...linksOf(v.optional(v.nullable(text))),
})

export const Rotation = v.strictObject({
  overlapSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(OVERLAP_SECONDS.max))),
})

const limit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE_LIMIT.max))

/** The query of a list. */
export const PageQuery = v.strictObject({ cursor: v.optional(text), limit: v.optional(limit) })

const Secret = v.object({ createdAt: epochSeconds, expiresAt: v.optional(epochSeconds) })

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
  kycLevel: v.optional(text),
  products: productsWith(
    { added: v.boolean() },
    {
      callable: v.boolean(),
      missing: v.array(v.picklist(['product', 'operation', 'kycLevel', 'user', 'enabled'])),
    },
  ),
})

const Authorization = v.object({
  grantId: text,
  clientId: text,
  accountId: text,
  userId: v.optional(text),
  scopes: texts,
  authorizedAt: epochSeconds,
  lastUsedAt: v.optional(epochSeconds),
  expiresAt: epochSeconds,
  application: v.optional(
    v.pipe(
      v.object({ name: text, ...optionalLinks }),
      v.description('What users may know about the application; absent if it was deleted'),
    ),
  ),
})

const AuditEntry = v.object({
  id: text,
  at: v.pipe(v.number(), v.integer(), v.description('Milliseconds since the epoch')),
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
  grantId: v.optional(text),
  tokenId: v.optional(text),
  keyId: v.optional(text),
  change: v.optional(text),
  target: v.optional(text),
  scopes: v.optional(texts),
  denied: v.optional(texts),
  added: v.optional(texts),
  removed: v.optional(texts),
  reason: v.optional(v.pipe(text, v.description('Why, as a code: `too-many-grants`'))),
  address: v.optional(text),
  userAgent: v.optional(text),
  count: v.optional(v.pipe(v.number(), v.description('How many equal acts or failures it covers'))),
  until: v.optional(v.pipe(v.number(), v.description('When the last of the equal acts happened'))),
})

const SigningKey = v.object({
  kid: text,
  alg: text,
  state: v.picklist(['next', 'current', 'previous', 'retired', 'revoked']),
  createdAt: v.optional(v.number()),
  since: v.optional(v.number()),
  until: v.optional(v.number()),
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

/** The schemas that have a name in the OpenAPI document. */
export const SCHEMAS = {
  ApiKey,
  ApiKeyPage: pageOf(ApiKey),
  CreatedApiKey: v.object({ apiKey: ApiKey, clientSecret: text }),
  NewApiKey,
  ApiKeyChanges,
  Application,
  ApplicationPage: pageOf(Application),
  CreatedApplication: v.object({ application: Application, clientSecret: text }),
  NewApplication,
  ApplicationChanges,
  Rotation,
  RotatedSecret: v.object({ clientSecret: text, oldSecretExpiresAt: v.optional(epochSeconds) }),
  Catalog,
  AccessPreview,
  Authorization,
  AuthorizationPage: pageOf(Authorization),
  RevokedAuthorizations: v.object({ grants: v.number() }),
  Client: v.variant('kind', [ApiKey, Application]),
  Account: v.object({ accountId: text, kycLevel: v.optional(text) }),
  RevokedAccess: v.object({ clients: v.number(), grants: v.number() }),
  SigningKeyList: v.object({ items: v.array(SigningKey) }),
  Health,
  AuditEntry,
  AuditPage: pageOf(AuditEntry),
  SecretList: v.object({ items: v.array(Secret) }),
  Session,
  Problem,
} satisfies Record<string, v.GenericSchema>

export type SchemaName = keyof typeof SCHEMAS
