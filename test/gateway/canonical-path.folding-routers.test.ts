import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import createRouter from 'find-my-way'
import Koa from 'koa'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createPathLocator } from '../../src/gateway/canonical-path.ts'
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from './support/api.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

/** The API of a bank. Every router in these tests has these routes below the path of the API. */
const ROUTES = { '/items': 'items:list', '/items/keys': 'items:keys', '/items/:id': 'items:read' }

const catalog = createCatalog({
  items: {
    title: 'Items',
    operations: Object.fromEntries(
      Object.entries(ROUTES).map(([route, scope]) => [scope, { route: `GET ${route}`, title: scope }]),
    ),
  },
})
const changes: Partial<GatewayDependencies> = {
  audience: 'https://example.com/bank',
  findScope: (method, path) => catalog.findOperation(method, path)?.scope,
  findClaims: (method, path) => catalog.findClaims(method, path),
}

/** Spellings of `/bank/items` and `/bank/items/keys`, with characters that some routers fold to ASCII. */
const FOLDED = [
  '/ban%E2%84%AA/items',
  '/ban%E2%84%AA/items/keys',
  '/ban%EF%BD%8B/items',
  '/BAN%E2%84%AA/ITEMS',
  '/bank/item%C5%BF',
  '/bank/%C4%B1tems',
  '/bank/%C4%B0tems',
  '/bank/items/%E2%84%AAeys',
  '/bank/items/key%C5%BF',
  '/bank/items/%EF%BD%8Beys',
  '/bank/%EF%BD%89tems/keys',
  '/bank%EF%BC%8Fitems%EF%BC%8Fkeys',
  '/bank/items/%EF%BC%8E%EF%BC%8E/items/keys',
  '/x/%EF%BC%8E%EF%BC%8E/bank/items',
  '/x/..%2Fban%E2%84%AA/items',
]

let gateway: Gateway
let issuer: TokenIssuer
beforeAll(async () => {
  ;({ gateway, issuer } = await createTestGateway({ ...changes, audience: 'https://example.com/bank' }))
})

/**
 * Returns a function that finds the scope of the route that find-my-way runs at a path. The scope is
 * undefined if no route matches the path.
 */
function findMyWay(caseSensitive: boolean): (path: string) => string | undefined {
  const router = createRouter({ caseSensitive })
  for (const [route, scope] of Object.entries(ROUTES)) router.on('GET', `/bank${route}`, () => {}, { scope })
  return (path) => (router.find('GET', path)?.store as { scope: string } | undefined)?.scope
}

describe.each([
  ['that ignores letter case', false],
  ['that distinguishes letter case', true],
])('find-my-way %s behind the gateway', (_, caseSensitive) => {
  const route = findMyWay(caseSensitive)
  let ran: string[] = []
  const serve = () =>
    request(
      new Koa()
        .use(gateway.middleware({ unclaimed: 'pass' }))
        .use((ctx) => {
          ran.push(route(ctx.path) ?? 'nothing')
          ctx.body = 'reached'
        })
        .callback(),
    )

  it('find-my-way behind the gateway runs no operation without a token', async () => {
    for (const path of [...FOLDED, '/bank/items', '/BANK/items/KEYS']) {
      ran = []
      await serve().get(path)
      expect({ path, ran: ran.filter((scope) => scope !== 'nothing') }).toEqual({ path, ran: [] })
    }
  })

  it('find-my-way behind the gateway runs no operation with the scope of another operation', async () => {
    const Authorization = `Bearer ${await issuer.mint({ aud: 'https://example.com/bank', scope: 'items:read' })}`
    for (const path of FOLDED) {
      ran = []
      await serve().get(path).set({ Authorization })
      expect({ path, ran: ran.filter((scope) => scope !== 'nothing' && scope !== 'items:read') }).toEqual({
        path,
        ran: [],
      })
    }
    await serve().get('/bank/items/caf%C3%A9').set({ Authorization }).expect(200)
    expect(ran.at(-1)).toBe('items:read')
  })
})

