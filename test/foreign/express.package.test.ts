import { once } from 'node:events'
import express from 'express'
import Fastify, { type FastifyInstance } from 'fastify'
import Koa from 'koa'
import request from 'supertest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AuthenticateOptions } from '../../src/gateway/authenticate.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { Principal } from '../../src/gateway/principal.ts'
import { freePort } from '../support/free-port.ts'
import { createTestGateway, serveRaw } from '../gateway/support/api.ts'
import type { TokenIssuer } from '../gateway/support/token-issuer.ts'

let gateway: Gateway
let issuer: TokenIssuer
let reached: string[]
beforeEach(async () => {
  ;({ gateway, issuer } = await createTestGateway())
  reached = []
})

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Creates an Express app that guards everything below a path. Its code is that of docs/other-frameworks.md. */
function createExpressApp(path: string, options?: AuthenticateOptions, above: express.RequestHandler[] = []) {
  const app = express()
  for (const handler of above) app.use(handler)
  app.use(path, async (incoming, response, next) => {
    const outcome = await gateway.authenticate(incoming, options)
    if (outcome.ok) return next()
    response.status(outcome.status).set(outcome.headers).send(outcome.body)
  })
  app.use((incoming, response) => {
    reached.push(incoming.url)
    response.send('reached')
  })
  return app
}

describe('authenticate(request) in an Express mount', () => {
  it('authenticate() in an Express mount guards the operation that the whole path names', async () => {
    const agent = request(createExpressApp('/api'))
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api/invoices/list?x=1').expect(401)
    await agent
      .post('/api/invoices/create')
      .set(bearer(await issuer.mint()))
      .expect(403)
    await agent
      .get('/api/unknown')
      .set(bearer(await issuer.mint()))
      .expect(404)
    await agent.get('/api').expect(404)
    await agent.get(`/api/invoices/list?access_token=${await issuer.mint()}`).expect(400)
    expect(reached).toEqual([])
    for (const path of ['/api/invoices/list', '/API/Invoices/List/?x=1', '/api/invoices/7']) {
      await agent
        .get(path)
        .set(bearer(await issuer.mint()))
        .expect(200)
    }
    expect(reached).toHaveLength(3)
  })

  it('authenticate() guards an Express mount at the path of an operation, and at the root', async () => {
    await request(createExpressApp('/api/invoices/list')).get('/api/invoices/list?x=1').expect(401)
    await request(createExpressApp('/api/invoices')).get('/api/invoices/list').expect(401)
    const agent = request(createExpressApp('/'))
    await agent.get('/api/invoices/list').expect(401)
    await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
  })

  it('authenticate() with mountPath guards an Express mount whose path is not the path of the audience', async () => {
    const agent = request(createExpressApp('/v1', { mountPath: '/v1' }))
    await agent.get('/v1/invoices/list').expect(401)
    await agent
      .get('/v1/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
  })

  it('authenticate() in an Express mount guards a target in absolute form', async () => {
    const server = await serveRaw({ callback: () => createExpressApp('/api') } as never)
    const send = (target: string, header = '') =>
      server.send(`GET ${target} HTTP/1.1\r\nHost: h\r\n${header}Connection: close\r\n\r\n`)
    const target = 'http://h/api/invoices/list'
    expect(await send(target)).toHaveProperty('status', 401)
    const header = `Authorization: Bearer ${await issuer.mint()}\r\n`
    expect(await send(target, header)).toHaveProperty('status', 200)
    await server.close()
  })

  it('authenticate() rejects a call whose url was rewritten, because url and originalUrl may name different operations', async () => {
    const rewrite: express.RequestHandler = (incoming, _response, next) => {
      incoming.url = '/api/reports/all'
      next()
    }
    const agent = request(createExpressApp('/api', undefined, [rewrite]))
    const headers = bearer(await issuer.mint({ scope: 'reports:all invoices:read' }))
    for (const path of ['/api/invoices/list', '/elsewhere', '/api/reports/7']) {
      await agent.get(path).set(headers).expect(404)
    }
    expect(reached).toEqual([])
    await agent.get('/api/reports/all').set(headers).expect(200)
  })
})

it('a client that asks for exactly the scopes of each 403 passes a step-up in an Express handler', async () => {
  const app = express()
  app.use('/api', async (incoming, response, next) => {
    const outcome = await gateway.authenticate(incoming)
    if (outcome.ok) next()
    else response.status(outcome.status).set(outcome.headers).send(outcome.body)
  })
  app.get('/api/invoices/list', async (incoming, response) => {
    const outcome = await gateway.authenticate(incoming, { scope: ['reports:read', 'reports:all'] })
    if (outcome.ok) response.send('reached')
    else response.status(outcome.status).set(outcome.headers).send(outcome.body)
  })
  const agent = request(app)
  const asked = ['invoices:read']
  let status = 403
  while (status === 403 && asked.length < 5) {
    const headers = bearer(await issuer.mint({ scope: asked.at(-1) ?? '' }))
    const response = await agent.get('/api/invoices/list').set(headers)
    ;({ status } = response)
    const challenge: string = response.headers['www-authenticate'] ?? ''
    asked.push(/ scope="([^"]+)"/.exec(challenge)?.[1] ?? '')
  }
  expect(asked).toEqual(['invoices:read', 'reports:read reports:all invoices:read', ''])
  expect(status).toBe(200)
})

