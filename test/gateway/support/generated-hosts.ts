import { Router } from '@koa/router'
import fc from 'fast-check'
import Koa, { type Context, type Middleware } from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import type { GatewayMiddlewareOptions } from '../../../src/gateway/guard.ts'

/** How a middleware writes the path that it rewrites. */
type Writes = 'path' | 'url' | 'req.url'

/** A part of a host, from the outside to the inside. */
export type Layer =
  /** Removes a prefix, as for languages. */
  | { readonly is: 'strip'; readonly prefix: string; readonly writes: Writes }
  /** Replaces one prefix with another. */
  | { readonly is: 'replace'; readonly from: string; readonly to: string; readonly writes: Writes }
  /** Puts a prefix back that the proxy in front has stripped. */
  | { readonly is: 'put back'; readonly prefix: string; readonly writes: Writes }
  /** Hides the original target. */
  | { readonly is: 'originalUrl' }
  | { readonly is: 'method override' }
  /** A mounted middleware that passes all requests on, so `ctx.mountPath` is stale behind it. */
  | { readonly is: 'passing mount'; readonly prefix: string }
  /** A mounted app with all further layers. */
  | { readonly is: 'mount'; readonly prefix: string }
  | { readonly is: 'gateway' }

type Rewrite = Extract<Layer, { readonly is: 'strip' | 'replace' | 'put back' }>

/**
 * Express, or connect, which has no `baseUrl`: what rewrites the target there, and the prefix of the Koa app. The documents
 * exclude rewrites in connect that add a prefix.
 */
interface Framework {
  readonly rewrite: Rewrite | null
  readonly prefix: string
  readonly hasBaseUrl: boolean
  /** Whether {base_url} is without the prefix: `mountPath` names the path that the Koa app sees. */
  readonly isOutside: boolean
}

export interface GeneratedHost {
  /** The path of {base_url}, as the app sees it. */
  readonly base: string
  /** Whether a proxy in front strips a prefix of {base_url}, so that the gateway has a `mountPath`. */
  readonly hasMountPath: boolean
  /** The path below {base_url} at which the routes of the operations begin. */
  readonly routes: string
  readonly framework: Framework | undefined
  readonly layers: readonly Layer[]
  /** Whether a rewrite may hide the path of a call from the gateway, so that a right token may get 404. */
  readonly mayHidePaths: boolean
  readonly hasRouter: boolean
  readonly unclaimed: 'pass' | 'reject'
  readonly hasWhen: boolean
}

/** What the innermost handler of a generated host saw. */
export interface Run {
  readonly method: string
  /** The path, with all prefixes that mounts and frameworks removed. */
  readonly path: string
  readonly scopes: readonly string[] | undefined
}

const PREFIXES = ['/de', '/v2', '/shop', '/api', '/shop/api', '/platform', '/x']
const prefix = fc.constantFrom(...PREFIXES)
const writes = fc.constantFrom<Writes>('path', 'url', 'req.url')
const strip: fc.Arbitrary<Rewrite> = fc.record({ is: fc.constant('strip' as const), prefix, writes })
const anyRewrite: fc.Arbitrary<Rewrite> = fc.oneof(
  strip,
  fc.record({ is: fc.constant('replace' as const), from: prefix, to: prefix, writes }),
  fc.record({ is: fc.constant('put back' as const), prefix, writes }),
)
const extra: fc.Arbitrary<Layer> = fc.oneof(
  { weight: 8, arbitrary: anyRewrite },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('originalUrl' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('method override' as const) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('passing mount' as const), prefix }) },
)

export const isRewrite = ({ is }: Layer) => is !== 'mount' && is !== 'passing mount' && is !== 'gateway'

/**
 * Whether a rewrite adds the prefix of a mount around it, so that the path looks as if the request had left the mount. The
 * documents exclude such rewrites.
 */
function addsMountPrefix(layer: Layer, around: readonly Layer[]): boolean {
  const added = layer.is === 'put back' ? layer.prefix : layer.is === 'replace' ? layer.to : undefined
  if (added === undefined) return false
  return around.some((each) => each.is === 'mount' && `${added}/`.startsWith(`${each.prefix}/`))
}

/** The layers inside of the outermost mount or framework. */
function insideOf(layers: readonly Layer[], framework: string | undefined): readonly Layer[] {
  if (framework !== undefined) return layers
  const mountAt = layers.findIndex(({ is }) => is === 'mount')
  return mountAt < 0 ? [] : layers.slice(mountAt)
}

