import type * as v from 'valibot'
import { silentLogger } from '../host/logger.ts'
import { isObject } from '../validation/predicates.ts'
import type { GatewayOptions } from './options.ts'
import { gatewayOptionsSchema } from './gateway-schema.ts'
import { checkApi, readOptions, type AddProblem } from './parse-options.ts'
import type { Store } from '../store/contract.ts'
import { checkRole } from './check-interfaces.ts'
import type { GatewaySettings } from './resolved-options.ts'

/**
 * Checks the options of `createGateway`, fills in the defaults and freezes the result. No I/O; the products
 * themselves are the catalog's to check.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with all that is wrong, each with its path and what would be right
 */
export function resolveGatewaySettings(options: GatewayOptions): GatewaySettings {
  const { add, finish } = readOptions(
    'the options of createGateway are not valid',
    gatewayOptionsSchema,
    options,
  )
  const { issuer, audience, products, logger } = options
  checkApi(options, add)
  if (logger !== undefined) checkRole('logger', logger, add)
  if (isObject(options.revocations)) checkFeed(options.revocations, add)

  const { jwksUri = `${issuer}/oauth2/jwks`, revocations, ...limits } = finish()
  return Object.freeze({
    ...limits,
    issuer,
    audience,
    products,
    jwksUri,
    revocations: revocations && resolveRevocations(revocations, issuer),
    logger: logger ?? silentLogger,
  })
}

/** Checks that a gateway is told in one way, and of that way all that it needs. */
function checkFeed(feed: Readonly<Record<string, unknown>>, add: AddProblem): void {
  if (feed['store'] !== undefined) {
    checkRole('store', feed['store'], (keys, message) => add(['revocations', ...keys], message))
    for (const name of ['clientId', 'clientSecret', 'uri'].filter((name) => feed[name] !== undefined)) {
      add(['revocations', name], 'is for a gateway without store; give one or the other')
    }
    return
  }
  if (feed['clientId'] === undefined && feed['clientSecret'] === undefined) {
    add(['revocations'], 'must have store, or clientId and clientSecret of an API key: where to hear of them')
    return
  }
  for (const [name, other] of [
    ['clientId', 'clientSecret'],
    ['clientSecret', 'clientId'],
  ] as const) {
    if (feed[name] === undefined) add(['revocations', name], `is required beside ${other}`)
  }
}

type CheckedRevocations = NonNullable<v.InferOutput<typeof gatewayOptionsSchema>['revocations']>

/** Fills in what follows from the issuer, once it has been checked that there is one way to be told. */
function resolveRevocations(options: CheckedRevocations, issuer: string): GatewaySettings['revocations'] {
  const { store, clientId = '', clientSecret = '', uri, ...rest } = options
  const feed =
    store === undefined
      ? { clientId, clientSecret, uri: uri ?? `${issuer}/oauth2/revocations` }
      : { store: store as Store }
  return Object.freeze({ ...rest, ...feed })
}
