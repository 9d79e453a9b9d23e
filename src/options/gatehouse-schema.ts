import type { Fault } from '../errors.ts'
import { REVOCATIONS_PER_CLIENT } from '../access/revoke-own-token.ts'
import { RETENTION } from '../audit/retention.ts'
import { SIGN_IN_ATTEMPTS } from '../authorization-server/interaction/sign-in-rate-limit.ts'
import { PENDING_INTERACTIONS } from '../authorization-server/provider/endpoints/authorize/pending-interactions.ts'
import { STANDARD_CLAIMS } from '../authorization-server/provider/claims.ts'
import { LIFETIMES } from '../authorization-server/provider/lifetimes.ts'
import { TOKEN_REQUESTS } from '../authorization-server/routing/requests-in-flight.ts'
import { MAX_DAYS, type KeyPolicy } from '../clients/expiry-policy.ts'
import { SECRET_PREFIX } from '../clients/secret-format.ts'
import { CLIENTS_PER_ACCOUNT } from '../clients/create-client.ts'
import { GRACE_SECONDS } from '../grants/refresh-tokens/grace-period.ts'
import { DEFAULT_LOCALE, localeProblem } from '../http/locale.ts'
import { DEFAULT_ACCENT_COLOR } from '../http/pages/document.ts'
import { STORE_TIMEOUT_MS } from '../store/resilient-store.ts'
import type { LocalizedText } from '../catalog/definition.ts'
import { localizedTextRule } from '../catalog/product-definitions-rule.ts'
import { isScope } from '../catalog/scope.ts'
import { english } from '../authorization-server/interaction/texts.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { isObject, isVisibleText } from '../validation/predicates.ts'
import {
  booleanRule,
  exactObjectOf,
  mapOf,
  optional,
  stringRule,
  together,
  visibleTextRule,
  wholeNumber,
  type AddProblem,
  type Rule,
} from '../validation/rules.ts'
import {
  flag,
  metadataScopes,
  milliseconds,
  numberOf,
  productIds,
  REVOCATION_FIELDS,
  seconds,
  SHARED_FIELDS,
} from './shared-schema.ts'
import { accountsRule, storeRule } from './host-interfaces.ts'
import { SECRET_REQUIRED, secretRule } from './secret.ts'
import { signingKeysRule } from './signing-keys.ts'
import { checkDocuments, documentsRule } from './client-documents-schema.ts'
import { addressProblem, conflictProblem, pageAddress, placementProblem } from './urls.ts'

const PROTOCOL_CLAIMS =
  'sub iss aud exp iat nbf jti nonce acr amr azp auth_time sid at_hash c_hash s_hash cnf'.split(' ')

const textsRule = exactObjectOf(
  Object.fromEntries(Object.keys(english).map((name) => [name, optional(stringRule)])),
  'is unknown; expected the name of a text (see Texts)',
)

const days = wholeNumber(1, MAX_DAYS, 'a whole number of days')

/** Whole seconds without a fixed default: `resolveOptions` adds the default. */
function upTo({ min = 1, max }: { readonly min?: number; readonly max: number }) {
  return wholeNumber(min, max, 'a whole number of seconds')
}

const lifetimesRule = exactObjectOf({
  directAccessToken: seconds(LIFETIMES.directAccessToken),
  delegatedAccessToken: seconds(LIFETIMES.delegatedAccessToken),
  refreshToken: seconds(LIFETIMES.refreshToken),
  authorizationCode: seconds(LIFETIMES.authorizationCode),
  idToken: seconds(LIFETIMES.idToken),
  signIn: seconds(LIFETIMES.signIn),
  session: seconds(LIFETIMES.session),
  publicRefreshToken: optional(upTo(LIFETIMES.refreshToken)),
})

const auditRule = exactObjectOf({
  maxAgeDays: numberOf('days', RETENTION.maxAgeDays),
  maxEntries: numberOf('entries', RETENTION.maxEntries),
  maxFailures: numberOf('entries', RETENTION.maxFailures),
})

const brandingRule = exactObjectOf({
  name: optional(visibleTextRule),
  logo: optional(pageAddress('/logo.svg')),
  accentColor: optional<string>(colorProblem, DEFAULT_ACCENT_COLOR),
})

const titleRule: Rule<LocalizedText> = (value) =>
  localizedTextRule(value) && { code: 'type', message: 'must be a text, or a text per locale' }

/** The option `resources`, except for the checks of `checkResources`. */
const resourcesRule = mapOf(
  exactObjectOf({ products: productIds, title: optional(titleRule), metadataScopes }),
  addressProblem,
)

