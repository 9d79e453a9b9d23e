import Koa from 'koa'
import request from 'supertest'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { IF_MATCH } from '../../src/clients/if-match.ts'
import { createPageTokens } from '../../src/http/csrf-tokens.ts'
import { createEvents } from '../../src/host/events.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createRouteHandler } from '../../src/management/call-route.ts'
import { createErrorAnswers } from '../../src/management/problem-details.ts'
import { route, type Call } from '../../src/management/route.ts'

const ISSUER = 'http://example.com'

/** An app with one route of each kind. The calls of their handlers are collected. */
function setUp(via: 'session' | 'token' = 'token') {
  const calls: Call[] = []
  const common = { operationId: 'x', tag: 'x', summary: 'x', status: 200, access: 'signed-in' } as const
  const handle = async (call: unknown) => {
    calls.push(call as Call)
    return { done: true }
  }
  const tokens = createPageTokens([new Uint8Array(32)], { name: 'test', issuer: ISSUER, path: '' })
  const dispatch = createRouteHandler(
    [
      route({ ...common, method: 'get', path: '/open', access: 'public', handle }),
      route({
        ...common,
        method: 'get',
        path: '/list',
        query: v.strictObject({ limit: v.optional(v.number()) }),
        handle,
      }),
      route({ ...common, method: 'post', path: '/one', body: v.strictObject({ name: v.string() }), handle }),
      route({ ...common, method: 'put', path: '/one/{id}', isConditional: true, status: 204, handle }),
    ],
    {
      accounts: {
        current: async () => ({ accountId: 'acme', via }),
        clientsBelongTo: 'account',
        find: async (id) => ({ id }),
      },
      catalog: { current: createCatalog({}) },
      tokens,
      issuerOrigin: ISSUER,
      ready: async () => {},
    },
  )
  const answerError = createErrorAnswers({ logger: silentLogger, events: createEvents(() => {}) })
  const app = new Koa()
  app.use((ctx) => dispatch(ctx, ctx.path).catch((error: unknown) => answerError(ctx, error)))
  return { calls, agent: request(app.callback()) }
}

describe('a request to the management API', () => {
  it('a public route asks nothing, and has no caller', async () => {
    const { agent, calls } = setUp()
    expect((await agent.get('/open')).body).toEqual({ done: true })
    expect(calls[0]).toMatchObject({ caller: { accountId: '' } })
  })

  it('a query has numbers where the route has them, and one that is not valid is rejected', async () => {
    const { agent, calls } = setUp()
    expect((await agent.get('/list?limit=7')).status).toBe(200)
    expect(calls[0]).toMatchObject({ query: { limit: 7 } })
    const { status, body } = await agent.get('/list?limit=many')
    expect([status, body.code, body.detail, body.errors[0].path]).toEqual([
      422,
      'ERR_INPUT',
      'the query is not valid',
      'limit',
    ])
  })

  it.each([
    ['text/plain', 'x', 415, 'ERR_MEDIA_TYPE'],
    ['application/json', '{', 400, 'ERR_BODY'],
    ['application/json', `{"name":"${'x'.repeat(70_000)}"}`, 413, 'ERR_BODY_TOO_LARGE'],
    ['application/json', '{"name":1}', 422, 'ERR_INPUT'],
  ])('a body of %s is rejected, and nothing is done (%#)', async (type, body, status, code) => {
    const { agent, calls } = setUp()
    const answer = await agent.post('/one').set('Content-Type', type).send(body)
    expect([answer.status, answer.body.code, answer.type]).toEqual([status, code, 'application/problem+json'])
    expect(calls).toEqual([])
  })

  it('If-Match reaches the change of a conditional route as ETags, and is rejected elsewhere', async () => {
    const { agent, calls } = setUp()
    expect((await agent.put('/one/a').set('If-Match', '"1", "2"')).status).toBe(204)
    expect(calls[0]!.change[IF_MATCH]).toEqual(['"1"', '"2"'])
    await agent.put('/one/a').set('If-Match', '*')
    expect(calls[1]!.change[IF_MATCH]).toBeUndefined()
    const elsewhere = await agent.post('/one').set('If-Match', '"1"').send({ name: 'x' })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'ERR_INPUT'])
  })

  it('a session needs a page of this site and a token, a token of the host needs neither', async () => {
    const session = setUp('session')
    const send = (headers: Record<string, string>) =>
      session.agent.post('/one').set(headers).send({ name: 'x' })
    expect((await send({})).body.detail).toContain('Sec-Fetch-Site')
    const ownPage = await send({ 'Sec-Fetch-Site': 'same-origin' })
    expect([ownPage.status, ownPage.body.code]).toEqual([403, 'ERR_CSRF'])
    expect(ownPage.body.detail).toContain('X-CSRF-Token')
    expect(session.calls).toEqual([])
    expect((await setUp('token').agent.post('/one').send({ name: 'x' })).status).toBe(200)
  })

  it.each([
    ['get', '/nothing', 404, 'ERR_NO_ROUTE'],
    ['delete', '/list', 405, 'ERR_METHOD'],
    ['get', `/list?${'a&'.repeat(200)}`, 400, 'ERR_QUERY'],
  ] as const)('%s %s is rejected with %i', async (method, path, status, code) => {
    const { agent } = setUp()
    const answer = await agent[method](path)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})