/** Whether a mounted app has an inner mount that passes requests on, so `ctx.mountPath` names the inner mount. */
const hasInnerMount = (inside: readonly Layer[]) => inside.some(({ is }) => is === 'passing mount')

/** Whether rewrites only strip prefixes, above all mounts. */
function isOnlyStripped(layers: readonly Layer[], inside: readonly Layer[]): boolean {
  return layers.every(({ is }) => is !== 'put back' && is !== 'replace') && !inside.some(isRewrite)
}

/** Splits the beginning of a path into prefixes: `/a/b/c` into `/a` and `/b`, or `/a/b`, and so on. */
function splits(path: string): string[][] {
  const segments = path.split('/').filter(Boolean)
  const all: string[][] = [[]]
  for (let end = 1; end <= segments.length; end += 1) {
    const first = `/${segments.slice(0, end).join('/')}`
    for (const rest of splits(`/${segments.slice(end).join('/')}`)) all.push([first, ...rest])
  }
  return all
}

export const generatedHost: fc.Arbitrary<GeneratedHost> = fc
  .record({
    base: fc.constantFrom('/api', '/shop/api', '/shop/api', '/platform/shop/api', '/shop/shop/api', '/'),
    hasMountPath: fc.boolean(),
    mounts: fc.nat(),
    mountBelow: fc.option(fc.constantFrom('/items', '/api', '/v2'), { nil: undefined, freq: 3 }),
    extras: fc.array(fc.tuple(extra, fc.nat(20)), { maxLength: 4 }),
    gatewayAt: fc.nat(20),
    framework: fc.option(
      fc.oneof(
        fc.record({ rewrite: fc.option(strip), hasBaseUrl: fc.constant(false), isOutside: fc.boolean() }),
        fc.record({ rewrite: fc.option(anyRewrite), hasBaseUrl: fc.constant(true), isOutside: fc.boolean() }),
      ),
      { nil: undefined, freq: 3 },
    ),
    hasRouter: fc.boolean(),
    unclaimed: fc.constantFrom('pass' as const, 'reject' as const),
    hasWhen: fc.boolean(),
  })
  .map(({ base, mounts, mountBelow, extras, gatewayAt, framework, ...others }) => {
    const routes = base === '/' ? '/shop/api' : ''
    const choices = splits(base === '/' ? routes : base)
    const prefixes = [...choices[mounts % choices.length]!]
    const first = framework && !framework.isOutside ? prefixes.shift() : undefined
    const isBelow = mountBelow !== undefined && (first ?? '') + prefixes.join('') === base
    if (isBelow) prefixes.push(mountBelow)
    const layers: Layer[] = prefixes.map((each) => ({ is: 'mount', prefix: each }))
    // connect tells the prefix only by the difference of both targets.
    const hidesTarget = framework?.hasBaseUrl !== false
    for (const [layer, at] of extras) {
      const place = at % (layers.length + 1)
      const isMounted = layers.slice(0, place).some(({ is }) => is === 'mount')
      if (layer.is === 'originalUrl' && (isMounted || !hidesTarget)) continue
      if (addsMountPrefix(layer, layers.slice(0, place))) continue
      layers.splice(place, 0, layer)
      // The documents exclude all other rewrites in a mount below {base_url}, and in a mounted app with an inner mount.
      const inside = insideOf(layers, first)
      if ((isBelow || hasInnerMount(inside)) && !isOnlyStripped(layers, inside)) layers.splice(place, 1)
    }
    const lastRewrite = layers.findLastIndex(isRewrite)
    layers.splice(lastRewrite + 1 + (gatewayAt % (layers.length - lastRewrite)), 0, { is: 'gateway' })
    return {
      base,
      routes,
      layers,
      mayHidePaths: isBelow || (hasInnerMount(insideOf(layers, first)) && lastRewrite >= 0),
      framework: framework && { ...framework, prefix: framework.isOutside ? '/outside' : (first ?? '') },
      ...others,
    }
  })

/** What mounts and the framework remove from the path of a request, as far as {base_url} contains it. */
function removedFrom({ framework, layers }: GeneratedHost): string {
  const first = framework?.isOutside === false ? framework.prefix : ''
  return first + layers.map((layer) => (layer.is === 'mount' ? layer.prefix : '')).join('')
}

/**
 * Builds the app of a host.
 *
 * @param gateway undefined for a host that forgets its gateway
 * @param above runs before all other middleware
 */