/** The options of `createGatehouse`, with their defaults, and which ones contradict each other. */
export const gatehouseRule = together(
  exactObjectOf({
    ...SHARED_FIELDS,
    resources: optional(resourcesRule, {}),
    store: storeRule,
    secret: optional(secretRule),
    accounts: accountsRule,
    kycLevels: optional<readonly string[]>(levelsProblem, []),
    mountPath: optional<string>(mountPathProblem),
    checkedElsewhere: flag,
    lifetimes: optional(lifetimesRule, {}),
    requirePkce: flag,
    refreshTokenGraceSeconds: optional(upTo(GRACE_SECONDS)),
    publicApplications: flag,
    privateKeyJwt: flag,
    clientDocuments: optional(documentsRule, []),
    revocations: optional(exactObjectOf(REVOCATION_FIELDS), {}),
    signingKeys: optional(signingKeysRule, {}),
    secretPrefix: optional<string>(prefixProblem, SECRET_PREFIX.byDefault),
    maxClientsPerAccount: numberOf('clients', CLIENTS_PER_ACCOUNT),
    keyPolicy: optional(
      exactObjectOf({
        maxAgeDays: optional(days),
        defaultDays: optional(days),
        required: optional(booleanRule),
      }),
      {},
    ),
    storeTimeoutMs: milliseconds(STORE_TIMEOUT_MS),
    maxSignInAttempts: numberOf('attempts', SIGN_IN_ATTEMPTS),
    audit: optional(auditRule, {}),
    maxTokenRequests: numberOf('requests', TOKEN_REQUESTS),
    maxPendingInteractions: numberOf('interactions', PENDING_INTERACTIONS),
    maxRevocationsPerClient: numberOf('revocations', REVOCATIONS_PER_CLIENT),
    claims: optional(mapOf<readonly string[]>(claimsProblem, claimsScopeProblem), STANDARD_CLAIMS),
    claimsInIdToken: flag,
    branding: optional(brandingRule, {}),
    connectedApplicationsUri: optional(pageAddress('/settings/applications')),
    texts: optional(mapOf(textsRule, localeProblem), {}),
    defaultLocale: optional<string>(localeProblem, DEFAULT_LOCALE),
  }),
  checkTogether,
)

function checkTogether(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { issuer, audience, secret, store } = options
  const misplaced = placementProblem(issuer, audience)
  if (misplaced !== undefined) add(['audience'], { code: 'not-allowed', message: misplaced })
  checkResources(options, add)
  checkDocuments(options, add)
  const { maxAgeDays = Infinity, defaultDays = 0 } = (options['keyPolicy'] ?? {}) as KeyPolicy
  if (defaultDays > maxAgeDays) {
    add(['keyPolicy', 'defaultDays'], {
      code: 'range',
      message: `must be at most maxAgeDays (${maxAgeDays})`,
    })
  }
  const { volatile } = (store ?? {}) as { volatile?: unknown }
  if (secret === undefined && volatile !== true) add(['secret'], SECRET_REQUIRED)
}

function checkResources(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { issuer, audience, resources } = options
  if (!isObject(resources)) return
  const checked: unknown[] = [audience]
  for (const [address, resource] of Object.entries(resources)) {
    if (address === audience) continue
    const problems = [
      placementProblem(issuer, address),
      ...checked.map((other) => conflictProblem(address, other)),
    ]
    for (const message of problems)
      if (message !== undefined) add(['resources', address], { code: 'not-allowed', message })
    checked.push(address)
    if (isObject(resource) && resource['title'] === undefined) {
      const message = 'is required: the name of the resource, for people who are asked for consent'
      add(['resources', address, 'title'], { code: 'required', message })
    }
  }
}

function prefixProblem(value: unknown): string | undefined {
  return typeof value === 'string' && SECRET_PREFIX.form.test(value)
    ? undefined
    : "must be 3 to 33 letters, digits and _ that begin with a letter and end with _, such as 'acme_'"
}

function colorProblem(value: unknown): Fault | undefined {
  if (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)) return undefined
  const code = typeof value === 'string' ? 'format' : 'type'
  return { code, message: "must be a colour as '#rrggbb'" }
}

function levelsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isVisibleText))
    return 'must be a list of names, lowest level first'
  const twice = value.find((level, index) => value.indexOf(level) < index)
  return twice === undefined ? undefined : `has '${twice}' twice`
}

function claimsScopeProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isScope(value)) {
    return 'must be a scope: printable ASCII characters without space, " and \\ (RFC 6749 3.3)'
  }
  return value === 'openid' || value === 'offline_access'
    ? 'is a scope that OpenID Connect defines'
    : undefined
}

function claimsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isVisibleText)) return 'must be a list of names of claims'
  const fixed = value.filter((name) => PROTOCOL_CLAIMS.includes(name))
  return fixed.length === 0 ? undefined : `must not have ${fixed.join(', ')}: the protocol defines them`
}
