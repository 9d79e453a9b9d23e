import type { HttpMethod, RouteDefinition } from '../../../src/catalog/definition.ts'

/** A route of the host's API. */
export interface ApiRoute {
  readonly method: HttpMethod | 'OPTIONS'
  /** The path below {base_url}, percent-encoded. */
  readonly path: string
  /** Name of the handler: the scope that the handler requires, or `public …` or `unlisted …`. */
  readonly handler: string
}

/**
 * Operations that a router may confuse. Their paths have literal names beside parameters, letters to which
 * other letters fold (k, s, i, ß, fi), and characters that need or allow percent-encoding.
 */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, readonly RouteDefinition[]>>>> = {
  items: {
    'items:read': ['GET /items/:id'],
    'items:keys': ['GET /items/keys'],
    'items:list': ['GET /items'],
    'items:write': ['POST /items/:id'],
    'items:drop': ['DELETE /items/:id'],
  },
  banks: {
    'banks:items': ['GET /banks/:bank/items'],
    'bank:items': ['GET /bank/items'],
    'banks:sign': ['POST /banks/sign'],
    'banks:sync': ['PATCH /banks/sync', 'PATCH /banks/sync/:kind'],
    'files:fix': ['PUT /files/:file/fix'],
  },
  texts: {
    'texts:read': ['GET /stra%C3%9Fe/:id'],
    'texts:cafe': ['GET /caf%C3%A9'],
    'marks:list': ['GET /marks/a,b', 'GET /marks/c%20d'],
    'marks:read': ['GET /marks/:mark'],
    'status:keys': ['GET /status/keys'],
    'root:read': ['GET /'],
  },
}

/** Routes that need no token. */
export const PUBLIC = ['GET /health', 'GET /status/:page', 'OPTIONS /items'] as const

/** Routes whose token is optional if the host, the host under test, is open (`FuzzHostOptions.isOpen`). */
export const OPTIONAL = ['GET /banks/:bank/items', 'GET /items'] as const

/** Handlers that need no token if the host is open, because no operation has their path with any method. */
export const UNCLAIMED: ReadonlySet<string> = new Set([
  'unlisted GET /admin/kicks',
  'unlisted POST /admin/kicks',
  'unlisted GET /internal/:id',
  'unlisted GET /items/:id/secrets',
  'unlisted catch-all',
])

/**
 * Routes of the host below {base_url} that belong to no operation. On an open host, requests may reach the
 * routes whose handlers are in `UNCLAIMED`. Requests to all other routes of this list must be rejected.
 */
const UNLISTED = [
  'GET /admin/kicks',
  'POST /admin/kicks',
  'GET /internal/:id',
  'POST /items',
  'PUT /items/:id',
  'GET /items/:id/secrets',
  'DELETE /banks/:bank/items',
]

/** The products of the fuzzed host. */
export const products = Object.fromEntries(
  Object.entries(OPERATIONS).map(([id, operations]) => [
    id,
    {
      title: id,
      operations: Object.fromEntries(
        Object.entries(operations).map(([scope, route]) => [scope, { route, title: `Do ${scope}` }]),
      ),
    },
  ]),
)

/** All scopes of the products. */
export const SCOPES: readonly string[] = Object.values(OPERATIONS).flatMap((one) => Object.keys(one))

const routeOf = (text: string, handler: string): ApiRoute => {
  const [method, path = ''] = text.split(' ')
  return { method: method as ApiRoute['method'], path, handler }
}

/** All routes of the host's API. Routes with literal names are listed before routes with parameters. */
export const ROUTES: readonly ApiRoute[] = [
  ...Object.values(OPERATIONS).flatMap((operations) =>
    Object.entries(operations).flatMap(([scope, routes]) => routes.map((text) => routeOf(text, scope))),
  ),
  ...PUBLIC.map((text) => routeOf(text, `public ${text}`)),
  ...UNLISTED.map((text) => routeOf(text, `unlisted ${text}`)),
].toSorted((one, other) => Number(one.path.includes(':')) - Number(other.path.includes(':')))
