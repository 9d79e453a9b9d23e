import * as v from 'valibot'
import { localeProblem } from '../http/locale.ts'
import { isScope } from '../catalog/scope.ts'
import { english } from '../authorization-server/interaction/texts.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { revocationEntries, sharedEntries } from './gateway-schema.ts'
import { accountsSchema, storeSchema } from './host-interfaces.ts'
import { isVisibleText } from '../validation/predicates.ts'
import { exactly, mapOf, milliseconds, rule, seconds, text, wholeNumber, type AddProblem } from './rules.ts'
import { SECRET_REQUIRED, secretSchema } from './secret.ts'
import { signingKeysSchema } from './signing-keys.ts'
import { placementProblem } from './urls.ts'

const DAY = 86_400

/** Standard claims of the scopes `profile` and `email` (OpenID Connect Core 5.4). */
const STANDARD_CLAIMS = {
  profile: `name family_name given_name middle_name nickname preferred_username profile picture
    website gender birthdate zoneinfo locale updated_at`.split(/\s+/),
  email: ['email', 'email_verified'],
}

/** Claims that the protocol defines. The host must not set them. */
const PROTOCOL_CLAIMS =
  'sub iss aud exp iat nbf jti nonce acr amr azp auth_time sid at_hash c_hash s_hash cnf'.split(' ')

/** The texts of the pages, each of which may be absent or empty. */
const TEXTS = Object.fromEntries(
  Object.keys(english).map((name) => [name, v.optional(v.string('must be a text'))]),
)

const COLOR = "must be a colour as '#rrggbb'"

/** The options of `createGatehouse`, with their defaults. */
export const gatehouseSchema = exactly(
  {
    ...sharedEntries,
    store: storeSchema,
    secret: v.optional(secretSchema),
    accounts: accountsSchema,
    kycLevels: v.optional(rule<readonly string[]>(levelsProblem), []),
    mountPath: v.optional(rule<string>(mountPathProblem)),
    lifetimes: v.optional(
      exactly({
        directAccessToken: seconds(10 * DAY, 366 * DAY),
        delegatedAccessToken: seconds(3600, 31 * DAY),
        refreshToken: seconds(30 * DAY, 3660 * DAY),
        // RFC 6749 4.1.2 recommends ten minutes at most.
        authorizationCode: seconds(60, 600),
        idToken: seconds(3600, 31 * DAY),
        // A sign-in is part of an interaction, which lives for an hour.
        signIn: seconds(1200, 3600),
        session: seconds(14 * DAY, 366 * DAY),
      }),
      {},
    ),
    requirePkce: v.optional(v.boolean('must be true or false'), false),
    refreshTokenGraceSeconds: seconds(0, 60, 0),
    revocations: v.optional(exactly(revocationEntries), {}),
    signingKeys: signingKeysSchema,
    maxClientsPerAccount: wholeNumber('clients', 500, 100_000),
    storeTimeoutMs: milliseconds(1000, 60_000),
    // Higher limits would let a program guess passwords.
    maxSignInAttempts: wholeNumber('attempts', 10, 100),
    audit: v.optional(
      exactly({
        maxAgeDays: wholeNumber('days', 90, 3660),
        maxEntries: wholeNumber('entries', 1_000_000, 100_000_000, 1000),
        maxFailures: wholeNumber('entries', 100_000, 100_000_000, 1000),
      }),
      {},
    ),
    maxTokenRequests: wholeNumber('requests', 1000, 1_000_000, 4),
    maxPendingInteractions: wholeNumber('interactions', 1000, 1_000_000, 0),
    maxRevocationsPerClient: wholeNumber('revocations', 1000, 1_000_000, 1),
    claims: v.optional(
      mapOf(rule<string>(claimsScopeProblem), rule<readonly string[]>(claimsProblem)),
      STANDARD_CLAIMS,
    ),
    claimsInIdToken: v.optional(v.boolean('must be true or false'), false),
    branding: v.optional(
      exactly({
        name: v.optional(text),
        logo: v.optional(rule<string>(pageAddressProblem('/logo.svg'))),
        accentColor: v.optional(v.pipe(v.string(COLOR), v.regex(/^#[0-9a-f]{6}$/i, COLOR)), '#1a56db'),
      }),
      {},
    ),
    connectedApplicationsUri: v.optional(rule<string>(pageAddressProblem('/settings/applications'))),
    texts: v.optional(
      mapOf(rule<string>(localeProblem), exactly(TEXTS, { known: 'the name of a text (see Texts)' })),
      {},
    ),
    defaultLocale: v.optional(rule<string>(localeProblem), 'en'),
  },
  { check: checkTogether },
)

/** Checks the addresses against each other, and the secret against the store. */
function checkTogether(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { issuer, audience, secret, store } = options
  const misplaced = placementProblem(issuer, audience)
  if (misplaced !== undefined) add(['audience'], { code: 'not-allowed', message: misplaced })
  const { volatile } = (store ?? {}) as { volatile?: unknown }
  if (secret === undefined && volatile !== true) add(['secret'], SECRET_REQUIRED)
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

/** Checks an address that our pages show or link to. */
function pageAddressProblem(example: string) {
  return (value: unknown): string | undefined => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    const fits =
      url === null
        ? typeof value === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(value)
        : url.protocol === 'https:' && url.username === '' && url.password === ''
    return fits
      ? undefined
      : `must be an https address, or a path on the issuer's origin such as '${example}'`
  }
}
