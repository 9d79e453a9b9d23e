import type { Context, Middleware } from 'koa'
import { pathBelow } from '../http/request-path.ts'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Logger } from '../host/logger.ts'
import { createPageTokens } from '../http/page-tokens.ts'
import { checkInput } from '../validation/check-input.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { optional } from '../validation/rules.ts'
import type { AuditTrail } from '../audit/read-trail.ts'
import { auditRoutes } from './audit-routes.ts'
import { authorizationRoutes } from './authorization-routes.ts'
import { catalogRoutes, createAccessPreview, type CatalogParts } from './catalog-routes.ts'
import { operatorRoutes, type OperatorParts } from './operator-routes.ts'
import { createDispatch } from './dispatch.ts'
import { apiKeyRoutes, applicationRoutes } from './kind-routes.ts'
import { openApiDocument } from './openapi.ts'
import { createErrorAnswers } from './problem-details.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session-routes.ts'

/** Options of the management API. */
export interface ManagementOptions {
  /**
   * Path of the API in the host's app, without a trailing slash; `''` is the root. If koa-mount mounts the
   * middleware, this is the path of that mount. @default '/account/api'
   */
  readonly path?: string | undefined
}

/** What the management API needs from the rest of the service. */
export interface ManagementParts extends OperatorParts, Omit<CatalogParts, 'accounts'> {
  readonly audit: Pick<AuditTrail, 'list'>
  readonly accounts: HostAccounts
  readonly issuer: string
  /** The HMAC keys of CSRF tokens, newest first. */
  readonly csrfKeys: readonly Uint8Array[]
  readonly events: EventSink
  readonly logger: Logger
  /** Waits until the service has started, as long as a request may wait. */
  ready(): Promise<unknown>
}

/**
 * The management API as a middleware: JSON for consoles and scripts. It passes requests of other paths to the
 * next middleware.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options; `ERR_OPTIONS` if `accounts` has no
 *   `current`, so that no caller can be known
 */
export function managementApiOf(parts: ManagementParts, options: ManagementOptions = {}): Middleware {
  checkInput('createManagementApi()', options, { path: optional(mountPathProblem) })
  const { path = '/account/api' } = options
  const mountPath = path === '/' ? '' : path
  const { accounts, issuer, csrfKeys } = parts
  if (!accounts.current) {
    throw new GatehouseError(
      'ERR_OPTIONS',
      'createManagementApi() needs accounts.current and accounts.signInUrl: without them, the host does not say who calls',
    )
  }

  const shared = { previewAccess: createAccessPreview(parts) }
  const tokens = createPageTokens(csrfKeys, { name: 'management', issuer, path: mountPath })
  const routes: Route[] = [
    ...sessionRoutes(tokens),
    ...apiKeyRoutes(parts.apiKeys, shared),
    ...applicationRoutes(parts.applications, shared),
    ...catalogRoutes(parts),
    ...authorizationRoutes(parts.grants, parts.registry),
    ...auditRoutes(parts.audit),
    ...operatorRoutes(parts),
    {
      method: 'get',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag: 'Session',
      summary: 'This document',
      access: 'public',
      status: 200,
      handle: async () => document,
    },
  ]
  const document = openApiDocument(routes, mountPath)
  const dispatch = createDispatch(routes, {
    accounts,
    tokens,
    issuerOrigin: new URL(issuer).origin,
    ready: parts.ready,
  })
  const answerError = createErrorAnswers(parts)

  return async function management(ctx: Context, next) {
    const below = pathBelow(ctx, mountPath)
    if (below === undefined) {
      await next()
      return
    }
    ctx.set(HEADERS)
    try {
      await dispatch(ctx, below)
    } catch (error) {
      answerError(ctx, error)
    }
  }
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
