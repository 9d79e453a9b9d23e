import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { fail } from '../store/check-results.ts'
import type { HealthCheck } from '../health/health-report.ts'
import type { Logger } from '../host/logger.ts'
import { readTarget } from '../http/request-path.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayParts } from './parts.ts'

const DECIDED = Symbol('a guard has decided')
const decidedHeaders = new WeakSet<object>()

interface Decided extends IncomingMessage {
  [DECIDED]?: true
}

/**
 * Marks a request on which a guard has decided: the guard accepted or rejected it, or passed it on because an option of
 * the host says so. A guard that passes on a request outside of its API has not decided.
 */
export function markDecided(req: IncomingMessage): void {
  ;(req as Decided)[DECIDED] = true
}

/** Marks a call outside of Koa, of which only the headers may belong to a request of Koa. */
export function markCallDecided(headers: object): void {
  decidedHeaders.add(headers)
}

const UNCHECKED = 'calls of an operation were answered, and no gateway has checked them'
const CAUSES =
  'Mount `gateway.middleware()` in the app, above the router and not below a mount; its `mountPath`, and `audience`, ' +
  'must name the path of the API; rewrite paths above it. If a proxy or code of the host checks the tokens instead, ' +
  'set the option `guardedElsewhere` of createGatehouse()'

/**
 * Finds calls of operations that the host has answered although no guard has decided on them, usually because the host
 * mounts the gateway at the wrong place. Each operation is logged once.
 *
 * @param options.gateways the gateways of this process, one for each resource
 */
export function createUnguardedCalls(options: {
  readonly gateways: readonly Pick<GatewayParts, 'places' | 'dependencies'>[]
  readonly logger: Logger
}) {
  const { gateways, logger } = options
  const found = new Set<string>()

  /** Examines a request that the host has answered. */
  function examine({ req, res, originalUrl, method }: Context): void {
    if (res.statusCode < 200 || res.statusCode > 299 || (req as Decided)[DECIDED]) return
    const { url = originalUrl, originalUrl: whole } = req as { url?: string; originalUrl?: unknown }
    const isPlain = url === originalUrl && whole === undefined
    const targets = isPlain ? [url] : [url, originalUrl, typeof whole === 'string' ? whole : url]
    if (!targets.some(isNear) || decidedHeaders.has(req.headers) || isPage({ req, res })) return
    for (const operation of targets.map((target) => findOperation(method, target))) {
      if (operation === undefined || found.has(operation)) continue
      found.add(operation)
      logger.error({ operation, method, status: res.statusCode }, `${UNCHECKED}. ${CAUSES}`)
    }
  }

  /** Whether a target may be below the address of an API. Every other target costs this comparison alone. */
  function isNear(target: string): boolean {
    if (!target.startsWith('/')) return true
    return gateways.some(({ places }) =>
      places.some(({ prefix }) => target.slice(0, prefix.length).toLowerCase() === prefix),
    )
  }

  function findOperation(method: string, target: string): string | undefined {
    const paths = readTarget(target).readings
    for (const { places, dependencies } of gateways) {
      for (const location of places.flatMap(({ locatePath }) => paths.map(locatePath))) {
        const readings = location.place === 'below' ? readingsOf(location.path) : []
        const [claim] = readings.flatMap((path) => dependencies.findClaims(method, path))
        if (claim !== undefined) return claim.scope
      }
    }
    return undefined
  }

  const pass: Middleware = async function examineUnguarded(ctx, next) {
    await next()
    if (ctx.respond === false && !ctx.res.writableEnded) ctx.res.once('finish', () => examine(ctx))
    else examine(ctx)
  }

  return {
    /** Calls the next middleware, and examines the request when the host has answered it. */
    pass,
    /** The check of `health()`; none if no call was found. */
    check(): readonly HealthCheck[] {
      const named = [...found].slice(0, 5).join(', ')
      return found.size > 0 ? [fail('gateway', `${UNCHECKED}: ${named}`, CAUSES)] : []
    },
  }
}

/** Whether a page answers the request, such as the page of a front end that is the same for all paths. */
function isPage({ req, res }: Pick<Context, 'req' | 'res'>): boolean {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  return isRead && String(res.getHeader('Content-Type')).startsWith('text/html')
}