export function buildHost(
  host: GeneratedHost,
  gateway: Gateway | undefined,
  runs: Run[],
  above: Middleware,
): ReturnType<Koa['callback']> {
  const options: GatewayMiddlewareOptions = {
    public: [`GET ${host.routes}/status`, `GET ${host.routes}/:page/news`] as `GET /${string}`[],
    optional: [`GET ${host.routes}/reports/:id` as `GET /${string}`],
    unclaimed: host.unclaimed,
    ...(host.hasMountPath && { mountPath: host.base === '/' ? '' : host.base }),
    ...(host.hasWhen && { when: (ctx: Context) => ctx.get('x-when') !== 'false' }),
  }
  const outside = removedFrom(host)
  const handler = (ctx: Context) => {
    runs.push({ method: ctx.method, path: outside + ctx.path, scopes: ctx.state['auth']?.scopes })
    ctx.body = 'reached'
  }
  let inside: Middleware[] = [handler]
  if (host.hasRouter && host.base.startsWith(`${outside}/`) && host.base !== '/') {
    const router = new Router({ prefix: host.base.slice(outside.length) })
    router.all('/{*rest}', handler)
    inside.unshift(router.routes() as Middleware)
  }
  for (const layer of host.layers.toReversed()) {
    if (layer.is === 'gateway') inside.unshift(...(gateway ? [gateway.middleware(options)] : []))
    else if (layer.is === 'mount') inside = [mount(layer.prefix, compose(inside)) as Middleware]
    else inside.unshift(middlewareOf(layer))
  }
  const app = new Koa()
  app.silent = true
  app.use(above)
  for (const middleware of inside) app.use(middleware)
  return inFramework(host, app.callback())
}

function middlewareOf(layer: Exclude<Layer, { readonly is: 'mount' | 'gateway' }>): Middleware {
  if (layer.is === 'passing mount')
    return mount(layer.prefix, async (_ctx: Context, next: () => Promise<unknown>) => next()) as Middleware
  return (ctx, next) => {
    if (layer.is === 'originalUrl') ctx.originalUrl = ctx.url
    else if (layer.is === 'method override') ctx.method = ctx.get('x-method') || ctx.method
    else {
      const path = rewrite(layer, ctx.path)
      const url = path + ctx.url.slice(ctx.path.length)
      if (layer.writes === 'path') ctx.path = path
      else if (layer.writes === 'url') ctx.url = url
      else ctx.req.url = url
    }
    return next()
  }
}

function rewrite(layer: Rewrite, path: string): string {
  if (layer.is === 'put back') return layer.prefix + path
  const from = layer.is === 'strip' ? layer.prefix : layer.from
  if (!path.startsWith(`${from}/`)) return path
  return (layer.is === 'strip' ? '' : layer.to) + path.slice(from.length)
}

/** The path that a rewrite turns into `path`; undefined if there is none. */
function before(layer: Rewrite, path: string): string | undefined {
  const { is } = layer
  const candidates = [path]
  if (is === 'strip') candidates.unshift(layer.prefix + path)
  else if (is === 'put back') candidates.unshift(path.slice(layer.prefix.length))
  else candidates.unshift(layer.from + path.slice(layer.to.length))
  return candidates.find((each) => each.startsWith('/') && rewrite(layer, each) === path)
}

/**
 * The address of a client whose request reaches the innermost handler with `path`; undefined if the layers
 * let no request through to it.
 */
export function addressOf(host: GeneratedHost, path: string): string | undefined {
  const outside = removedFrom(host)
  let rest = `${path}/`.startsWith(`${outside}/`) ? path.slice(outside.length) : undefined
  for (const layer of host.layers.toReversed()) {
    if (rest === undefined) return undefined
    if (layer.is === 'mount') rest = layer.prefix + rest
    else if (layer.is === 'strip' || layer.is === 'replace' || layer.is === 'put back')
      rest = before(layer, rest)
  }
  if (rest === undefined || host.framework === undefined) return rest
  const target = host.framework.prefix + rest
  return host.framework.rewrite ? before(host.framework.rewrite, target) : target
}

function inFramework({ framework }: GeneratedHost, callback: ReturnType<Koa['callback']>): typeof callback {
  if (framework === undefined) return callback
  return async (request, response) => {
    const original = request.url ?? '/'
    const url = framework.rewrite ? rewrite(framework.rewrite, original) : original
    if (!url.startsWith(`${framework.prefix}/`)) return void response.writeHead(404).end()
    Object.assign(request, { originalUrl: original, url: url.slice(framework.prefix.length) })
    if (framework.hasBaseUrl) Object.assign(request, { baseUrl: framework.prefix })
    return callback(request, response)
  }
}
