import fc from 'fast-check'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { partsOf } from '../../src/gateway/registered-parts.ts'
import { createUncheckedCalls } from '../../src/gateway/unchecked-calls.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createTestGateway } from './support/api.ts'
import {
  addressOf,
  buildHost,
  generatedHost,
  isRewrite,
  type GeneratedHost,
  type Run,
} from './support/generated-hosts.ts'

/** How many hosts to generate: `GENERATED_HOSTS=20000 npx vitest run …` for a long run. */
const HOSTS = Number(process.env['GENERATED_HOSTS'] ?? 500)

const ROUTES = {
  'items:list': ['GET', '/items'],
  'items:make': ['POST', '/items'],
  'items:read': ['GET', '/items/7'],
  'items:delete': ['DELETE', '/items/7'],
  'reports:read': ['GET', '/reports/7'],
  'news:read': ['GET', '/news'],
  'status:read': ['GET', '/status/7'],
  'tenants:items': ['GET', '/x/items'],
  'tenants:item': ['GET', '/x/items/7'],
} as const
const SCOPES = Object.keys(ROUTES) as (keyof typeof ROUTES)[]

interface Api {
  readonly gateway: Gateway
  readonly token: (scope: string) => string
}

const apis = new Map<string, Api>()
let handle: ReturnType<typeof buildHost>

/** The gateway of one {base_url}; its operations have their routes below `routes`. */
async function apiOf({ base, routes, hasMountPath }: GeneratedHost): Promise<Api> {
  const audience = `https://example.com${hasMountPath ? '/public' : ''}${base === '/' ? '' : base}`
  const known = apis.get(audience)
  if (known !== undefined) return known
  const operations = Object.fromEntries(
    SCOPES.map((scope) => {
      const [method, path] = ROUTES[scope]
      return [
        scope,
        { route: `${method} ${routes}${path.replace('7', ':id').replace('x', ':tenant')}`, title: scope },
      ]
    }),
  )
  const catalog = createCatalog({ items: { title: 'Items', operations } })
  const { gateway, issuer } = await createTestGateway({
    audience,
    findScope: (method, path) => catalog.findOperation(method, path)?.scope,
    findClaims: (method, path) => catalog.findClaims(method, path),
    isKnownScope: () => true,
  })
  const tokens = new Map<string, string>()
  for (const scope of SCOPES) tokens.set(scope, await issuer.mint({ scope, aud: audience }))
  const api = { gateway, token: (scope: string) => tokens.get(scope)! }
  apis.set(audience, api)
  return api
}

/** Finds calls that no guard has decided on, at the address at which the app sees the API. */
function uncheckedCalls(gateway: Gateway, { base }: GeneratedHost) {
  const parts = partsOf(gateway)!
  parts.watchPath(base)
  return createUncheckedCalls({ gateways: [parts], logger: silentLogger })
}

/** Runs the app of a host without a server, because a run needs many requests. Resolves with the status. */
async function send(method: string, url: string, token?: string, fields: Record<string, string> = {}) {
  const headers = { ...fields, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const rawHeaders = Object.entries(headers).flat()
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url, headers, rawHeaders })
  const response = new ServerResponse(request)
  await handle(request, response)
  return response.statusCode
}

/** A path below the routes of the operations; undefined if it is outside of them. */
function belowRoutes({ base, routes }: GeneratedHost, path: string): string | undefined {
  const prefix = (base === '/' ? '' : base) + routes
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined
  return path.slice(prefix.length).replace(/\/$/, '') || '/'
}

/** The scope of an operation. */
function scopeOf(method: string, path: string): string | undefined {
  return SCOPES.find((scope) => {
    const [routeMethod, route] = ROUTES[scope]
    return routeMethod === method && new RegExp(`^${route.replace(/7|x/g, '[^/]+')}$`).test(path)
  })
}

const isClaimed = (path: string) =>
  ['GET', 'POST', 'DELETE'].some((method) => scopeOf(method, path) !== undefined)

/**
 * Whether a rewrite has added segments to a path that had them already. In a mount with this prefix, the path looks as if
 * the request had left the mount. The documents exclude it.
 */
function hasSegmentsTwice({ layers, base }: GeneratedHost, path: string): boolean {
  const adds = layers.some(({ is }) => is === 'put back' || is === 'replace')
  if (!adds || !layers.some(({ is }) => is === 'mount' || is === 'passing mount')) return false
  const rest = base === '/shop/shop/api' ? path.replace('/shop', '') : path
  return /((?:\/[^/]+)+)\1(?=\/|$)/.test(rest)
}

