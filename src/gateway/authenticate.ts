import type { IncomingMessage } from 'node:http'
import { mountPathProblem } from '../validation/mount-path.ts'
import { isText } from '../validation/predicates.ts'
import { checkInput, optional, stringRule, textRule, type Fields } from '../validation/rules.ts'
import type { Authorized } from './authorize-token.ts'
import { authorizationFields, type BearerRequest } from './bearer-token.ts'
import { createPathLocator, locateReadings } from './canonical-path.ts'
import type { GatewayParts } from './parts.ts'
import { rejectUnclaimed, requiredScopesOf, type RequiredScopes } from './required-scope.ts'
import type { ErrorResponse } from './error-responses.ts'
import { markCallChecked } from './unchecked-calls.ts'
import { userOf } from './gateway-hooks.ts'
import { readCallTarget } from '../http/request-path.ts'

/** A call from any framework. Node's `IncomingMessage` and the Fetch API's `Request` both fit. */
export interface IncomingCall {
  /** The HTTP method. It may be absent only with the option `scope`, and is then GET. */
  readonly method?: string | undefined
  /** Request target or absolute URL. Scheme and host are ignored. */
  readonly url?: string | undefined
  /**
   * The whole target: Express and Connect remove the path of `app.use('/api', …)` from `url`, but not from
   * `originalUrl`. If `originalUrl` ends with `url`, `originalUrl` selects the operation. Otherwise the paths of
   * `url` and `originalUrl` must be equal; if they differ, the call gets 404.
   */
  readonly originalUrl?: string | undefined
  /** The headers by their lower-case names, or the Fetch API's `Headers`. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null }
  /**
   * Node's list of alternating names and values. The gateway needs this list to detect a second
   * `Authorization` header.
   */
  readonly rawHeaders?: readonly string[] | undefined
}

/** A call with its method, which decides what the token must carry. */
export type CallWithMethod = IncomingMessage | (IncomingCall & { readonly method: string })

/** Options of `gateway.authenticate()`. */
export interface AuthenticateOptions<Scope extends string = string> {
  /**
   * At least one scope to require. If method and URL name an operation, its scope is required too. @default only
   * the scope of this operation
   */
  readonly scope?: Scope | readonly Scope[] | undefined
  /**
   * Path at which this server sees the address of the API ({base_url}), if a proxy strips a prefix. @default the path
   * of {base_url}
   */
  readonly mountPath?: string | undefined
  /**
   * The network address of the caller, such as the address that your framework finds behind your proxy. A port
   * (`203.0.113.9:51234`) is ignored. Clients with `allowedAddresses` need the address: without it, their calls get
   * 403.
   * @default the address is not known
   */
  readonly address?: string | undefined
}

/** An accepted call. */
export interface Authenticated extends Authorized {
  /**
   * The first scope of the option `scope`; without this option, the scope of the operation. The token carries this
   * scope.
   */
  readonly scope: string
  /** Headers to send with the response: what is left of the limits of the client. Empty without limits. */
  readonly headers: Readonly<Record<string, string>>
}

/** The accepted caller, or the error response to send. */
export type Authentication = Authenticated | ErrorResponse

/** Accepts or rejects a call outside of Koa, exactly as the middleware does. */
export async function authenticate(
  parts: GatewayParts,
  call: IncomingCall,
  options: AuthenticateOptions = {},
): Promise<Authentication> {
  // A misspelt `scope` is an error: if it were ignored, the call would need another scope than the host meant.
  checkInput('authenticate()', options, OPTIONS)
  const { method, readings, bearer } = readCall(parts, call, options)
  const scopes = await scopesOf(parts, method, readings, options)
  if ('status' in scopes) {
    parts.hooks.observer?.rejected(scopes, undefined, undefined)
    return scopes
  }
  const outcome = await acceptRequest(parts, bearer, scopes)
  return outcome.ok ? { ...outcome, scope: scopes[0] } : outcome
}

/** Accepts or rejects one call outside of Koa, and counts it for limits and usage. No `scopes`: any valid token. */
export async function acceptRequest(
  { authorizer, errorResponses, hooks }: GatewayParts,
  request: BearerRequest,
  scopes: readonly string[],
): Promise<Omit<Authenticated, 'scope'> | ErrorResponse> {
  const { observer, limiter } = hooks
  const outcome = await authorizer.authorizeToken(request, scopes)
  if (!outcome.ok) {
    observer?.rejected(outcome, scopes[0], undefined)
    return outcome
  }
  const { clientId } = outcome.principal
  const { headers, exceeded } = (await limiter?.count(clientId, userOf(outcome.principal))) ?? { headers: {} }
  if (exceeded) {
    const rejection = errorResponses.tooManyCalls(clientId, exceeded, headers)
    observer?.rejected(rejection, scopes[0], undefined)
    return rejection
  }
  observer?.accepted(clientId, scopes, { ip: request.address })
  return { ...outcome, headers }
}

const OPTIONS: Fields = {
  // A list that is empty by mistake would accept every token.
  scope: (scope) =>
    Array.isArray(scope) && scope.length === 0
      ? { code: 'empty', message: 'must name at least one scope' }
      : undefined,
  mountPath: optional(mountPathProblem),
  address: optional(stringRule),
}

async function scopesOf(
  parts: GatewayParts,
  method: string,
  readings: readonly string[],
  { scope = [], mountPath }: AuthenticateOptions,
): Promise<RequiredScopes | ErrorResponse> {
  const { dependencies, errorResponses, firstLoad } = parts
  const locatePath = mountPath === undefined ? parts.locatePath : createPathLocator(mountPath)
  const location = locateReadings(locatePath, readings)
  const scopes = [scope].flat()
  if (location.place === 'below') {
    if (!firstLoad.isReady && !(await firstLoad.soonReady())) return errorResponses.unavailable()
    const { path, endsInSlash } = location
    scopes.push(...(requiredScopesOf(method.toUpperCase(), path, endsInSlash, dependencies) ?? []))
  }
  const [first, ...others] = new Set(scopes)
  if (first !== undefined) return [first, ...others]
  return rejectUnclaimed(errorResponses, location)
}

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` without a method, unless the host names a scope */
export function readCall(
  { dependencies }: GatewayParts,
  call: IncomingCall,
  { scope, address = '' }: Pick<AuthenticateOptions, 'scope' | 'address'>,
) {
  const { method = 'GET' } = call
  if (scope === undefined && !isText(call.method))
    checkInput('the call of authenticate()', { method: call.method }, { method: textRule })
  markCallChecked(call.headers)
  const { readings, query } = readCallTarget(call.url ?? '/', call.originalUrl)
  const caller = dependencies.proxyCheck.examineAddress(address) || undefined
  return { method, readings, bearer: { authorization: authorizationOf(call), query, address: caller } }
}

function authorizationOf({ headers, rawHeaders }: IncomingCall): readonly string[] {
  if (!isHeaders(headers)) return authorizationFields(headers, rawHeaders)
  return authorizationFields({ authorization: headers.get('authorization') ?? undefined })
}

function isHeaders(headers: IncomingCall['headers']): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
