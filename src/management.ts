import type { Middleware } from 'koa'
import type { AnyGatehouse } from './gatehouse/gatehouse.ts'
import { internalsOf } from './gatehouse/internals.ts'
import { managementApiOf, type ManagementOptions } from './management/management-api.ts'

export type { ManagementOptions } from './management/management-api.ts'

/**
 * Creates the management API: JSON over HTTP for the API keys, applications and authorizations of the signed-in account,
 * for front ends and scripts. `accounts.current` says who calls. Mount it below your session. Requests outside `path` pass
 * through. The gatehouse starts in the background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for invalid
 *   options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createManagementApi(gatehouse: AnyGatehouse, options?: ManagementOptions): Middleware {
  const internals = internalsOf(gatehouse, 'createManagementApi()')
  const middleware = managementApiOf(internals, options)
  internals.begin()
  return middleware
}