const isOpen = (method: string, path: string) =>
  method === 'GET' &&
  /^\/(?:status|[^/]+\/news|reports\/[^/]+)$/.test(path) &&
  !/^\/(?:items|status)\//.test(path)

const isMounted = ({ framework, layers }: Pick<GeneratedHost, 'framework' | 'layers'>) =>
  framework !== undefined || layers.some(({ is }) => is === 'mount' || is === 'passing mount')

/**
 * Asserts that a handler below {base_url} ran only with the principal of its operation, or where the options
 * of the gateway need none.
 */
function expectAllowed(host: GeneratedHost, address: string, { method, path, scopes }: Run): void {
  const what = JSON.stringify({ host, address, method, path, scopes })
  const rest = belowRoutes(host, path)
  if (rest === undefined) return expectNoneIfSentBelow(host, address, scopes, what)
  if (hasSegmentsTwice(host, path)) return
  // Some routers take the slash at the end for an empty parameter.
  const paths = address.endsWith('/') && path.endsWith('/') ? [rest, `${rest === '/' ? '' : rest}/7`] : [rest]
  const required = paths.map((each) => scopeOf(method, each)).filter((scope) => scope !== undefined)
  if (scopes !== undefined) {
    // If the API is a whole host, the documents exclude mounts below a rewrite. A call there still needs a token.
    if (host.base !== '/' || !isMounted(host)) expect(scopes, what).toEqual(expect.arrayContaining(required))
    return
  }
  const passes = host.unclaimed === 'pass' && !paths.some(isClaimed)
  expect(passes || paths.every((each) => isOpen(method, each) || !isClaimed(each)), what).toBe(true)
  expect(passes || isOpen(method, rest), what).toBe(true)
}

/** Asserts that a request that was sent to a path below {base_url} ran no handler elsewhere, except on an open route. */
function expectNoneIfSentBelow(host: GeneratedHost, address: string, scopes: unknown, what: string): void {
  if (host.unclaimed === 'pass' || host.layers.some(({ is }) => is === 'originalUrl')) return
  const rest = host.base === '/' ? address : belowRoutes(host, address)
  if (rest !== undefined && !/\/(?:status|news|reports\/[^/]+)\/?$/.test(rest))
    expect(scopes, what).toBeDefined()
}

const segment = fc.constantFrom(
  'de',
  'v2',
  'shop',
  'api',
  'platform',
  'x',
  'items',
  '7',
  'status',
  'reports',
  'about',
  'news',
)
const target = fc.oneof(
  fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 7 }), fc.constantFrom('', '', '/'))
    .map(([segments, end]) => `/${segments.join('/')}${end}`),
  fc
    .tuple(
      fc.array(segment, { maxLength: 4 }),
      fc.constantFrom('/api', '/shop/api', '/platform/shop/api', '/shop/shop/api'),
      fc.constantFrom('/items', '/items/7', '/status', '/news', '/reports/7', '/about'),
    )
    .map(([segments, base, path]) => segments.map((each) => `/${each}`).join('') + base + path),
)

const METHODS = ['GET', 'POST', 'DELETE'] as const

/** Paths below the routes that begin like a mount or a rewritten prefix, and end like the path of an operation. */
const CONFUSABLE = ['', '/api', '/shop', '/shop/api', '/items', '/de'].flatMap((each) =>
  ['/items', '/news', '/items/', '/reports/', '/status/'].map((path) => each + path),
)

/**
 * Whether the documents promise that a call reaches its handler. Not if the address or {base_url} has a segment twice, or if the
 * host writes `ctx.originalUrl`. Rewrites in a framework may only strip, and those in connect must be the only ones. If the API is a
 * whole host, the gateway is in no mount, and no path is rewritten behind a mount.
 */
function isDocumented(host: GeneratedHost, address: string): boolean {
  const { base, layers, framework, mayHidePaths } = host
  const segments = address.split('/')
  if (mayHidePaths || new Set(segments).size < segments.length || base === '/shop/shop/api') return false
  if (layers.some(({ is }) => is === 'originalUrl')) return false
  if (base === '/')
    return (
      !isMounted({ framework, layers: layers.slice(0, layers.findLastIndex(isRewrite)) }) &&
      layers.every(({ is }) => is !== 'mount')
    )
  if (!framework?.rewrite) return true
  return framework.rewrite.is === 'strip' && (framework.hasBaseUrl || !layers.some(isRewrite))
}

