import { GatehouseError } from '../errors.ts'
import { authorizationFields } from './bearer-token.ts'
import { locateReadings } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { GatewayParts } from './parts.ts'
import { requiredScopesOf, type RequiredScopes } from './required-scope.ts'
import type { Principal } from './principal.ts'
import type { ErrorResponse } from './error-responses.ts'
import { readCallTarget } from './request-path.ts'

/** A call from anywhere; Node's `IncomingMessage` is one, and so is the Fetch API's `Request`. */
export interface IncomingCall {
  readonly method?: string | undefined
  /** Request target or absolute URL; scheme and host are not looked at. */
  readonly url?: string | undefined
  /**
   * The whole target, where Express or Connect took the path of `app.use('/api', …)` off `url`. It counts where it ends
   * with `url`; where it differs otherwise, a call is rejected whose operation depends on which of them is read.
   */
  readonly originalUrl?: string | undefined
  /** By lower-case name, or the Fetch API's `Headers`. */
  readonly headers:
    Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null }
  /** Node's names and values in turn, so that a second `Authorization` header does not go unseen. */
  readonly rawHeaders?: readonly string[] | undefined
}

/** What else `gateway.authenticate()` takes. */
export interface AuthenticateOptions<Scope extends string = string> {
  /** The scope to demand. @default that of the operation which method and URL name */
  readonly scope?: Scope | undefined
  /** Path at which this server sees {base_url}, where a proxy strips a prefix. @default the path of {base_url} */
  readonly mountPath?: string | undefined
}

/** Somebody who is let through. */
export interface Authenticated {
  readonly ok: true
  readonly principal: Principal
  /** The scope that was demanded, and that they have. */
  readonly scope: string
}

/** Who is calling, or the response that they get. */
export type Authentication = Authenticated | ErrorResponse

/** Decides about a call outside of Koa, exactly as the middleware would. */
export async function authenticate(
  dependencies: Pick<GatewayDependencies, 'findScope' | 'findClaims'>,
  parts: GatewayParts,
  call: IncomingCall,
  options: AuthenticateOptions = {},
): Promise<Authentication> {
  requireKnown(options)
  const { authorizeRequest, errorResponses, readiness } = parts
  const { readings, query } = readCallTarget(call.url ?? '/', call.originalUrl)
  const demanded: RequiredScopes | ErrorResponse =
    options.scope === undefined ? await demandedScopes() : [options.scope]
  if ('status' in demanded) return demanded

  const outcome = await authorizeRequest.admit({ authorization: authorizationOf(call), query }, demanded)
  return outcome.ok ? { ...outcome, scope: demanded[0] } : outcome

  async function demandedScopes(): Promise<RequiredScopes | ErrorResponse> {
    const location = locateReadings(parts.locatorAt(options.mountPath), readings)
    if (location.place === 'unclear') return errorResponses.notFound(location.problem)
    if (location.place === 'elsewhere') return errorResponses.notFound()
    if (!readiness.isReady && !(await readiness.soonReady())) return errorResponses.unavailable()
    const method = (call.method ?? 'GET').toUpperCase()
    const { path, endsInSlash = false } = location
    return requiredScopesOf(method, path, endsInSlash, dependencies) ?? errorResponses.notFound()
  }
}

/** With a misspelt `scope` another one would be demanded than was meant. */
function requireKnown(options: AuthenticateOptions): void {
  const unknown = Object.keys(options).find((name) => name !== 'scope' && name !== 'mountPath')
  if (unknown === undefined) return
  throw new GatehouseError(
    'ERR_INVALID_ARGUMENT',
    `authenticate() has no option "${unknown}"; it takes scope and mountPath`,
  )
}

function authorizationOf({ headers, rawHeaders }: IncomingCall): readonly string[] {
  if (isHeaders(headers)) {
    const field = headers.get('authorization')
    return field === null ? [] : [field]
  }
  return authorizationFields({ authorization: headers['authorization'] }, rawHeaders)
}

function isHeaders(headers: IncomingCall['headers']): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function'
}
