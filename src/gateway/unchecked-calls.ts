import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { fail, nameSome } from '../store/check-results.ts'
import type { HealthCheck } from '../health/health-report.ts'
import type { Logger } from '../host/logger.ts'
import { readTarget } from '../http/request-path.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayParts } from './parts.ts'

const CHECKED = Symbol('checked')
const checkedHeaders = new WeakSet<object>()

interface Checked extends IncomingMessage {
  [CHECKED]?: true
}

/** A guard has accepted or rejected the request, or passed it on because of an option. */
export function markChecked(req: IncomingMessage): void {
  ;(req as Checked)[CHECKED] = true
}

/** Outside of Koa. Only the headers may belong to a request of Koa. */
export function markCallChecked(headers: object): void {
  checkedHeaders.add(headers)
}

const UNCHECKED = 'calls of an operation were answered, and no gateway has checked them'
const CAUSES =
  'Mount `gateway.middleware()` in the app, above the router and not below a mount; its `mountPath`, and `audience`, ' +
  'must name the path of the API; rewrite paths above it. If a proxy or code of the host checks the tokens instead, ' +
  'set the option `checkedElsewhere` of createGatehouse()'

/**
 * Finds calls of operations that the host has answered although no guard has checked them: usually the
 * gateway is mounted at the wrong place. Each operation is logged once.
 */
export function createUncheckedCalls(options: {
  readonly gateways: readonly Pick<GatewayParts, 'watchedPaths' | 'dependencies'>[]
  readonly logger: Logger
}) {
  const { gateways, logger } = options
  const found = new Set<string>()

  function examine(ctx: Context, entered: string | undefined): void {
    const { req, res, originalUrl, method } = ctx
    if (res.statusCode < 200 || res.statusCode > 299 || (req as Checked)[CHECKED]) return
    const { url: present = originalUrl, originalUrl: whole } = req as { url?: string; originalUrl?: unknown }
    // Below a mount, the target lacks the path of the mount.
    const url = present === entered && ctx['mountPath'] !== undefined ? originalUrl : present
    const isPlain = url === originalUrl && whole === undefined
    const targets = isPlain ? [url] : [url, originalUrl, typeof whole === 'string' ? whole : url]
    if (!targets.some(isNear) || checkedHeaders.has(req.headers) || isPage({ req, res })) return
    for (const operation of targets.map((target) => findOperation(method, target))) {
      if (operation === undefined || found.has(operation)) continue
      found.add(operation)
      logger.error({ operation, method, status: res.statusCode }, `${UNCHECKED}. ${CAUSES}`)
    }
  }

  /** Every other target costs this comparison alone. */
  function isNear(target: string): boolean {
    if (!target.startsWith('/')) return true
    return gateways.some(({ watchedPaths }) =>
      watchedPaths.some(({ prefix }) => target.slice(0, prefix.length).toLowerCase() === prefix),
    )
  }

  function findOperation(method: string, target: string): string | undefined {
    const paths = readTarget(target).readings
    for (const { watchedPaths, dependencies } of gateways) {
      for (const location of watchedPaths.flatMap(({ locatePath }) => paths.map(locatePath))) {
        const readings = location.place === 'below' ? readingsOf(location.path) : []
        const [claim] = readings.flatMap((path) => dependencies.findClaims(method, path))
        if (claim !== undefined) return claim.scope
      }
    }
    return undefined
  }

  const pass: Middleware = async function examineUnchecked(ctx, next) {
    const entered = ctx.req.url
    await next()
    if (ctx.respond === false && !ctx.res.writableEnded) ctx.res.once('finish', () => examine(ctx, entered))
    else examine(ctx, entered)
  }

  return {
    pass,
    check(): readonly HealthCheck[] {
      return found.size > 0 ? [fail('gateway', `${UNCHECKED}: ${nameSome([...found])}`, CAUSES)] : []
    },
  }
}

/** Such as the page of a front end that is the same for all paths. */
function isPage({ req, res }: Pick<Context, 'req' | 'res'>): boolean {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  return isRead && String(res.getHeader('Content-Type')).startsWith('text/html')
}
