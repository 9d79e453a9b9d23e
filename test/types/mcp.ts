// Only the compiler checks this file: `npx tsc`. A line below `@ts-expect-error` must not compile.
import type { OAuthTokenVerifier as OAuthTokenVerifier1 } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import type { AuthInfo as AuthInfo1 } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type {
  AuthInfo as AuthInfo2,
  OAuthTokenVerifier as OAuthTokenVerifier2,
} from '@modelcontextprotocol/server'
import { createGateway } from '../../src/gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { Gatehouse } from '../../src/gatehouse/gatehouse.ts'
import { mcpVerifier, requireTool, type McpAuthInfo } from '../../src/mcp.ts'

declare const gateway: Gateway
declare const gatehouse: Gatehouse<'invoices:read' | 'reminders:send'>
declare const authInfo: McpAuthInfo

export function theVerifierFitsBothGenerationsOfTheSdk(): void {
  const verifier = mcpVerifier(gateway, { invalidToken: (text) => new Error(text) })
  const fits: [OAuthTokenVerifier1, OAuthTokenVerifier2] = [verifier, verifier]
  const infos: [AuthInfo1, AuthInfo2] = [authInfo, authInfo]
  // @ts-expect-error the SDK needs an error of its own class
  mcpVerifier(gateway, {})
  void [fits, infos]
}

export function theScopesOfToolsAreInferred(): void {
  requireTool(gatehouse.gateway, {
    list_invoices: 'invoices:read',
    remind: ['invoices:read', 'reminders:send'],
  })
  requireTool(gatehouse.gateway.for('https://example.com/mcp'), 'reminders:send')
  requireTool(gateway, { any: 'text' })
  // @ts-expect-error a misspelt name
  requireTool(gatehouse.gateway, { list_invoices: 'invoices:raed' })
  // @ts-expect-error a tool without a scope
  requireTool(gatehouse.gateway, { list_invoices: [] })
  // @ts-expect-error a misspelt name
  requireTool(gatehouse.gateway, 'invoices:raed')

  const remote = createGateway({
    issuer: 'https://example.com/auth',
    audience: 'https://example.com/mcp',
    products: { tools: { title: 'Tools', operations: { 'reminders:send': { title: 'Send reminders' } } } },
  })
  requireTool(remote, { remind: 'reminders:send' })
  // @ts-expect-error a misspelt name
  requireTool(remote, { remind: 'reminders:snd' })
}
