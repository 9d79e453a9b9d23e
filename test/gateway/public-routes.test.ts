import type Koa from 'koa'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { PublicRoute } from '../../src/gateway/public-routes.ts'
import { createApp, createTestGateway } from './support/api.ts'

async function serve(routes: readonly PublicRoute[]) {
  const { gateway, issuer } = await createTestGateway()
  const { app, reached } = createApp((app: Koa) => app.use(gateway.middleware({ public: routes })))
  return { agent: request(app.callback()), reached, issuer }
}

describe('a public route', () => {
  test('needs no token, and looks at none', async () => {
    const { agent, reached, issuer } = await serve(['GET /health'])
    await agent.get('/api/health').expect(200)
    await agent.head('/api/health/').expect(200)
    await agent.get('/API/Health?access_token=x').set('Authorization', 'Bearer nonsense').expect(200)
    await agent
      .get('/api/health')
      .set('Authorization', `Bearer ${await issuer.mint()}`)
      .expect(200)
    expect(reached).toEqual([undefined, undefined, undefined, undefined])
    expect(issuer.lookups()).toBe(0)
  })

  test('is open for its method alone', async () => {
    const { agent, reached } = await serve(['GET /health', 'OPTIONS /invoices/list'])
    await agent.post('/api/health').expect(404)
    await agent.get('/api/health/x').expect(404)
    await agent.get('/api/invoices/list').expect(401)
    expect(reached).toHaveLength(0)
    await agent.options('/api/invoices/list').expect(200)
  })

  test('may have parameters, and then yields to operations', async () => {
    const { agent, reached } = await serve(['GET /docs/:page', 'GET /invoices/:id', 'GET /reports/:id'])
    await agent.get('/api/docs/a%20b').expect(200)
    await agent.get('/api/docs').expect(404)
    await agent.get('/api/docs/a/b').expect(404)
    await agent.get('/api/docs/a%2Fb').expect(404)
    await agent.get('/api/docs//').expect(404)
    expect(reached).toHaveLength(1)
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api/reports/all').expect(401)
    expect(reached).toHaveLength(1)
  })

  test('that is written out wins over an operation with a parameter, exactly as it is written', async () => {
    const { agent, reached } = await serve(['GET /invoices/sample'])
    await agent.get('/api/invoices/sample').expect(200)
    await agent.get('/api/invoices/SAMPLE').expect(401)
    await agent.get('/api/invoices/other').expect(401)
    expect(reached).toHaveLength(1)
  })

  test('percent-encoded, opens no neighbour', async () => {
    const { agent } = await serve(['GET /a%20b', 'GET /x,y'])
    await agent.get('/api/a%20b').expect(200)
    await agent.get('/api/x,y').expect(200)
    await agent.get('/api/x%2Cy').expect(404)
    await agent.get('/api/a%2520b').expect(404)
  })
})

test('what is no route is refused, all at once', async () => {
  const { gateway } = await createTestGateway()
  const wrong = [
    'GET /ok',
    'get /health',
    'GET health',
    '/health',
    'FETCH /x',
    'HEAD /x',
    'GET /a//b',
    'GET /a*',
    7,
  ]
  expect(() => gateway.middleware({ public: wrong as PublicRoute[] })).toThrow(
    expect.objectContaining({
      code: 'ERR_OPTIONS',
      problems: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => expect.objectContaining({ path: `public[${i}]` })),
    }),
  )
  expect(() => gateway.middleware({ public: 'health' as never })).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS' }),
  )
})
