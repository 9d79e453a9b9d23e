import type { Fault } from '../errors.ts'
import type { ProductSource } from '../catalog/definition.ts'
import { START_TIMEOUT_MS } from '../gateway/first-load.ts'
import { CACHED_TOKENS } from '../gateway/verified-tokens.ts'
import { silentLogger } from '../host/logger.ts'
import { POLL_INTERVAL_SECONDS } from '../revocation/revocation-follower.ts'
import { MAX_STALENESS_SECONDS, WHEN_STALE } from '../revocation/staleness.ts'
import { isObject } from '../validation/predicates.ts'
import { loggerSchema } from './host-interfaces.ts'
import { list, milliseconds, optional, rule, seconds, wholeNumber } from './schema.ts'
import { addressProblem } from './urls.ts'

/** The option `metadataScopes`. */
export const metadataScopesSchema = optional(list('a list of scopes'))

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
  metadataScopes: metadataScopesSchema,
  startTimeoutMs: milliseconds(START_TIMEOUT_MS),
  maxCachedTokens: wholeNumber('tokens', CACHED_TOKENS),
  logger: optional(loggerSchema, silentLogger),
}

/** How both kinds of gateway receive revocations. */
export const revocationEntries = {
  pollIntervalSeconds: seconds(POLL_INTERVAL_SECONDS),
  whenStale: optional(rule<'serve' | 'reject'>(whenStaleProblem), WHEN_STALE),
  maxStalenessSeconds: seconds(MAX_STALENESS_SECONDS),
}

function whenStaleProblem(value: unknown): Fault | undefined {
  if (value === 'serve' || value === 'reject') return undefined
  return { code: 'choice', message: "must be 'serve' or 'reject'" }
}
