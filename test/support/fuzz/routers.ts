import { Router } from '@koa/router'
import { fastify } from 'fastify'
import findMyWay from 'find-my-way'
import type { Context, Middleware } from 'koa'
import TreeRouter from 'koa-tree-router'
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

/** Name of the handler for all paths without a route. */
const CATCH_ALL = 'unlisted catch-all'
const CAUGHT = ['GET', 'POST', 'DELETE'] as const

/** Routers of Koa apps, which run after `gateway.middleware()`. */
export const KOA_ROUTERS: Readonly<Record<string, KoaRouting>> = {
  '@koa/router': (reach) => {
    const router = new Router({ prefix: BASE })
    for (const { method, path, handler } of ROUTES) router.register(path, [method], answer(reach, handler))
    router.all('/{*rest}', answer(reach, CATCH_ALL))
    return router.routes() as Middleware
  },

  'koa-tree-router': (reach) => {
    const router = new TreeRouter({ ignoreTrailingSlash: true })
    for (const { method, path, handler } of ROUTES) {
      try {
        router.on(method, `${BASE}${path}`, answer(reach, handler) as never)
      } catch {
        // This router cannot have a literal name beside a parameter, so it lacks some of the routes.
      }
    }
    return router.routes() as unknown as Middleware
  },

  // The gateway lets variants of public paths, such as `/HEALTH`, pass without a token. This router
  // distinguishes letter case and trailing slashes, so a catch-all would answer these variants. The oracle
  // would then report an unguarded handler by mistake. So this router gets no catch-all.
  'find-my-way': findMyWayWith({}, []),

  'find-my-way caseSensitive: false': findMyWayWith({
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    useSemicolonDelimiter: true,
  }),
}

function findMyWayWith(options: object, caught: readonly (typeof CAUGHT)[number][] = CAUGHT): KoaRouting {
  return (reach) => {
    const router = findMyWay(options)
    for (const { method, path, handler } of ROUTES) {
      const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : ([method] as const)
      for (const one of methods) router.on(one, decodedRoute(path), () => {}, handler)
    }
    for (const method of caught) {
      router.on(method, `${BASE}/*`, () => {}, CATCH_ALL)
    }
    return (ctx, next) => {
      const found = router.find(ctx.method as 'GET', ctx.url)
      if (!found) return next()
      return answer(reach, found.store as string)(ctx)
    }
  }
}

function answer(reach: Reach, handler: string) {
  return async (ctx: Context) => {
    reach(handler, ctx.state['auth'] as Principal | undefined)
    ctx.body = { handler }
  }
}

/** Returns the route for find-my-way and Fastify, which decode a path before they compare it. */
const decodedRoute = (path: string) => `${BASE}${path === '/' ? '' : decodeURI(path)}`

/** Starts a Fastify API that calls `gateway.authenticate()` before each handler. */
export async function startFastify(driver: Driver, gateway: Gateway, reach: Reach): Promise<Server> {
  let server: Server | undefined
  const app = fastify({
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    serverFactory: (handler) => (server = driver.serve(handler)),
  })
  // The handlers ignore a body of any type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.addHook('onRequest', async (request, reply) => {
    const { url } = request.routeOptions
    if (url === undefined || isPublic(request.method, url)) return undefined
    const outcome = await gateway.authenticate(request.raw)
    if (outcome.ok) return void Object.assign(request, { principal: outcome.principal })
    return reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
  })
  const add = (method: string, url: string, handler: string) =>
    app.route({
      method,
      url,
      handler: async (request) => {
        reach(handler, (request as { principal?: Principal }).principal)
        return { handler }
      },
    })
  for (const { method, path, handler } of ROUTES) add(method, decodedRoute(path), handler)
  for (const method of CAUGHT) add(method, `${BASE}/*`, CATCH_ALL)
  await app.ready()
  if (!server) throw new Error('Fastify has made no server')
  return server
}

/** Returns whether the Fastify host allows a route without a token. */
function isPublic(method: string, url: string): boolean {
  const route = ROUTES.find((one) => decodedRoute(one.path) === url && one.method === method)
  return route?.handler.startsWith('public ') ?? false
}
