import type { Context, Middleware } from 'koa'
import { pathBelow } from '../http/request-path.ts'
import { GatehouseError } from '../errors.ts'
import type { AnyGatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import { createPageTokens } from '../http/csrf.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { checkInput, optional } from '../validation/rules.ts'
import { auditRoutes } from './audit-routes.ts'
import { authorizationRoutes } from './authorization-routes.ts'
import { catalogRoutes, createAccessPreview } from './catalog-routes.ts'
import { operatorRoutes } from './operator-routes.ts'
import { createDispatch } from './dispatch.ts'
import { openApiDocument } from './openapi.ts'
import { createErrorAnswers } from './problem-details.ts'
import { route, type Route } from './route.ts'
import { apiKeyRoutes, applicationRoutes } from './client-routes.ts'

/** Options of the management API. */
export interface ManagementOptions {
  /**
   * Path of the API in the host's app, without a trailing slash; `''` is the root. If koa-mount mounts the
   * middleware, this is the path of that mount. @default '/account/api'
   */
  readonly path?: string | undefined
}

/**
 * Creates the management API: JSON over HTTP for the API keys, applications and authorizations of the signed-in account,
 * for front ends and scripts. Mount the API after your session middleware: `accounts.current` says who is signed in.
 * Requests outside `path` go to the next middleware. Starts the gatehouse in the background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for invalid
 *   options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createManagementApi(gatehouse: AnyGatehouse, options: ManagementOptions = {}): Middleware {
  const parts = internalsOf(gatehouse, 'createManagementApi()')
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

  const previewAccess = createAccessPreview(parts)
  const tokens = createPageTokens(csrfKeys, { name: 'management', issuer, path: mountPath })
  const routes: Route[] = [
    route({
      method: 'get',
      path: '/session',
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Who calls, and the CSRF token for requests with a session cookie',
      access: 'signed-in',
      status: 200,
      answer: 'Session',
      handle: async ({ ctx, caller, isOperator }) => ({
        accountId: caller.accountId,
        userId: caller.userId,
        operator: await isOperator(),
        csrfToken: tokens.issue(ctx, caller),
      }),
    }),
    ...apiKeyRoutes(parts.apiKeys, previewAccess),
    ...applicationRoutes(parts.applications, previewAccess),
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
  parts.begin()

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