it('in any host, no handler below {base_url} runs without the principal of its operation unless the options say so, and a right token reaches the handler', async () => {
  const counts = { hosts: 0, mounted: 0, rewritten: 0, calls: 0, accepted: 0, attacks: 0, attacksThrough: 0 }
  await fc.assert(
    fc.asyncProperty(
      generatedHost,
      fc.array(target, { minLength: 6, maxLength: 10 }),
      async (host, targets) => {
        const { gateway, token } = await apiOf(host)
        const runs: Run[] = []
        const unchecked = uncheckedCalls(gateway, host)
        handle = buildHost(host, gateway, runs, unchecked.pass)
        counts.hosts += 1
        counts.mounted += host.layers.some(({ is }) => is === 'mount') ? 1 : 0
        counts.rewritten += host.layers.some(
          ({ is }) => is === 'strip' || is === 'replace' || is === 'put back',
        )
          ? 1
          : 0

        const prefix = (host.base === '/' ? '' : host.base) + host.routes
        const confusable = CONFUSABLE.map((path) => addressOf(host, prefix + path))
        const attacks = [
          ...targets.flatMap((path) => METHODS.map((method) => [method, path] as const)),
          ...confusable.filter((path) => path !== undefined).map((path) => ['GET', path] as const),
        ]
        for (const [method, path] of attacks) {
          for (const sent of [undefined, token('items:list'), token('tenants:items')]) {
            runs.length = 0
            await send(method === 'POST' ? 'POST' : 'GET', path, sent, { 'x-method': method })
            counts.attacks += 1
            counts.attacksThrough += runs.length
            for (const run of runs) expectAllowed(host, path, run)
          }
        }

        for (const scope of SCOPES) {
          const [method, route] = ROUTES[scope]
          const path = prefix + route
          const address = addressOf(host, path)
          if (address === undefined) continue
          const overrides = host.layers.some(({ is }) => is === 'method override')
          const [sentMethod, fields] = overrides ? ['GET', { 'x-method': method }] : [method, {}]
          const what = JSON.stringify({ host, scope, address })
          runs.length = 0
          counts.calls += 1
          const status = await send(sentMethod, address, undefined, fields)
          for (const run of runs) expectAllowed(host, address, run)
          if (scope !== 'reports:read') expect(status, what).toBeGreaterThanOrEqual(400)
          const other = scope === 'items:list' ? 'items:read' : 'items:list'
          expect(await send(sentMethod, address, token(other), fields), what).toBeGreaterThanOrEqual(400)
          runs.length = 0
          const accepted = await send(sentMethod, address, token(scope), fields)
          if (!isDocumented(host, address)) continue
          const opens = scope === 'reports:read' && !(host.base === '/' && isMounted(host))
          expect([accepted, opens ? status : 200], what).toEqual([200, 200])
          expect(runs, what).toEqual([{ method, path, scopes: [scope] }])
          counts.accepted += 1
        }
        if (host.hasWhen) {
          const path = addressOf(host, `${prefix}/items`)
          if (path !== undefined) expect(await send('GET', path, undefined, { 'x-when': 'false' })).toBe(200)
        }
        // A rewrite in a mount may move a call out of the API before the gateway. The mount restores the path afterwards.
        if (!isMounted({ ...host, layers: host.layers.slice(0, host.layers.findLastIndex(isRewrite)) }))
          expect(unchecked.check(), JSON.stringify(host)).toEqual([])
      },
    ),
    { numRuns: HOSTS, ...(process.env['GENERATED_HOSTS'] === undefined && { seed: 21 }) },
  )
  if (process.env['GENERATED_HOSTS'] !== undefined) console.log(counts)
  expect(counts.accepted).toBeGreaterThan(HOSTS / 10)
}, 3_600_000)

it('in any host without its gateway, a call whose original path selects its operation is found', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(generatedHost, fc.constantFrom(...SCOPES), async (host, scope) => {
      const { gateway } = await apiOf(host)
      const unchecked = uncheckedCalls(gateway, host)
      const runs: Run[] = []
      handle = buildHost(host, undefined, runs, unchecked.pass)
      const [method, route] = ROUTES[scope]
      const path = (host.base === '/' ? '' : host.base) + host.routes + route
      await send(method, path, undefined, { 'x-method': method })
      // A host that writes `ctx.originalUrl` hides the path.
      if (host.layers.some(({ is }) => is === 'originalUrl')) return
      const isReached = runs.length > 0
      expect(unchecked.check().length, JSON.stringify({ host, scope })).toBe(isReached ? 1 : 0)
      found += isReached ? 1 : 0
    }),
    { numRuns: HOSTS, ...(process.env['GENERATED_HOSTS'] === undefined && { seed: 22 }) },
  )
  expect(found).toBeGreaterThan(HOSTS / 20)
})
