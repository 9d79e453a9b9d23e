import { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Server } from 'node:http'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import type { Principal } from '../../../src/gateway/principal.ts'
import { ROUTES } from './api.ts'
import type { Driver } from './driver.ts'

/** The path of the API below the origin. */
export const BASE = '/api'

/** Called when a handler is reached, with the principal that it got. */
export type Reach = (handler: string, principal: Principal | undefined) => void

/** Makes the host's API as Koa middleware with one router. */
export type KoaRouting = (reach: Reach) => Middleware

/** Routers that this package does not install. `test/foreign/routers.ts` has them. */
export interface ForeignRouters {
  /** Routers of Koa apps, by their names. */
  readonly koa: Readonly<Record<string, KoaRouting>>
  /** Starts a Fastify API that calls `gateway.authenticate()` before each handler. */
  readonly startFastify: (driver: Driver, gateway: Gateway, reach: Reach) => Promise<Server>
}

/** Name of the handler for all paths without a route. */
export const CATCH_ALL = 'unlisted catch-all'

/** The router of the examples. It runs after `gateway.middleware()`. */
export const koaRouter: KoaRouting = (reach) => {
  const router = new Router({ prefix: BASE })
  for (const { method, path, handler } of ROUTES) router.register(path, [method], answer(reach, handler))
  router.all('/{*rest}', answer(reach, CATCH_ALL))
  return router.routes() as Middleware
}

/** The handler of a route. */
export function answer(reach: Reach, handler: string) {
  return async (ctx: Context) => {
    reach(handler, ctx.state['auth'] as Principal | undefined)
    ctx.body = { handler }
  }
}
