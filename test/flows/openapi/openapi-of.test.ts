import { Router } from '@koa/router'
import { afterEach, expect, it } from 'vitest'
import { createLimits } from '../../../src/limits.ts'
import { findApiDrift, openApiOf } from '../../../src/openapi.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const INFO = {
  title: 'Harbour',
  description: 'Invoices and payments',
  contact: { name: 'Harbour', url: 'https://harbour.example' },
  license: { name: 'MIT', identifier: 'MIT' },
}

describeEachStore('the OpenAPI document of the API', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((each) => each.close()))
  })

  async function start(options: Parameters<typeof startHost>[0] = {}): Promise<Host> {
    const host = await startHost({ store: makeStore(), ...options })
    hosts.push(host)
    return host
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of a document
  const documentOf = async (host: Host, options = {}): Promise<any> => openApiOf(host.gatehouse, options)

  it('has each operation with its scope and the responses of the gateway', async () => {
    const host = await start()
    const document = await documentOf(host, { info: INFO })
    expect(document.info).toEqual({ version: '1', ...INFO })
    expect(document.servers).toEqual([{ url: host.audience }])
    const { get } = document.paths['/invoices/{id}']
    expect(get).toMatchObject({
      summary: 'Read your invoices',
      tags: ['invoices'],
      security: [{ gatehouse: ['invoices:read'] }],
      parameters: [{ name: 'id', in: 'path', required: true }],
    })
    expect(Object.keys(get.responses)).toEqual(['200', '400', '401', '403', '404', '503'])
    expect(document.components.securitySchemes.gatehouse.flows.clientCredentials).toMatchObject({
      tokenUrl: `${host.issuer}/oauth2/token`,
      scopes: { 'payments:transfer': 'Move money' },
    })
  })

  it('has the response 429 with its headers if calls are limited', async () => {
    const host = await start({
      mount(app, gatehouse) {
        createLimits(gatehouse, { perMinute: 5 })
        app.use(gatehouse.middleware())
      },
    })
    const document = await documentOf(host, { info: INFO })
    expect(document.paths['/invoices/list'].get.responses['429'].$ref).toContain('Gatehouse429')
    expect(Object.keys(document.components.responses.Gatehouse429.headers)).toEqual([
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ])
  })

  it('is added to a document of the host, whose own parts stay', async () => {
    const host = await start()
    const own = {
      openapi: '3.1.0',
      info: { title: 'Own', version: '7' },
      servers: [{ url: host.audience }],
      paths: {
        '/invoices/{invoiceId}': {
          parameters: [{ name: 'invoiceId', in: 'path', required: true, schema: { type: 'string' } }],
          get: {
            summary: 'Own words',
            responses: { '200': { description: 'An invoice' }, '404': { description: 'Own' } },
          },
        },
        '/status': { get: { responses: { '200': { description: 'Up' } } } },
      },
      components: {
        schemas: { Node: { properties: { next: { $ref: '#/components/schemas/Node' } } } },
        responses: { Gone: { description: 'Own' } },
        securitySchemes: { mutual: { type: 'mutualTLS' } },
      },
    }
    const before = structuredClone(own)
    const document = await documentOf(host, { document: own })
    expect(own).toEqual(before)
    const { get } = document.paths['/invoices/{invoiceId}']
    expect(get.summary).toBe('Own words')
    expect(get.security).toEqual([{ gatehouse: ['invoices:read'] }])
    expect(get.responses['404']).toEqual({ description: 'Own' })
    expect(get.responses['401'].$ref).toBe('#/components/responses/Gatehouse401')
    expect(document.paths['/status']).toEqual(own.paths['/status'])
    expect(document.components).toMatchObject(own.components)
  })

  it('finds drift in both directions: routes without an operation, and operations without a route', async () => {
    const host = await start()
    const router = new Router({ prefix: '/api' })
    const handler = () => {}
    router.get('/invoices/list', handler).get('/Invoices/:number', handler).post('/invoices/create', handler)
    router.get('/payments/list', handler).get('/status', handler).delete('/invoices/:id', handler)
    router.use(handler)
    const all = new Router()
    all.use(router.routes()).get('/health', handler)
    expect(await findApiDrift(host.gatehouse, { router: all, ignore: ['GET /status'] })).toEqual({
      withoutOperation: ['DELETE /invoices/:id'],
      withoutRoute: ['POST /payments/transfer'],
    })
    const document = await documentOf(host)
    expect(await findApiDrift(host.gatehouse, { document })).toEqual({
      withoutOperation: [],
      withoutRoute: [],
    })
    delete document.paths['/payments/transfer']
    document.paths['/refunds/{id}'] = { post: { responses: {} } }
    expect(await findApiDrift(host.gatehouse, { document })).toEqual({
      withoutOperation: ['POST /refunds/:p_id'],
      withoutRoute: ['POST /payments/transfer'],
    })
  })

  it('finds the drift of a router behind a proxy that strips a prefix, with the mountPath of the gateway', async () => {
    const host = await start({ issuerPath: '/platform/auth', audiencePath: '/platform/api' })
    const handler = () => {}
    const drift = { withoutOperation: ['GET /status'], withoutRoute: ['POST /payments/transfer'] }
    for (const mountPath of ['/api', '/', '']) {
      const router = new Router({ prefix: mountPath.replace('/', '') && mountPath })
      router.get('/invoices/list', handler).get('/invoices/:id', handler).post('/invoices/create', handler)
      router.get('/payments/list', handler).get('/status', handler)
      const all = new Router()
      all.use(router.routes())
      if (mountPath === '/api') all.get('/health', handler)
      expect(await findApiDrift(host.gatehouse, { router: all, mountPath }), mountPath).toEqual(drift)
    }
    const document = await documentOf(host)
    const none = { withoutOperation: [], withoutRoute: [] }
    expect(await findApiDrift(host.gatehouse, { document, mountPath: '/api' })).toEqual(none)
    const router = new Router()
    await expect(findApiDrift(host.gatehouse, { router, mountPath: 'api' })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [expect.objectContaining({ path: 'mountPath' })],
    })
  })

  it('lists a regular expression and each method of all(), and rejects a comparison that finds nothing by mistake', async () => {
    const host = await start()
    const router = new Router()
    router.get(/^\/re.*$/, () => {}).all('/api/any', () => {})
    const { withoutOperation } = await findApiDrift(host.gatehouse, { router, ignore: ['GET /any'] })
    expect(withoutOperation).toEqual([
      'DELETE /any',
      'GET /^\\/re.*$/',
      'PATCH /any',
      'POST /any',
      'PUT /any',
    ])
    await expect(findApiDrift(host.gatehouse, {})).rejects.toThrow('needs a router, a document, or both')
    for (const route of ['/any', 'GET /api/any', 'GET /gone', 'GET /invoices/:id']) {
      await expect(findApiDrift(host.gatehouse, { router, ignore: [route] })).rejects.toThrow(
        `these routes of ignore do not exist, or have an operation: ${route}. Routes without an operation are: `,
      )
    }
  })

  it('takes odd documents: cycles, 5 MB, two templates of one route, and servers with another path', async () => {
    const host = await start()
    const cyclic: Record<string, unknown> = { description: 'x'.repeat(5_000_000) }
    cyclic['self'] = cyclic
    const document = await documentOf(host, {
      document: {
        openapi: '3.0.3',
        info: { title: 'Odd', version: '1' },
        servers: [{ url: '/' }],
        paths: {
          '/api/invoices/{a}': { get: { responses: {} } },
          '/api/invoices/{b-c}': { get: { responses: {} }, parameters: cyclic },
          '/api/files/{path*}': { get: { responses: {} } },
          '/other': { get: { responses: {} } },
          '/broken': null,
        },
        components: { schemas: { cyclic } },
      },
    })
    expect(document.paths['/api/invoices/{a}'].get.security).toEqual([{ gatehouse: ['invoices:read'] }])
    expect(document.paths['/api/invoices/{b-c}'].get.security).toEqual([{ gatehouse: ['invoices:read'] }])
    expect(document.paths['/other'].get).not.toHaveProperty('security')
  })

  it.each([
    { document: 'text' },
    { document: [] },
    { document: { swagger: '2.0' } },
    { titel: 'x' },
    { info: 'x' },
  ])('the options %o are rejected', async (options) => {
    const host = await start()
    await expect(openApiOf(host.gatehouse, options as object)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await expect(findApiDrift(host.gatehouse, { router: {} as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
  })
})