describe('routers that distinguish letter case and a trailing slash', () => {
  const open = createRouter()
  for (const [route, scope] of Object.entries({
    ...ROUTES,
    '/status': 'public',
    '/status/:id': 'status:read',
  })) {
    open.on('GET', `/bank${route}`, () => {}, { scope })
  }
  const statusCatalog = createCatalog({
    items: {
      title: 'Items',
      operations: Object.fromEntries(
        Object.entries({ ...ROUTES, '/status/:id': 'status:read' }).map(([route, scope]) => [
          scope,
          { route: `GET ${route}`, title: scope },
        ]),
      ),
    },
  })
  let ran: string[] = []
  let call: (path: string, scope?: string) => Promise<number>
  beforeAll(async () => {
    const made = await createTestGateway({
      ...changes,
      findScope: (method, path) => statusCatalog.findOperation(method, path)?.scope,
      findClaims: (method, path) => statusCatalog.findClaims(method, path),
    })
    const app = new Koa().use(made.gateway.middleware({ public: ['GET /status'] })).use((ctx) => {
      ran.push((open.find('GET', ctx.path)?.store as { scope: string } | undefined)?.scope ?? 'nothing')
      ctx.body = 'reached'
    })
    call = async (path, scope) => {
      ran = []
      const token = scope && (await made.issuer.mint({ aud: 'https://example.com/bank', scope }))
      return (
        await request(app.callback())
          .get(path)
          .set(token ? { Authorization: `Bearer ${token}` } : {})
      ).status
    }
  })

  it('the scope of /items/keys does not open the path /items/KEYS, which a case-sensitive router reads as /items/:id', async () => {
    expect(await call('/bank/items/KEYS', 'items:keys')).toBe(404)
    expect(await call('/bank/items/Keys', 'items:keys items:read')).toBe(404)
    expect(ran).toEqual([])
    // The gateway accepts `/BANK/ITEMS`. A case-sensitive router finds no route for this path, so the router
    // runs no operation.
    expect(await call('/BANK/ITEMS', 'items:list')).toBe(200)
    expect(await call('/bank/items/INV-7', 'items:read')).toBe(200)
    expect(ran).toEqual(['items:read'])
  })

  it('the scope of /items does not open the path /items/, which some routers read as /items/:id with an empty id', async () => {
    expect(await call('/bank/items/', 'items:list')).toBe(403)
    expect(ran).toEqual([])
    expect(await call('/bank/items/', 'items:list items:read')).toBe(200)
    expect(ran).toEqual(['items:read'])
    expect(await call('/bank/items', 'items:list')).toBe(200)
    expect(ran).toEqual(['items:list'])
  })

  it('the public route /status does not open the path /status/, which some routers read as /status/:id with an empty id', async () => {
    expect(await call('/bank/status')).toBe(200)
    expect(ran).toEqual(['public'])
    expect(await call('/bank/status/')).toBe(404)
    expect(ran).toEqual([])
  })
})

describe('case-insensitive Fastify guarded by authenticate(request.raw)', () => {
  const ran: string[] = []
  const app = Fastify({ routerOptions: { caseSensitive: false } })
  beforeAll(async () => {
    app.addHook('onRequest', async (incoming, reply) => {
      const outcome = await gateway.authenticate(incoming.raw)
      if (!outcome.ok) await reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
    })
    for (const [route, scope] of Object.entries(ROUTES)) {
      app.get(`/bank${route}`, async () => {
        ran.push(scope)
        return scope
      })
    }
    await app.ready()
  })
  afterAll(() => app.close())

  it('case-insensitive Fastify behind authenticate() runs no operation without its scope', async () => {
    const token = await issuer.mint({ aud: 'https://example.com/bank', scope: 'items:read' })
    for (const url of FOLDED) {
      for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
        const { statusCode } = await app.inject({ url, headers })
        expect({ url, statusCode }).toEqual({ url, statusCode: 404 })
      }
    }
    expect(ran).toEqual([])
    const { statusCode } = await app.inject({
      url: '/BANK/Items/caf%C3%A9',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(statusCode).toBe(200)
    expect(ran).toEqual(['items:read'])
  })
})

it('a path gets 404 if it spells an operation with a non-ASCII character that a router may fold to ASCII letters', async () => {
  const readings = [
    (path: string) => path.toLowerCase(),
    (path: string) => path.toUpperCase().toLowerCase(),
    (path: string) => path.normalize('NFKC').toLowerCase(),
    (path: string) => path.replaceAll('\u0131', 'i').replaceAll('\u0130', 'i').replaceAll('\u017f', 's'),
  ]
  const route = findMyWay(true)
  const locate = createPathLocator('/bank')
  let tried = 0
  const missed: string[] = []
  for (let code = 0x80; code <= 0xffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCharCode(code)
    for (const path of readings.flatMap((read) => disguisesOf(read(character), character))) {
      tried += 1
      const run = readings.map((read) => route(read(path))).filter((scope) => scope !== undefined)
      const outcome = await gateway.authenticate({ method: 'GET', url: encodeURI(path), headers: {} })
      const asksForToken = !outcome.ok && outcome.status === 401
      const isGuarded = locate(encodeURI(path)).place !== 'elsewhere'
      if (run.length > 0 && (asksForToken || !isGuarded)) missed.push(path)
    }
  }
  expect(missed).toEqual([])
  expect(tried).toBeGreaterThan(100)
})

/**
 * Returns `/bank/items` and `/bank/items/keys` with `character` in place of `reading`.
 *
 * @param reading the ASCII letters to which a router may fold the character
 */
function disguisesOf(reading: string, character: string): string[] {
  if (!/^[a-z]+$/.test(reading)) return []
  return ['/bank/items', '/bank/items/keys']
    .filter((path) => path.includes(reading))
    .flatMap((path) => [path.replace(reading, character), path.replaceAll(reading, character)])
}

describe('Koa behind node:http with raw paths', () => {
  let server: Server
  beforeAll(async () => {
    const app = new Koa().use(gateway.middleware()).use((ctx) => void (ctx.body = 'the site'))
    const handle = app.callback()
    server = createServer((incoming, response) => void handle(incoming, response))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  it('a path outside of the API may contain any letters', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const path of ['/caf%C3%A9', '/%E2%84%AA', '/banken/stra%C3%9Fe', '/docs/%EF%BC%8F']) {
      expect({ path, status: (await fetch(origin + path)).status }).toEqual({ path, status: 200 })
    }
  })
})
