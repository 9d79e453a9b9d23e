import type { Middleware } from 'koa'
import {
  acceptRequest,
  readCall,
  type CallWithMethod,
  type IncomingCall,
} from '../../gateway/authenticate.ts'
import { readBearerToken } from '../../gateway/bearer-token.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { bearerRequestOf } from '../../gateway/guard.ts'
import type { Principal } from '../../gateway/principal.ts'
import { acceptWithScopes } from '../../gateway/require-scope.ts'
import { isObject } from '../../validation/predicates.ts'
import { checkInput, optional, stringRule } from '../../validation/rules.ts'
import { requireParts, toAuthInfo, type McpAuthInfo } from './auth-info.ts'
import { indexTools, readToolCalls, type ToolCalls, type ToolScopes } from './tool-scopes.ts'

/** A request that `requireTool().authenticate()` accepted. */
export interface AcceptedTool {
  readonly ok: true
  readonly principal: Principal
  /** Set it as `request.auth`: the SDK hands it to the tools. */
  readonly authInfo: McpAuthInfo
  /** Headers to send with the response: what is left of the limits of the client. Empty without limits. */
  readonly headers: Readonly<Record<string, string>>
}

/** The response to send for a rejected request. */
export interface ToolRejection {
  readonly ok: false
  /** 401, 403, 429 or 503 as everywhere at the gateway; 400 for an unreadable body; 200 for an unknown tool. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
}

/** Guards an MCP endpoint: as Koa middleware, and by `authenticate()` in other frameworks. */
export interface RequireTool extends Middleware<{ auth: Principal }> {
  /**
   * Accepts or rejects a request outside of Koa. It takes Node's `IncomingMessage` and the Fetch API's `Request`. A
   * request that `requireBearerAuth` with `mcpVerifier()` of the same gateway has accepted is not counted again.
   *
   * @param body the parsed body of the request
   * @param options.address the network address of the caller, needed for clients with `allowedAddresses`
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for a request without a method, or an unknown option
   */
  authenticate(
    request: CallWithMethod,
    body: unknown,
    options?: { readonly address?: string | undefined },
  ): Promise<AcceptedTool | ToolRejection>
}

/** Methods without a JSON-RPC message: the stream of the server, and the end of a session. */
const WITHOUT_MESSAGE = ['GET', 'HEAD', 'DELETE']

/**
 * Guards the endpoint of an MCP server (streamable HTTP). Every request needs a valid token for the gateway. A
 * request that calls a tool also needs the scopes of this tool; if several messages are sent at once, the scopes of
 * all their tools. Without them, the response is 403 `insufficient_scope` with the whole challenge (RFC 6750 3.1).
 * Mount it at the endpoint, behind CORS and the parser of JSON bodies. An accepted request reaches the next
 * middleware with `ctx.state.auth`, and with `ctx.req.auth` for the SDK. A tool that is not in `tools` is answered as
 * unknown, and never reached.
 *
 * @param gateway `gatehouse.gateway.for(…)`, `gatehouse.gateway`, or a gateway of `createGateway()`
 * @param tools the scopes of each tool by its name, or one scope for all tools
 * @throws {GatehouseError} `ERR_OPTIONS` without a tool, for a tool without a scope, or for a scope that no operation
 *   has (checked only if the products are loaded already). `ERR_INVALID_ARGUMENT` if the gateway is not from this
 *   library
 */
export function requireTool<Scope extends string>(
  gateway: Pick<Gateway<Scope>, 'close' | 'requireScope'>,
  tools: ToolScopes<NoInfer<Scope>>,
): RequireTool {
  const parts = requireParts(gateway, 'requireTool()')
  const { audience } = parts.dependencies
  const findScopes = indexTools(tools, parts.dependencies)
  parts.firstLoad.begin()

  const callsOf = (method: string, body: unknown): ToolCalls =>
    WITHOUT_MESSAGE.includes(method) ? { scopes: [] } : readToolCalls(body, findScopes)

  const guard: Middleware<{ auth: Principal }> = async function requireTool(ctx, next) {
    const { body } = ctx.request as { body?: unknown }
    const { scopes, problem } = callsOf(ctx.method, body)
    const principal = await acceptWithScopes(parts, ctx, scopes)
    if (principal === undefined) return undefined
    if (problem !== undefined) {
      const { status, headers, body: text } = rejectionOf(problem, body)
      ctx.status = status
      ctx.set(headers)
      ctx.body = text
      return undefined
    }
    const { token = '' } = readBearerToken(bearerRequestOf(parts, ctx))
    Object.assign(ctx.req, { auth: toAuthInfo(principal, token, audience) })
    return next()
  }

  async function authenticate(
    request: IncomingCall & { readonly auth?: unknown },
    body: unknown,
    options: { readonly address?: string | undefined } = {},
  ): Promise<AcceptedTool | ToolRejection> {
    checkInput('authenticate()', options, { address: optional(stringRule) })
    const { method, bearer } = readCall(parts, request, options)
    const { scopes, problem } = callsOf(method, body)
    const known = acceptedBefore(request.auth)
    const outcome = known ? acceptAgain(known, scopes) : await acceptRequest(parts, bearer, scopes)
    if (!outcome.ok) return outcome
    if (problem !== undefined) return rejectionOf(problem, body)
    const { token = '' } = readBearerToken(bearer)
    const { principal, headers } = outcome
    return { ok: true, principal, authInfo: toAuthInfo(principal, token, audience), headers }
  }

  /** The principal of a request that the verifier of this gateway has accepted, and counted. */
  function acceptedBefore(auth: unknown): Principal | undefined {
    const { principal } = Object(Object(auth).extra) as { principal?: unknown }
    return parts.authorizer.isOwn(principal) ? principal : undefined
  }

  function acceptAgain(principal: Principal, scopes: readonly string[]) {
    const outcome = parts.authorizer.authorizePrincipal(principal, scopes)
    if (outcome.ok) parts.hooks.observer?.acceptedAgain(principal.clientId, scopes)
    return outcome.ok ? { ...outcome, headers: {} } : outcome
  }

  return Object.assign(guard, { authenticate })
}

const NO_MESSAGE =
  'the body is not a JSON-RPC message: send one as application/json (on the server, parse the body above requireTool())'

/** The response to a request with a valid token that must not reach the MCP server: an error of JSON-RPC 2.0. */
function rejectionOf(problem: NonNullable<ToolCalls['problem']>, body: unknown): ToolRejection {
  const { id } = isObject(body) ? body : { id: undefined }
  const hasId = typeof id === 'string' || typeof id === 'number'
  const isUnknownTool = problem === 'unknown-tool'
  const error = isUnknownTool
    ? { code: -32602, message: 'Unknown tool' }
    : { code: -32600, message: NO_MESSAGE }
  return {
    ok: false,
    // The answer to a readable message is an answer of the MCP server, as far as HTTP is concerned.
    status: isUnknownTool && hasId ? 200 : 400,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ jsonrpc: '2.0', id: hasId ? id : null, error }),
  }
}
