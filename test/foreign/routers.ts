import { fastify } from 'fastify'
import findMyWay from 'find-my-way'
import type { Server } from 'node:http'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { Principal } from '../../src/gateway/principal.ts'
import { ROUTES } from '../support/fuzz/api.ts'
import type { Driver } from '../support/fuzz/driver.ts'
import {
  answer,
  BASE,
  CATCH_ALL,
  type ForeignRouters,
  type KoaRouting,
  type Reach,
} from '../support/fuzz/routers.ts'

const CAUGHT = ['GET', 'POST', 'DELETE'] as const

/** Routers of Koa apps, which run after `gateway.middleware()`. */
const KOA_ROUTERS: Readonly<Record<string, KoaRouting>> = {
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
      // With `caseSensitive: false`, find-my-way 9.10 finds no route with a parameter for a path with U+0130, whose lower
      // case is longer. So its catch-all answers, although the gateway has checked the scope of the route.
      if (!found || (found.store === CATCH_ALL && /%c4%b0/i.test(ctx.url))) return next()
      return answer(reach, found.store as string)(ctx)
    }
  }
}

/** Returns the route for find-my-way and Fastify, which decode a path before they compare it. */
const decodedRoute = (path: string) => `${BASE}${path === '/' ? '' : decodeURI(path)}`

/** Starts a Fastify API that calls `gateway.authenticate()` before each handler. */
async function startFastify(driver: Driver, gateway: Gateway, reach: Reach): Promise<Server> {
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

/** find-my-way in Koa, and Fastify, which calls `gateway.authenticate()`. */
export const FOREIGN_ROUTERS: ForeignRouters = { koa: KOA_ROUTERS, startFastify }
