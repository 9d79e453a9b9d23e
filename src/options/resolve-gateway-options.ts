import type * as v from 'valibot'
import type { GatewayOptions } from './gateway-options.ts'
import { gatewaySchema } from './gateway-schema.ts'
import { parseOptions } from './parse-options.ts'

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
