import type { Catalog, Operation } from '../../catalog/catalog.ts'
import { parseRoute, shapeOf } from '../../catalog/route.ts'
import { isObject } from '../../validation/predicates.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

export interface ApiRoute {
  /** In upper case. */
  readonly method: string
  /** As in the catalog: `/invoices/:id`. */
  readonly path: string
  /** The route without the names of its parameters; routes with one shape match the same requests. */
  readonly shape: string
}

export interface OperationRoute extends ApiRoute {
  readonly operation: Operation
}

export function operationRoutes({ operations }: Pick<Catalog, 'operations'>): OperationRoute[] {
  return [...operations.values()].flatMap((operation) =>
    operation.routes.flatMap(({ method, path }) => {
      const route = routeOf(method, path)
      return route ? [{ ...route, operation }] : []
    }),
  )
}

/** @returns undefined for a path that no operation of a catalog can have, such as one with a pattern */
function routeOf(method: string, path: string): ApiRoute | undefined {
  const route = parseRoute(`${method} ${path}`)
  return typeof route === 'string' ? undefined : { method, path, shape: shapeOf(method, route.segments) }
}

/** `/invoices/{id}` from `/invoices/:id`. */
export function toTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

/** The routes of an OpenAPI document below {base_url}. */
export function documentRoutes(
  document: Readonly<Record<string, unknown>>,
  basePath: string,
): (ApiRoute & { readonly operation: Record<string, unknown> })[] {
  const paths = isObject(document['paths']) ? document['paths'] : {}
  const prefix = serverPath(document)
  const pathOf = (template: string) => prefix + template.replaceAll(/\{([^{}/]+)\}/g, toParameter)
  const below = partBelow(basePath, Object.keys(paths).map(pathOf))
  return Object.entries(paths).flatMap(([template, item]) => {
    const path = below(pathOf(template))
    if (path === undefined || !isObject(item)) return []
    return METHODS.flatMap((method) => {
      const operation = item[method]
      const route = routeOf(method.toUpperCase(), path)
      return route && isObject(operation) ? [{ ...route, operation }] : []
    })
  })
}

/** A parameter of the catalog from one of OpenAPI, whose name may have further characters. */
const toParameter = (_: string, name: string) => `:p_${name.replaceAll(/\W/g, '_')}`

/** The path of the first server of a document, without a trailing slash; empty if its address has no path. */
function serverPath({ servers }: Readonly<Record<string, unknown>>): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  const address = isObject(first) && typeof first['url'] === 'string' ? first['url'] : '/'
  const url = URL.parse(address, 'https://example.com')
  return url ? url.pathname.replace(/\/$/, '') : ''
}

/** If no path begins with the path of {base_url}, all are below it already, as those of a mounted router. */
function partBelow(basePath: string, paths: readonly string[]): (path: string) => string | undefined {
  const isBelow = (path: string) => path === basePath || path.startsWith(`${basePath}/`)
  if (basePath === '' || !paths.some(isBelow)) return (path) => path
  return (path) => (isBelow(path) ? path.slice(basePath.length) || '/' : undefined)
}

/** A router of `@koa/router`. */
export interface RouterLike {
  readonly stack: readonly { readonly path: unknown; readonly methods: readonly string[] }[]
}

/** Leaves out middleware (`router.use`), and methods that no operation can have, such as the HEAD of each GET. */
export function routerRoutes({ stack }: RouterLike, basePath: string): ApiRoute[] {
  const below = partBelow(
    basePath,
    stack.flatMap(({ path, methods }) => (methods.length > 0 && typeof path === 'string' ? [path] : [])),
  )
  return stack.flatMap(({ path, methods }) => {
    // A regular expression is never a route of an operation. Where it lies is unknown, so that it is always listed.
    const own = typeof path === 'string' ? below(path.replace(/(.)\/$/, '$1')) : String(path)
    if (own === undefined) return []
    return METHODS.map((method) => method.toUpperCase())
      .filter((method) => methods.includes(method))
      .map((method) => routeOf(method, own) ?? { method, path: own, shape: `${method} ${own}` })
  })
}
