import type { Context, Middleware } from 'koa'
import { pathBelow } from '../../http/request-path.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { createPageTokens } from '../../http/csrf.ts'
import { mountPathProblem, pathsOf } from '../../validation/mount-path.ts'
import { checkInput, optional } from '../../validation/rules.ts'
import { auditRoutes } from './audit-routes.ts'
import { authorizationRoutes } from './authorization-routes.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { hygieneRoutes } from './hygiene-routes.ts'
import { leakedSecretRoutes } from './leaked-secret-routes.ts'
import { operatorActionRoutes } from './client-action-routes.ts'
import { operatorRoutes } from './operator-routes.ts'
import { createClientPresenter } from './add-client-state.ts'
import { createRouteHandler } from './call-route.ts'
import { openApiDocument } from './openapi.ts'
import { createErrorAnswers } from './problem-details.ts'
import { route, type Route } from './route.ts'
import type { Limits } from '../limits/limits.ts'
import { limitsRule, requireCurrent, usageRule } from '../front-door/part-options.ts'
import type { Usage } from '../usage/usage-types.ts'
import { usageRoutes } from './usage-routes.ts'
import { clientRoutes } from './client-routes.ts'

/** Options of the management API. */
export interface ManagementOptions {
  /**
   * Path of the API as clients see it, without a trailing slash; `''` is the root. If koa-mount mounts the
   * middleware, this is the path of that mount. @default '/account/api'
   */
  readonly path?: string | undefined
  /**
   * Path at which the host's app receives requests for the API, if a proxy changes paths; `''` is the root.
   * @default `path`
   */
  readonly mountPath?: string | undefined
  /** The result of `createUsage()`. The API then has routes about usage. @default the API has no such routes */
  readonly usage?: Usage | undefined
  /**
   * The result of `createLimits()`. Operators may then set the limits of a client. @default the API has no such routes
   */
  readonly limits?: Limits | undefined
}

/**
 * Creates the management API: JSON over HTTP for the API keys, applications and authorizations of the signed-in
 * account, for front ends and scripts. Mount the API after your session middleware: `accounts.current` says who is
 * signed in. Requests for other paths go to the next middleware. Starts the gatehouse in the background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for
 *   invalid options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createManagementApi(gatehouse: AnyGatehouse, options: ManagementOptions = {}): Middleware {
  const parts = internalsOf(gatehouse, 'createManagementApi()')
  checkInput('createManagementApi()', options, {
    path: optional(mountPathProblem),
    mountPath: optional(mountPathProblem),
    usage: optional(usageRule),
    limits: optional(limitsRule),
  })
  const { path, mountPath } = pathsOf({ ...options, path: options.path ?? DEFAULT_PATH })
  const { accounts, catalog, issuer, csrfKeys } = parts
  requireCurrent('createManagementApi()', accounts)

  const presenter = createClientPresenter(parts.statesOf)
  const tokens = createPageTokens(csrfKeys, { name: 'management', issuer, path })
  const routes: Route[] = [
    route({
      path: 'get /session',
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Who calls, and the CSRF token for requests with a session cookie',
      access: 'signed-in',
      answer: 'Session',
      handle: async ({ ctx, caller, isOperator }) => ({
        accountId: caller.accountId,
        userId: caller.userId,
        operator: await isOperator(),
        csrfToken: tokens.issue(ctx, caller),
      }),
    }),
    ...clientRoutes('apiKey', parts, presenter),
    ...clientRoutes('application', parts, presenter),
    ...leakedSecretRoutes(parts),
    ...hygieneRoutes(parts),
    ...(options.usage ? usageRoutes(parts, options.usage) : []),
    ...(options.limits ? operatorActionRoutes(parts, presenter, 'limits') : []),
    ...catalogRoutes(parts),
    ...authorizationRoutes(parts.grants, parts.registry),
    ...auditRoutes(parts),
    ...operatorRoutes(parts, presenter),
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
  const document = openApiDocument(routes, path)
  const callRoute = createRouteHandler(routes, {
    accounts,
    catalog,
    tokens,
    issuerOrigin: new URL(issuer).origin,
    ready: parts.ready,
  })
  const answerError = createErrorAnswers(parts)
  parts.begin()

  return async function management(ctx: Context, next) {
    const below = pathBelow(ctx, mountPath)
    if (below === undefined) {
      await next()
      return
    }
    ctx.set(HEADERS)
    try {
      await callRoute(ctx, below)
    } catch (error) {
      answerError(ctx, error)
    }
  }
}

const DEFAULT_PATH = '/account/api'

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
