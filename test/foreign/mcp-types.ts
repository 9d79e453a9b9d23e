// Only the compiler checks this file: `npm run check:foreign`. A line below `@ts-expect-error` must not compile.
import type { OAuthTokenVerifier as OAuthTokenVerifier1 } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import type { AuthInfo as AuthInfo1 } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type {
  AuthInfo as AuthInfo2,
  OAuthTokenVerifier as OAuthTokenVerifier2,
} from '@modelcontextprotocol/server'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { mcpVerifier, type McpAuthInfo } from '../../src/mcp.ts'

declare const gateway: Gateway
declare const authInfo: McpAuthInfo

export function theVerifierFitsBothGenerationsOfTheSdk(): void {
  const verifier = mcpVerifier(gateway, { invalidToken: (text) => new Error(text) })
  const fits: [OAuthTokenVerifier1, OAuthTokenVerifier2] = [verifier, verifier]
  const infos: [AuthInfo1, AuthInfo2] = [authInfo, authInfo]
  // @ts-expect-error the SDK needs an error of its own class
  mcpVerifier(gateway, {})
  void [fits, infos]
}