it('authenticate(request.raw) guards the handlers of a Fastify plugin', async () => {
  // The code of docs/other-frameworks.md.
  async function guardedApi(api: FastifyInstance) {
    api.decorateRequest('auth', null)
    api.addHook('onRequest', async (incoming, reply) => {
      const outcome = await gateway.authenticate(incoming.raw)
      if (outcome.ok) incoming.setDecorator('auth', outcome.principal)
      else await reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
    })
    api.get('/invoices/list', async (incoming) =>
      reached.push(incoming.getDecorator<Principal>('auth').accountId),
    )
    api.get('/other', async ({ url }) => reached.push(url))
  }
  const app = Fastify()
  app.register(guardedApi, { prefix: '/api' })
  app.get('/about', async () => 'a page outside of the API')
  expect(await app.inject('/api/invoices/list')).toHaveProperty('statusCode', 401)
  expect(await app.inject('/api/other')).toHaveProperty('statusCode', 404)
  expect(await app.inject('/about')).toHaveProperty('statusCode', 200)
  expect(reached).toEqual([])
  const headers = bearer(await issuer.mint())
  expect(await app.inject({ url: '/api/invoices/list', headers })).toHaveProperty('statusCode', 200)
  expect(reached).toHaveLength(1)
  await app.close()
})

describe('an API in another framework that has an origin of its own', () => {
  /** Follows the link in the 401 of a server as a client does. */
  async function metadataOf(audience: string, path: string) {
    const rejected = await fetch(audience + path)
    const [, link = ''] =
      /resource_metadata="([^"]+)"/.exec(rejected.headers.get('www-authenticate') ?? '') ?? []
    const { status, headers, json } = await fetch(link).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      json: await response.json(),
    }))
    const post = await fetch(link, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })
    return {
      statuses: [rejected.status, status, post.status],
      origins: headers.get('access-control-allow-origin'),
      json,
    }
  }

  const expectedOf = (audience: string) => ({
    statuses: [401, 200, 405],
    origins: '*',
    json: expect.objectContaining({ resource: audience }),
  })

  it.each(['', '/api'])(
    'Fastify serves the metadata to which its 401 links, with the path %j',
    async (path) => {
      const port = await freePort()
      const audience = `http://127.0.0.1:${port}${path}`
      ;({ gateway } = await createTestGateway({ audience }))
      // The code of docs/other-frameworks.md.
      const wellKnown = new Koa().use(gateway.wellKnown()).callback()
      const app = Fastify()
      app.addHook('onRequest', async (incoming, reply) => {
        if (!incoming.url.startsWith('/.well-known/')) return
        reply.hijack()
        await wellKnown(incoming.raw, reply.raw)
      })
      app.register(
        async (api) => {
          api.addHook('onRequest', async (incoming, reply) => {
            const outcome = await gateway.authenticate(incoming.raw)
            if (!outcome.ok) await reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
          })
          api.get('/invoices/list', async () => 'reached')
        },
        { prefix: path },
      )
      await app.listen({ port, host: '127.0.0.1' })
      expect(await metadataOf(audience, '/invoices/list')).toEqual(expectedOf(audience))
      await app.close()
    },
  )

  it('Express serves the metadata to which its 401 links', async () => {
    const port = await freePort()
    const audience = `http://127.0.0.1:${port}`
    ;({ gateway } = await createTestGateway({ audience }))
    const app = express()
    // The code of docs/other-frameworks.md.
    app.use('/.well-known', new Koa().use(gateway.wellKnown()).callback())
    app.use(async (incoming, response, next) => {
      const outcome = await gateway.authenticate(incoming)
      if (outcome.ok) next()
      else response.status(outcome.status).set(outcome.headers).send(outcome.body)
    })
    const server = app.listen(port, '127.0.0.1')
    await once(server, 'listening')
    expect(await metadataOf(audience, '/invoices/list')).toEqual(expectedOf(audience))
    server.close()
    server.closeAllConnections()
  })
})
