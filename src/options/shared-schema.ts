import { collectProblems, type Fault } from '../errors.ts'
import type { ProductSource } from '../catalog/definition.ts'
import { START_TIMEOUT_MS } from '../gateway/first-load.ts'
import { CACHED_TOKENS } from '../gateway/verified-tokens.ts'
import { silentLogger } from '../host/logger.ts'
import { POLL_INTERVAL_SECONDS } from '../revocation/revocation-follower.ts'
import { MAX_STALENESS_SECONDS, WHEN_STALE } from '../revocation/staleness.ts'
import { isObject, isVisibleText } from '../validation/predicates.ts'
import {
  booleanRule,
  oneOf,
  optional,
  problemsOf,
  valueOf,
  wholeNumber,
  type Rule,
} from '../validation/rules.ts'
import { loggerRule } from './host-interfaces.ts'
import { addressProblem } from './urls.ts'

/** The default and the bounds of a number. The constant with the bounds is next to the code that the number limits. */
interface Bounds {
  readonly byDefault: number
  readonly max: number
  readonly min?: number
}

export function numberOf(unit: string, { byDefault, max, min = 1 }: Bounds): Rule<number> {
  return optional(wholeNumber(min, max, `a whole number of ${unit}`), byDefault)
}

/** A duration in whole seconds, with its default. */
export const seconds = numberOf.bind(undefined, 'seconds')

/** A duration in whole milliseconds, with its default. */
export const milliseconds = numberOf.bind(undefined, 'milliseconds')

export const flag = optional(booleanRule, false)

function textsOf(what: string): Rule<readonly string[]> {
  const fault: Fault = { code: 'type', message: `must be ${what}` }
  return (value) => (Array.isArray(value) && value.every(isVisibleText) ? undefined : fault)
}

export const productIds: Rule<readonly string[]> = (value) => {
  if (!Array.isArray(value) || value.length > 0) return textsOf('a list of at least one product id')(value)
  return { code: 'empty', message: 'must have at least one product id' }
}

export const metadataScopes = optional(textsOf('a list of scopes'))

const productsRule: Rule<ProductSource> = (value) =>
  typeof value === 'function' || isObject(value)
    ? undefined
    : 'must be an object of products, or a function that loads them'

const address: Rule<string> = addressProblem

/** Options of `createGatehouse`, and of `createGateway` in another process. */
export const SHARED_FIELDS = {
  issuer: address,
  audience: address,
  products: productsRule,
  metadataScopes,
  startTimeoutMs: milliseconds(START_TIMEOUT_MS),
  maxCachedTokens: numberOf('tokens', CACHED_TOKENS),
  logger: optional(loggerRule, silentLogger),
}

export const REVOCATION_FIELDS = {
  pollIntervalSeconds: seconds(POLL_INTERVAL_SECONDS),
  whenStale: optional(oneOf('serve', 'reject'), WHEN_STALE),
  maxStalenessSeconds: seconds(MAX_STALENESS_SECONDS),
}

/** Checks options, and adds the defaults. @throws {GatehouseError} `ERR_OPTIONS` with all problems */
export function readOptions<T>(headline: string, rule: Rule<T>, options: unknown): T {
  const found = isObject(options) ? rule(options) : ({ code: 'type', message: 'must be an object' } as const)
  collectProblems('ERR_OPTIONS', headline, problemsOf(found, 'options')).throwIfAny()
  return valueOf(rule, options)
}
