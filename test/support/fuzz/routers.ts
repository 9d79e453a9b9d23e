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

/** Where the API is below the origin. */
export const BASE = '/api'

/** Told that a handler was reached, and who for. */
export type Reach = (handler: string, principal: Principal | undefined) => void

/** Makes the host's API as middleware of Koa, with one router. */
export type KoaRouting = (reach: Reach) => Middleware

/** Handler of all that no route of the API claims. */
const CATCH_ALL = 'unlisted catch-all'
const CAUGHT = ['GET', 'POST', 'DELETE'] as const

/** Routers of Koa apps, which stand below `gateway.middleware()`. */
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
        // It has no written name beside a parameter.
      }
    }
    return router.routes() as unknown as Middleware
  },

  // It tells letter case and slashes at the end apart: to have a handler for all would open what is public.
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

/** These two decode a path before they compare it. */
const decodedRoute = (path: string) => `${BASE}${path === '/' ? '' : decodeURI(path)}`

/** An API of Fastify that asks `gateway.authenticate()` before each of its handlers. */
export async function startFastify(driver: Driver, gateway: Gateway, reach: Reach): Promise<Server> {
  let server: Server | undefined
  const app = fastify({
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    serverFactory: (handler) => (server = driver.serve(handler)),
  })
  // A handler here answers without the body, whatever its type.
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

/** What the host itself leaves open there. */
function isPublic(method: string, url: string): boolean {
  const route = ROUTES.find((one) => decodedRoute(one.path) === url && one.method === method)
  return route?.handler.startsWith('public ') ?? false
}
