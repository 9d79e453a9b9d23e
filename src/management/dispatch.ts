import { Router } from '@koa/router'
import type { Context } from 'koa'
import { PRECONDITION } from '../clients/internal-options.ts'
import type { Caller } from '../host/caller.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { requesterOf } from '../http/client-address.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../http/query-limit.ts'
import type { PageTokens } from '../http/page-tokens.ts'
import { ApiError } from './api-error.ts'
import { requireCaller, requireOwnSite } from './caller.ts'
import { checkBySchema } from './check-input.ts'
import { preconditionOf } from './precondition.ts'
import { readBody, requireJson } from './read-body.ts'
import type { Call, Route } from './route.ts'

/** What the checks of a request need. */
export interface DispatchParts {
  readonly accounts: Pick<HostAccounts, 'current' | 'can' | 'isOperator'>
  readonly tokens: PageTokens
  readonly issuerOrigin: string
  /** Waits until the service has started. */
  ready(): Promise<unknown>
}

/** Creates a function that answers a request by the table of routes. It throws if the request is rejected. */
export function createDispatch(routes: readonly Route[], parts: DispatchParts) {
  const router = new Router({ sensitive: true, strict: true })
  for (const each of routes) {
    const path = each.path.replaceAll(/\{(\w+)\}/g, ':$1')
    router.register(path, [each.method], [(ctx) => answer(each, parts, ctx)])
  }
  const run = router.routes()

  /** @param path the path below the mount path */
  return async function dispatch(ctx: Context, path: string): Promise<void> {
    if (hasTooManyParameters(ctx)) throw new ApiError('ERR_QUERY', TOO_MANY_PARAMETERS)
    const { path: matched, route } = router.match(path, ctx.method)
    if (matched.length === 0) throw new ApiError('ERR_NO_ROUTE', 'there is no such route')
    if (!route) {
      const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted().join(', ')
      throw new ApiError('ERR_METHOD', `${ctx.method} is not supported here; use ${allowed}`, {
        headers: { Allow: allowed },
      })
    }
    // The router reads the path from this field, if it is set.
    const routed = ctx as { newRouterPath?: string }
    routed.newRouterPath = path
    try {
      await run(ctx as unknown as Parameters<typeof run>[0], async () => {})
    } finally {
      delete routed.newRouterPath
    }
  }
}

/** The methods that change nothing. */
const SAFE_METHODS = ['GET', 'HEAD']

async function answer(each: Route, parts: DispatchParts, ctx: Context): Promise<void> {
  const call = each.access === 'public' ? publicCall(ctx) : await checkCall(each, parts, ctx)
  const result = await each.handle(call)
  ctx.status = each.status
  if (each.status === 204) return
  ctx.type = 'application/json'
  ctx.body = JSON.stringify(result)
}

async function checkCall(each: Route, parts: DispatchParts, ctx: Context): Promise<Call> {
  await parts.ready()
  const caller = await requireCaller(parts.accounts, ctx)
  if (!SAFE_METHODS.includes(ctx.method)) {
    requireJson(ctx)
    requireOwnSite(ctx, caller, parts)
  }
  if (each.access === 'operator' && !(await parts.accounts.isOperator?.(ctx))) throw forbidden()

  const params = ctx['params'] as Readonly<Record<string, string>>
  const resource = await each.find?.(caller, params)
  await requirePermission(each, parts, { ctx, caller, resource })

  const query = each.query && checkBySchema('query', each.query, withNumbers(ctx.query))
  const body = each.body && checkBySchema('body', each.body, await readBody(ctx))
  const precondition = preconditionOf(ctx)
  if (precondition && !each.isConditional) {
    throw new ApiError('ERR_INPUT', 'this request cannot depend on an ETag: send it without If-Match')
  }
  const by = { actor: caller.actor, ...requesterOf(ctx) }
  const change = { ...by, ...(precondition && { [PRECONDITION]: precondition }) }
  return { ctx, caller, params, query, body, resource, change }
}

async function requirePermission(
  { access, target }: Route,
  { accounts }: DispatchParts,
  { ctx, caller, resource }: Pick<Call, 'ctx' | 'caller' | 'resource'>,
): Promise<void> {
  if (access === 'operator' || access === 'signed-in' || access === 'public' || !accounts.can) return
  const isAllowed = await accounts.can(ctx, access, { accountId: caller.accountId, ...target?.(resource) })
  if (!isAllowed) throw new ApiError('ERR_FORBIDDEN', `this needs the permission ${access}`)
}

function forbidden(): ApiError {
  return new ApiError('ERR_FORBIDDEN', 'only operators may do this')
}

function publicCall(ctx: Context): Call {
  const caller: Caller = { accountId: '', actor: '', isSession: false }
  return { ctx, caller, params: {}, query: undefined, body: undefined, resource: undefined, change: {} }
}

/** Queries have texts only. A text of digits becomes a number where the API has numbers. */
function withNumbers(query: Context['query']): Record<string, unknown> {
  const { limit, ...others } = query
  if (limit === undefined) return others
  return { ...others, limit: typeof limit === 'string' && /^\d{1,9}$/.test(limit) ? Number(limit) : limit }
}
