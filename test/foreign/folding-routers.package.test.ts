import Fastify from 'fastify'
import createRouter from 'find-my-way'
import Koa from 'koa'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from '../gateway/support/api.ts'
import { BANK, FOLDED, gatewayChanges, ROUTES } from '../gateway/support/folded-paths.ts'
import type { TokenIssuer } from '../gateway/support/token-issuer.ts'

let gateway: Gateway
let issuer: TokenIssuer
beforeAll(async () => {
  ;({ gateway, issuer } = await createTestGateway(gatewayChanges))
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
    const Authorization = `Bearer ${await issuer.mint({ aud: BANK, scope: 'items:read' })}`
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
    const token = await issuer.mint({ aud: BANK, scope: 'items:read' })
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
