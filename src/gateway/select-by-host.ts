import type { Middleware } from 'koa'
import { GatehouseError } from '../errors.ts'
import { findHost } from '../http/request-host.ts'
import { readingsOf } from './canonical-path.ts'
import { rejectCall } from './guard.ts'
import type { Principal } from './principal.ts'
import { partsOf } from './registered-parts.ts'
import { createRequestLocator, type RequestLocation } from './request-location.ts'
import { claimsOfEmptySegment, isUnclaimed, requiredScopesOf } from './required-scope.ts'
import { wellKnown } from './well-known.ts'

/**
 * Combines the middlewares of gateways whose resources are at different hosts and have the same path. Exactly one
 * gateway guards a request: of the gateways with its path, the host of the request selects one. The first of them
 * guards requests for all other hosts. If one path is below another, the longer path selects.
 *
 * @param middlewares `middleware()` of each gateway, with its own options
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for any other middleware
 */
export function selectByHost(
  ...middlewares: readonly Middleware<{ auth: Principal }>[]
): Middleware<{ auth: Principal }> {
  const all = middlewares.map(readGuard).toSorted((one, other) => other.depth - one.depth)
  const metadata = wellKnown(all.map(({ parts }) => parts.dependencies))

  return async function selectByHost(ctx, next) {
    return metadata(ctx, async () => {
      const found = all
        .map((each) => ({ ...each, location: each.locateRequest(ctx) }))
        .filter(({ location }) => location.place !== 'elsewhere')
      const nearest = found.filter(({ depth }) => depth === found[0]?.depth)
      const at = nearest.length > 1 ? findHost(ctx, nearest) : 0
      const selected = nearest[at ?? 0] ?? nearest[0]
      if (selected === undefined) return next()
      if (found.length === 1) return selected.middleware(ctx, next)
      const { errorResponses, hooks } = selected.parts
      if (at === undefined) return rejectCall(ctx, hooks, errorResponses.notFound(UNCLEAR_HOST))
      const loads = found.map(async ({ parts: { firstLoad } }) => firstLoad.isReady || firstLoad.soonReady())
      if ((await Promise.all(loads)).includes(false))
        return rejectCall(ctx, hooks, errorResponses.unavailable())
      const isForeign = found.some((other) => other !== selected && mayRun(ctx.method, other, selected))
      return isForeign ? rejectCall(ctx, hooks, errorResponses.notFound()) : selected.middleware(ctx, next)
    })
  }
}

const UNCLEAR_HOST = 'the host of the request is unclear: write it as in the address of the resource'

function readGuard(middleware: Middleware<{ auth: Principal }>) {
  const parts = typeof middleware === 'function' ? partsOf(middleware) : undefined
  if (parts === undefined)
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'selectByHost() takes middleware() of gateways')
  const address = new URL(parts.dependencies.audience)
  const depth = parts.base.split('/').filter(Boolean).length
  return { middleware, parts, address, depth, ...createRequestLocator(parts.base) }
}

type Located = ReturnType<typeof readGuard> & { readonly location: RequestLocation }

/** A handler of another resource might run, on a public route or with a token for another operation. */
function mayRun(method: string, other: Located, selected: Located): boolean {
  const [own, foreign] = [selected.location, other.location]
  if (own.place !== 'below' || foreign.place !== 'below') return false
  const { dependencies } = other.parts
  const scopes = requiredScopesOf(method, own.path, own.endsInSlash, selected.parts.dependencies)
  const read = readingsOf(foreign.path).map((path) => dependencies.findScope(method, path))
  const claims = foreign.endsInSlash ? claimsOfEmptySegment(method, foreign.path, dependencies) : []
  const wanted = [...read, ...claims.map(({ scope }) => scope)].filter((scope) => scope !== undefined)
  if (scopes) return other.depth === selected.depth && wanted.some((scope) => !scopes.includes(scope))
  return [foreign, ...foreign.alternatives].some((each) => !isUnclaimed(each, dependencies))
}
