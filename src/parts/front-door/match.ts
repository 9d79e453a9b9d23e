import { Router } from '@koa/router'
import type { Context } from 'koa'
import { Rejection } from './rejection.ts'

interface Place {
  readonly path: string
  readonly methods: readonly ('get' | 'post' | 'put' | 'patch' | 'delete')[]
}

export interface Match<Each> {
  readonly found: Each
  readonly params: Readonly<Record<string, string>>
}

/** Finds the place of a request in a table, or 404, or 405. Of two places with the same path, the first is found. */
export function createMatch<Each>(table: readonly Each[], placeOf: (each: Each) => Place) {
  const router = new Router({ sensitive: true, strict: true })
  const matches = new WeakMap<object, Each>()
  for (const each of table) {
    const { path, methods } = placeOf(each)
    router.register(path, [...methods], [(ctx) => void matches.set(ctx, each)])
  }
  const run = router.routes()

  /** @param path below the front end @throws {Rejection} `noRoute`, `method` */
  return async function match(ctx: Context, path: string): Promise<Match<Each>> {
    const { path: layers, route } = router.match(path, ctx.method)
    if (layers.length === 0) throw new Rejection('noRoute')
    if (!route) {
      const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].toSorted().join(', ')
      throw new Rejection('method', { allowed })
    }
    const routed = ctx as { newRouterPath?: string; params?: Match<Each>['params'] }
    // `ctx.params` may contain parameters of a router of the host.
    const { params: outer } = routed
    routed.params = {}
    // The router reads the path from `newRouterPath`.
    routed.newRouterPath = path
    try {
      await run(ctx as unknown as Parameters<typeof run>[0], async () => {})
      const found = matches.get(ctx)
      if (!found) throw new Rejection('noRoute')
      return { found, params: routed.params }
    } finally {
      delete routed.newRouterPath
      if (outer) routed.params = outer
    }
  }
}
