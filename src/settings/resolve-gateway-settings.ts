import { silentLogger } from '../host/logger.ts'
import type { GatewayOptions, GatewaySettings } from '../options.ts'
import { gatewayOptionsSchema } from './gateway-schema.ts'
import { checkApi, readOptions } from './read-options.ts'
import { checkRole } from './roles.ts'

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

  const { jwksUri = `${issuer}/oauth2/jwks`, ...limits } = finish()
  return Object.freeze({
    ...limits,
    issuer,
    audience,
    products,
    jwksUri,
    revocations: undefined,
    logger: logger ?? silentLogger,
  })
}
