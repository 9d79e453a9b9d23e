import { GatehouseError } from '../../errors.ts'
import { acceptRequest } from '../../gateway/authenticate.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { checkInput, functionRule } from '../../validation/rules.ts'
import { requireParts, toAuthInfo, type McpAuthInfo } from './auth-info.ts'

/** A verifier for `requireBearerAuth` of the MCP SDK. It fits the type `OAuthTokenVerifier` of both generations. */
export interface McpTokenVerifier {
  /**
   * Verifies an access token, and checks that it is not revoked. It counts one call of the client.
   *
   * @throws the error of `invalidToken` if the token is invalid, expired, revoked, or for another resource.
   *   {GatehouseError} `ERR_NOT_READY` if the gateway cannot check the token, if the client has made as many calls as
   *   it may make, or if the client has `allowedAddresses`; the SDK then answers 500
   */
  verifyAccessToken(token: string): Promise<McpAuthInfo>
}

/** Options of `mcpVerifier()`. */
export interface McpVerifierOptions {
  /**
   * Creates the error that your SDK answers with 401. The SDK recognizes only its own class.
   * `@modelcontextprotocol/sdk`: `(text) => new InvalidTokenError(text)`. `@modelcontextprotocol/server`:
   * `(text) => new OAuthError(OAuthErrorCode.InvalidToken, text)`.
   */
  readonly invalidToken: (description: string) => Error
}

/**
 * Creates the verifier for `requireBearerAuth({ verifier })` of the MCP SDK. It accepts the tokens that the gateway
 * accepts, whatever their scopes are. For scopes by tool, use `requireTool()`.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the gateway is not from this library, or if `invalidToken` is
 *   not a function
 */
export function mcpVerifier(gateway: Pick<Gateway, 'close'>, options: McpVerifierOptions): McpTokenVerifier {
  const parts = requireParts(gateway, 'mcpVerifier()')
  checkInput('mcpVerifier()', options, { invalidToken: functionRule })
  parts.firstLoad.begin()
  return {
    async verifyAccessToken(token) {
      const outcome = await acceptRequest(parts, { authorization: [`Bearer ${token}`], query: '' }, [])
      if (outcome.ok) return toAuthInfo(outcome.principal, token, parts.dependencies.audience)
      const { error_description: description } = JSON.parse(outcome.body) as { error_description: string }
      const isInvalid = outcome.status === 401 || outcome.status === 400
      throw isInvalid ? options.invalidToken(description) : new GatehouseError('ERR_NOT_READY', description)
    },
  }
}
