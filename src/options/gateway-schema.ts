import { endpointProblem } from './urls.ts'
import {
  checkedElsewhere,
  exactly,
  isText,
  milliseconds,
  rule,
  seconds,
  wholeNumber,
} from './schema-rules.ts'
import * as v from 'valibot'

const DAY = 86_400

/** Options that every gateway has, embedded or on its own. */
export const gatewayLimits = {
  productsTimeoutMs: milliseconds(30_000, 600_000),
  startTimeoutMs: milliseconds(1500, 60_000),
  tokenCacheBytes: wholeNumber('bytes', 8_388_608, 1_073_741_824, 0),
}

/** How a gateway keeps up with revocations. */
export const revocationEntries = {
  pollIntervalSeconds: seconds(5, 60),
  whenStale: v.optional(
    rule<'serve' | 'reject'>((value) =>
      value === 'serve' || value === 'reject' ? undefined : "must be 'serve' or 'reject'",
    ),
    'serve',
  ),
  maxStalenessSeconds: seconds(60, DAY),
}

/** Never repeats what stands there: it may be a secret. */
const text = v.optional(rule<string>((value) => (isText(value) ? undefined : 'must be a text')))

const address = (example: string) => v.optional(rule<string>((value) => endpointProblem(value, example)))

/** The options of `createGateway`, with their defaults; what is no plain data is checked elsewhere. */
export const gatewayOptionsSchema = exactly({
  issuer: checkedElsewhere,
  audience: checkedElsewhere,
  products: checkedElsewhere,
  productsRefreshSeconds: seconds(60, DAY),
  jwksUri: address('https://example.com/auth/oauth2/jwks'),
  jwksCacheSeconds: seconds(600, DAY),
  jwksCooldownSeconds: seconds(30, 3600),
  jwksTimeoutMs: milliseconds(2000, 60_000),
  revocations: v.optional(
    exactly({
      ...revocationEntries,
      store: checkedElsewhere,
      clientId: text,
      clientSecret: text,
      uri: address('https://example.com/auth/oauth2/revocations'),
      timeoutMs: milliseconds(2000, 60_000),
    }),
  ),
  ...gatewayLimits,
  logger: checkedElsewhere,
})
