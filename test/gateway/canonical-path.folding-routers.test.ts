import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createPathLocator } from '../../src/gateway/canonical-path.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from './support/api.ts'
import { BANK, FOLDED, ROUTES, gatewayChanges, scopeAt } from './support/folded-paths.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

let gateway: Gateway
let issuer: TokenIssuer
beforeAll(async () => {
  ;({ gateway, issuer } = await createTestGateway(gatewayChanges))
})

it('a path that a router may fold to the path of an operation gets 404, with a token and without one', async () => {
  const authorization = `Bearer ${await issuer.mint({ aud: BANK, scope: 'items:read' })}`
  for (const url of FOLDED) {
    for (const headers of [{}, { authorization }])
      expect([url, await gateway.authenticate({ method: 'GET', url, headers })]).toMatchObject([
        url,
        { ok: false, status: 404 },
      ])
  }
  const call = { method: 'GET', url: '/BANK/items/caf%C3%A9', headers: { authorization } }
  expect(await gateway.authenticate(call)).toMatchObject({ ok: true, scope: 'items:read' })
})

describe('routers that distinguish letter case and a trailing slash', () => {
  const routes = { ...ROUTES, '/status': 'public', '/status/:id': 'status:read' }
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
      ...gatewayChanges,
      findScope: (method, path) => statusCatalog.findOperation(method, path)?.scope,
      findClaims: (method, path) => statusCatalog.findClaims(method, path),
    })
    const app = new Koa().use(made.gateway.middleware({ public: ['GET /status'] })).use((ctx) => {
      ran.push(scopeAt(routes, ctx.path) ?? 'nothing')
      ctx.body = 'reached'
    })
    call = async (path, scope) => {
      ran = []
      const token = scope && (await made.issuer.mint({ aud: BANK, scope }))
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

it('a path gets 404 if it spells an operation with a non-ASCII character that a router may fold to ASCII letters', async () => {
  const readings = [
    (path: string) => path.toLowerCase(),
    (path: string) => path.toUpperCase().toLowerCase(),
    (path: string) => path.normalize('NFKC').toLowerCase(),
    (path: string) => path.replaceAll('\u0131', 'i').replaceAll('\u0130', 'i').replaceAll('\u017f', 's'),
  ]
  const locate = createPathLocator('/bank')
  let tried = 0
  const missed: string[] = []
  for (let code = 0x80; code <= 0xffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCharCode(code)
    for (const path of readings.flatMap((read) => disguisesOf(read(character), character))) {
      tried += 1
      const run = readings.map((read) => scopeAt(ROUTES, read(path))).filter((scope) => scope !== undefined)
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
