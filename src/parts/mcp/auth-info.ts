import { GatehouseError } from '../../errors.ts'
import type { Principal } from '../../gateway/principal.ts'
import type { GatewayParts } from '../../gateway/parts.ts'
import { partsOf } from '../../gateway/registered-parts.ts'
import { protectedResourceMetadataUrl } from '../../gateway/well-known.ts'

/** An accepted token, as the SDK hands it to tools. It fits the type `AuthInfo` of both generations of the MCP SDK. */
export interface McpAuthInfo {
  /** The access token. */
  token: string
  clientId: string
  scopes: string[]
  /** Epoch seconds. */
  expiresAt: number
  /** The address of the MCP server, for which the token was issued (RFC 8707). */
  resource: URL
  /** The address of the metadata of the MCP server (RFC 9728). */
  resourceMetadataUrl: string
  /** `principal`: the account, the user, the client and the grant of the call. */
  extra: { principal: Principal }
}

export function toAuthInfo(principal: Principal, token: string, audience: string): McpAuthInfo {
  return {
    token,
    clientId: principal.clientId,
    scopes: [...principal.scopes],
    expiresAt: principal.expiresAt,
    resource: new URL(audience),
    resourceMetadataUrl: protectedResourceMetadataUrl(audience).href,
    extra: { principal },
  }
}

export function requireParts(gateway: object, caller: string): GatewayParts {
  const parts = partsOf(gateway)
  if (parts) return parts
  const message = `${caller} takes gatehouse.gateway, gatehouse.gateway.for(…) or a gateway of createGateway()`
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
}
