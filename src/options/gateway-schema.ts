import * as v from 'valibot'
import type { ProductSource } from '../catalog/definition.ts'
import { isObject } from '../validation/predicates.ts'
import { silentLogger } from '../host/logger.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { loggerSchema, storeSchema } from './host-interfaces.ts'
import { parseOptions } from './parse-options.ts'
import { exactly, milliseconds, rule, seconds, text, wholeNumber, type AddProblem } from './rules.ts'
import { addressProblem, endpointProblem } from './urls.ts'

const DAY = 86_400

/**
 * Options of both kinds of gateway: the gateway of `createGatehouse`, and the gateway of `createGateway` in
 * another process.
 */
export const sharedEntries = {
  issuer: rule<string>(addressProblem),
  audience: rule<string>(addressProblem),
  products: rule<ProductSource>((value) =>
    typeof value === 'function' || isObject(value)
      ? undefined
      : 'must be an object of products, or a function that loads them',
  ),
  startTimeoutMs: milliseconds(1500, 60_000),
  maxCachedTokens: wholeNumber('tokens', 100_000, 10_000_000, 0),
  logger: v.optional(loggerSchema, silentLogger),
}

/** How both kinds of gateway receive revocations. */
export const revocationEntries = {
  pollIntervalSeconds: seconds(5, 60),
  whenStale: v.optional(v.picklist(['serve', 'reject'], "must be 'serve' or 'reject'"), 'serve'),
  maxStalenessSeconds: seconds(60, DAY),
}

const endpoint = (example: string) => v.optional(rule<string>((value) => endpointProblem(value, example)))

/** The options of `createGateway`, with their defaults. */
const gatewaySchema = exactly({
  ...sharedEntries,
  productsRefreshSeconds: seconds(60, DAY),
  jwksUri: endpoint('https://example.com/auth/oauth2/jwks'),
  jwksCacheSeconds: seconds(600, DAY, 30),
  revocations: v.optional(
    exactly(
      {
        ...revocationEntries,
        store: v.optional(storeSchema),
        clientId: v.optional(text),
        clientSecret: v.optional(text),
        uri: endpoint('https://example.com/auth/oauth2/revocations'),
        timeoutMs: milliseconds(2000, 60_000),
      },
      { check: checkFeed },
    ),
  ),
})

/** Checks that a gateway has exactly one source of revocations, with all that this source needs. */
function checkFeed(feed: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { store, clientId, clientSecret } = feed
  if (store !== undefined) {
    for (const name of ['clientId', 'clientSecret', 'uri'].filter((key) => feed[key] !== undefined)) {
      const message = 'must not be set beside store, which is already the source of revocations'
      add([name], { code: 'not-allowed', message })
    }
  } else if (clientId === undefined && clientSecret === undefined) {
    const message = 'must have store, or clientId and clientSecret of an API key: the source of revocations'
    add([], { code: 'required', message })
  } else if (clientId === undefined)
    add(['clientId'], { code: 'required', message: 'is required beside clientSecret' })
  else if (clientSecret === undefined)
    add(['clientSecret'], { code: 'required', message: 'is required beside clientId' })
}

/** The checked and frozen options of `createGateway`, with all defaults. */
export type ResolvedGatewayOptions = ReturnType<typeof resolveGatewayOptions>

/**
 * Checks the options of `createGateway`, adds the defaults and freezes the result. This function does no I/O.
 * It does not check the contents of the products, which the catalog checks.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function resolveGatewayOptions(options: GatewayOptions) {
  const parsed = parseOptions('the options of createGateway are not valid', gatewaySchema, options)
  const { issuer, jwksUri = `${issuer}/oauth2/jwks`, revocations } = parsed
  return Object.freeze({ ...parsed, jwksUri, revocations: revocations && resolveFeed(revocations, issuer) })
}

/**
 * The source of revocations. The schema has checked that `feed` has either a store or the credentials of an
 * API key.
 */
function resolveFeed(feed: ParsedFeed, issuer: string) {
  const { store, clientId = '', clientSecret = '', uri = `${issuer}/oauth2/revocations`, ...policy } = feed
  return Object.freeze({ ...policy, ...(store ? { store } : { clientId, clientSecret, uri }) })
}

type ParsedFeed = NonNullable<v.InferOutput<typeof gatewaySchema>['revocations']>
