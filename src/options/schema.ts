import * as v from 'valibot'
import { isLocale } from '../catalog/localize.ts'
import { isScope } from '../catalog/scope.ts'
import { english } from '../authorization-server/interaction/texts.ts'
import { pathProblem } from './urls.ts'
import { gatewayLimits, revocationEntries } from './gateway-schema.ts'
import {
  checkedElsewhere,
  exactly,
  isText,
  mapOf,
  milliseconds,
  rule,
  seconds,
  wholeNumber,
} from './schema-rules.ts'

const DAY = 86_400

/** Standard claims of the scopes `profile` and `email` (OpenID Connect Core 5.4). */
const STANDARD_CLAIMS = {
  profile: words(
    'name family_name given_name middle_name nickname preferred_username profile picture',
    'website gender birthdate zoneinfo locale updated_at',
  ),
  email: words('email email_verified'),
}

/** Claims that say something about a token, and are never the host's to give. */
const PROTOCOL_CLAIMS = words(
  'sub iss aud exp iat nbf jti nonce acr amr azp auth_time sid at_hash c_hash s_hash cnf',
)

/** The options that are plain data, with their defaults; the others are checked by the files beside this one. */
export const optionsSchema = exactly({
  issuer: checkedElsewhere,
  audience: checkedElsewhere,
  secret: checkedElsewhere,
  store: checkedElsewhere,
  products: checkedElsewhere,
  kycLevels: v.optional(rule<readonly string[]>(levelsProblem), []),
  accounts: checkedElsewhere,
  registry: checkedElsewhere,
  mountPath: v.optional(rule<string>((value) => (value === '/' ? undefined : pathProblem(value)))),
  lifetimes: v.optional(
    exactly({
      directAccessToken: seconds(10 * DAY, 366 * DAY),
      delegatedAccessToken: seconds(3600, 31 * DAY),
      refreshToken: seconds(30 * DAY, 3660 * DAY),
      // RFC 6749 4.1.2 recommends ten minutes at most.
      authorizationCode: seconds(60, 600),
      idToken: seconds(3600, 31 * DAY),
      signIn: seconds(1200, DAY),
      interaction: seconds(3600, DAY),
      session: seconds(14 * DAY, 366 * DAY),
      storedConsent: seconds(365 * DAY, 3660 * DAY),
    }),
    {},
  ),
  requirePkce: v.optional(
    rule<boolean>((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
    false,
  ),
  refreshTokenGraceSeconds: seconds(0, 60, 0),
  revocations: v.optional(exactly(revocationEntries), {}),
  signingKeys: checkedElsewhere,
  maxScopeBytes: wholeNumber('bytes', 4096, 65_536),
  storeTimeoutMs: milliseconds(1000, 60_000),
  ...gatewayLimits,
  signInAttempts: v.optional(
    // Within bounds that still keep a machine from guessing.
    exactly({ max: wholeNumber('attempts', 10, 100), windowSeconds: seconds(900, DAY, 60) }),
    {},
  ),
  maxPendingInteractions: wholeNumber('interactions', 1000, 1_000_000, 0),
  claims: v.optional(
    mapOf(rule<string>(claimsScopeProblem), rule<readonly string[]>(claimsProblem)),
    STANDARD_CLAIMS,
  ),
  branding: v.optional(
    exactly({
      name: v.optional(rule<string>((value) => (isText(value) ? undefined : 'must be a text'))),
      logo: v.optional(rule<string>(logoProblem)),
      accentColor: v.optional(
        rule<string>((value) =>
          typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
            ? undefined
            : "must be a colour as '#rrggbb'",
        ),
        '#1a56db',
      ),
    }),
    {},
  ),
  texts: v.optional(
    mapOf(rule<string>(localeProblem), exactly(textEntries(), 'the name of a text (see Texts)')),
    {},
  ),
  defaultLocale: v.optional(rule<string>(localeProblem), 'en'),
  logger: checkedElsewhere,
})

function textEntries() {
  const text = v.optional(rule<string>((value) => (typeof value === 'string' ? undefined : 'must be a text')))
  return Object.fromEntries(Object.keys(english).map((name) => [name, text]))
}

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

function localeProblem(value: unknown): string | undefined {
  return typeof value === 'string' && isLocale(value)
    ? undefined
    : "must be a language tag such as 'en' or 'de-CH' (BCP 47)"
}

function levelsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of names, lowest level first'
  const twice = value.find((level, index) => value.indexOf(level) < index)
  return twice === undefined ? undefined : `has '${twice}' twice`
}

function claimsScopeProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isScope(value)) {
    return 'must be a scope: printable ASCII characters without space, " and \\ (RFC 6749 3.3)'
  }
  return value === 'openid' || value === 'offline_access' ? 'is a scope whose meaning is fixed' : undefined
}

function claimsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of names of claims'
  const fixed = value.filter((name) => PROTOCOL_CLAIMS.includes(name))
  return fixed.length === 0 ? undefined : `must not have ${fixed.join(', ')}: the protocol fills them`
}

function logoProblem(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const fits =
    url === null
      ? typeof value === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(value)
      : url.protocol === 'https:' && url.username === '' && url.password === ''
  return fits ? undefined : "must be an https address, or a path on the issuer's origin such as '/logo.svg'"
}
