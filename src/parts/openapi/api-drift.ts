import { GatehouseError } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { mountPathProblem } from '../../validation/mount-path.ts'
import { isObject } from '../../validation/predicates.ts'
import { checkInput, must, optional, textRule, uniqueListOf } from '../../validation/rules.ts'
import { documentRoutes, operationRoutes, routerRoutes, type RouterLike } from './operation-routes.ts'

/** With what the operations of the catalog are compared. */
export interface ApiDriftOptions {
  /** The OpenAPI document of your API. */
  readonly document?: object | undefined
  /** The router of your API, of `@koa/router`. */
  readonly router?: RouterLike | undefined
  /**
   * Path at which the router sees the address of the API ({base_url}), if a proxy strips a prefix; empty for the root.
   * @default the path of {base_url}
   */
  readonly mountPath?: string | undefined
  /**
   * Routes that need no operation, such as those of the option `public` of the gateway: `['GET /status']`. Write them
   * as the function lists them.
   */
  readonly ignore?: readonly string[] | undefined
}

/**
 * Routes in which the catalog and your API differ, such as `GET /invoices/:id`. Without drift, both lists are empty.
 */
export interface ApiDrift {
  /** Routes of the router or of the document that belong to no operation: the gateway answers them with 404. */
  readonly withoutOperation: readonly string[]
  /** Routes of operations that the router, or the document, does not have. */
  readonly withoutRoute: readonly string[]
}

export const documentRule = must(
  'an OpenAPI 3 document',
  (value) => isObject(value) && String(value['openapi']).startsWith('3.'),
)
const routerRule = must('a router of @koa/router', (value) =>
  Array.isArray((value as Partial<RouterLike> | undefined)?.stack),
)

/**
 * Compares the operations of the catalog with the routes of a router, or with those of an OpenAPI document. Call it
 * in a test. Names of parameters, and letter case, make no difference.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, without a router and a document, for a route
 *   in `ignore` that your API does not have or that has an operation, or if `gatehouse` is not from
 *   `createGatehouse()`; the errors of `ready()`
 */
export async function findApiDrift(gatehouse: AnyGatehouse, options: ApiDriftOptions): Promise<ApiDrift> {
  const parts = internalsOf(gatehouse, 'findApiDrift()')
  checkInput('findApiDrift()', options, {
    document: optional(documentRule),
    router: optional(routerRule),
    mountPath: optional(mountPathProblem),
    ignore: optional(uniqueListOf(textRule)),
  })
  const { document, router, mountPath, ignore = [] } = options
  if (!document && !router) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'findApiDrift() needs a router, a document, or both')
  }
  await parts.ready()
  const basePath = basePathOf(parts.audience)
  const lists = [
    ...(document ? [documentRoutes(document as Record<string, unknown>, basePath)] : []),
    ...(router ? [routerRoutes(router, mountPath?.replace(/\/$/, '') ?? basePath)] : []),
  ]
  const operations = operationRoutes(parts.resources.main.catalog.current)
  const known = new Set(operations.map(({ shape }) => shape))
  const write = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
  const unknown = new Set(
    lists
      .flat()
      .filter(({ shape }) => !known.has(shape))
      .map(write),
  )
  const useless = ignore.filter((route) => !unknown.has(route))
  if (useless.length > 0) {
    throw new GatehouseError(
      'ERR_INVALID_ARGUMENT',
      `findApiDrift(): these routes of ignore do not exist, or have an operation: ${useless.join(', ')}. ` +
        `Routes without an operation are: ${[...unknown].join(', ') || 'none'}`,
    )
  }
  const withoutOperation = [...unknown].filter((route) => !ignore.includes(route))
  const withoutRoute = lists.flatMap((list) => {
    const present = new Set(list.map(({ shape }) => shape))
    return operations.filter(({ shape }) => !present.has(shape)).map(write)
  })
  return {
    withoutOperation: withoutOperation.toSorted(),
    withoutRoute: [...new Set(withoutRoute)].toSorted(),
  }
}

export function basePathOf(audience: string): string {
  return new URL(audience).pathname.replace(/\/$/, '')
}
