// Also runs on: Koa 2
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { selectByHost, type Gatehouse, type GatewayMiddlewareOptions, type Principal } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createGateway } from 'koa-gatehouse/gateway'
import { createTestIssuer, mintToken } from 'koa-gatehouse/testing'
import { requireTool } from '../../../src/mcp.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { json, send as sendRaw, type RawRequest } from '../../support/raw-request.ts'
import { PRODUCTS } from './setup.ts'

const API = 'https://api.example/v1'
const TOOLS = 'https://tools.example/v1'
const METADATA = '/.well-known/oauth-protected-resource/v1'

let host: Host
let tokens: { api: string; tools: string }

/** Starts a host with two resources, and mints a token for each. Both have the scope `invoices:read`. */
async function start(
  options: HostOptions & { api?: string; tools?: string; guards?: Guards; proxy?: boolean } = {},
) {
  const { api = API, tools = TOOLS, guards, proxy = false } = options
  host = await startHost({
    store: memoryStore(),
    mount(app, gatehouse) {
      app.proxy = proxy
      app.use(gatehouse.middleware())
      app.use(selectByHost(...guardsOf(gatehouse, tools, guards)))
    },
    above: [
      async (ctx, next) => {
        await next()
        const { auth } = ctx.state as { auth?: Principal }
        if (auth !== undefined) ctx.set('Reached-For', String(auth.claims['aud']))
      },
    ],
    ...options,
    gatehouse: {
      audience: api,
      products: PRODUCTS,
      resources: {
        [api]: { products: ['invoices', 'payments'] },
        [tools]: { products: ['invoices', 'tools'], title: 'Tools' },
      },
      ...options.gatehouse,
    },
  })
  const scopes = ['invoices:read', 'payments:list', 'tools:use']
  const mint = (resource: string) => mintToken(host.gatehouse, { accountId: 'alice', scopes }, { resource })
  tokens = { api: await mint(api), tools: await mint(tools) }
}

type Guards = { api?: GatewayMiddlewareOptions; tools?: GatewayMiddlewareOptions }

const guardsOf = ({ gateway }: Gatehouse, tools: string, guards: Guards = {}): Middleware[] => [
  gateway.middleware(guards.api),
  gateway.for(tools).middleware(guards.tools),
]

/** The resource of the token with which a request reached the handler; otherwise the status of the answer. */
async function outcome(request: RawRequest, token?: string): Promise<unknown> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { status, headers } = await sendRaw(host.port, {
    ...request,
    headers: { ...request.headers, ...authorization },
  })
  return status === 200 ? (headers.get('reached-for') ?? 'open') : status
}

/** The outcomes of a request without a token, with a token for the API, and with a token for the tools. */
async function outcomes(headers: Record<string, string>, target = '/v1/invoices/list') {
  const request = { target, headers }
  return [await outcome(request), await outcome(request, tokens.api), await outcome(request, tokens.tools)]
}

const AS_API = [401, API, 401]
const AS_TOOLS = [401, 401, TOOLS]
const UNCLEAR = [404, 404, 404]

describe.each([false, true])('two resources with the same path, with app.proxy = %s', (proxy) => {
  beforeAll(() => start({ proxy }))
  beforeEach(() => void host.reached.splice(0))
  afterAll(() => host.close())

  it('the host of a request selects one gateway, and the first gateway guards every other host', async () => {
    expect(await outcomes({ host: 'api.example' })).toEqual(AS_API)
    expect(await outcomes({ host: 'tools.example' })).toEqual(AS_TOOLS)
    for (const name of [
      'other.example',
      'localhost:3000',
      'mytools.example',
      'tools.example.net',
      '[::1]:80',
    ])
      expect([name, await outcomes({ host: name })]).toEqual([name, AS_API])
    const challenge = await sendRaw(host.port, { target: '/v1/run', headers: { host: 'tools.example' } })
    expect(challenge.headers.get('www-authenticate')).toContain(`realm="${TOOLS}"`)
  })

  it('X-Forwarded-Host selects only with app.proxy, and only if Host does not name another resource', async () => {
    const forwarded = (name: string, own = 'internal:3000') => ({ host: own, 'x-forwarded-host': name })
    expect(await outcomes(forwarded('tools.example'))).toEqual(proxy ? AS_TOOLS : AS_API)
    expect(await outcomes(forwarded('tools.example, proxy.internal'))).toEqual(proxy ? AS_TOOLS : AS_API)
    expect(await outcomes(forwarded('tools.example, api.example'))).toEqual(proxy ? UNCLEAR : AS_API)
    expect(await outcomes(forwarded('tools.example', 'api.example'))).toEqual(proxy ? UNCLEAR : AS_API)
    expect(await outcomes(forwarded('other.example', 'tools.example'))).toEqual(proxy ? UNCLEAR : AS_TOOLS)
    expect(await outcomes(forwarded('api.example', 'tools.example'))).toEqual(proxy ? UNCLEAR : AS_TOOLS)
  })

  it.each([
    'TOOLS.example',
    'tools.example.',
    'tools.example:443',
    'tools.example:80',
    'tools.example:8443',
    'tools.example:99999',
    'x@tools.example',
    'tools.example:1@other.example',
    '%74ools.example',
    'to\u00adols.example',
    'tools.example, api.example',
    'tools.example/..',
    `${'a'.repeat(300)}.example`,
  ])('the host %s, which routers read differently, gets 404', async (name) => {
    expect(await outcomes({ host: name })).toEqual(UNCLEAR)
    expect(host.reached).toEqual([])
  })

  it('a target in absolute form that names the host of another resource gets 404', async () => {
    const target = 'http://tools.example/v1/invoices/list'
    expect(await outcomes({ host: 'tools.example' }, target)).toEqual(AS_TOOLS)
    expect(await outcomes({ host: 'api.example' }, target)).toEqual(UNCLEAR)
    expect(await outcomes({ host: 'other.example' }, target)).toEqual(UNCLEAR)
  })

  it('an operation of one resource does not exist at the host of the other', async () => {
    expect(await outcomes({ host: 'tools.example' }, '/v1/run')).toEqual(AS_TOOLS)
    expect(await outcomes({ host: 'api.example' }, '/v1/run')).toEqual([404, 404, 404])
    expect(await outcomes({ host: 'other.example' }, '/V1/run')).toEqual([404, 404, 404])
    expect(await outcomes({ host: 'api.example' }, '/v1/payments/list')).toEqual(AS_API)
    expect(await outcomes({ host: 'tools.example' }, '/v1/payments/list')).toEqual([404, 404, 404])
  })

  it('the metadata is that of the host, and an unknown host gets 404', async () => {
    const read = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await sendRaw(host.port, { method, target: METADATA, headers })
      const vary = answer.headers.get('vary')
      expect(vary).toBe(proxy ? 'Host, X-Forwarded-Host' : 'Host')
      return [answer.status, json(answer)['resource'] ?? json(answer)['error']]
    }
    expect(await read({ host: 'api.example' })).toEqual([200, API])
    expect(await read({ host: 'tools.example' })).toEqual([200, TOOLS])
    expect(await read({ host: 'tools.example' }, 'OPTIONS')).toEqual([204, undefined])
    expect(await read({ host: 'other.example' })).toEqual([404, 'not_found'])
    expect(await read({ host: 'TOOLS.example' })).toEqual([404, 'not_found'])
    const both = { host: 'api.example', 'x-forwarded-host': 'tools.example' }
    expect(await read(both)).toEqual(proxy ? [404, 'not_found'] : [200, API])
  })
})

describe('two resources whose paths overlap', () => {
  afterEach(() => host.close())

  it('public routes and paths that one gateway passes on never open an operation of the other', async () => {
    await start({
      guards: {
        api: { public: ['GET /run', 'GET /status'], unclaimed: 'pass' },
        tools: { unclaimed: 'pass' },
      },
    })
    expect(await outcomes({ host: 'api.example' }, '/v1/run')).toEqual([404, 404, 404])
    expect(await outcomes({ host: 'api.example' }, '/v1/status')).toEqual(['open', 'open', 'open'])
    expect(await outcomes({ host: 'tools.example' }, '/v1/payments/list')).toEqual([404, 404, 404])
    expect(await outcomes({ host: 'tools.example' }, '/v1/page')).toEqual(['open', 'open', 'open'])
  })

  it('an API and an MCP server at the roots of two hosts each have their tokens', async () => {
    await start({ api: 'https://api.example', tools: 'https://tools.example' })
    const target = '/invoices/list'
    expect(await outcomes({ host: 'api.example' }, target)).toEqual([401, 'https://api.example', 401])
    expect(await outcomes({ host: 'tools.example' }, target)).toEqual([401, 401, 'https://tools.example'])
  })

  it('below a path at another host, the longer path selects at every host', async () => {
    const [api, tools] = ['https://api.example', 'https://tools.example/mcp']
    await start({ api, tools, guards: { tools: { unclaimed: 'pass' } } })
    for (const name of ['api.example', 'tools.example', 'TOOLS.example', 'other.example']) {
      const headers = { host: name }
      expect(await outcomes(headers, '/mcp/run')).toEqual([401, 401, tools])
      expect(await outcomes(headers, '/invoices/list')).toEqual([401, api, 401])
    }
    expect(await outcomes({ host: 'tools.example' }, '/mcp%2Frun')).toEqual(UNCLEAR)
  })

  it('resources on two ports of localhost are told apart by the port', async () => {
    const [api, tools] = ['http://localhost:3001/v1', 'http://[::1]:3002/v1']
    await start({ api, tools })
    expect(await outcomes({ host: 'localhost:3001' })).toEqual([401, api, 401])
    expect(await outcomes({ host: '[::1]:3002' })).toEqual([401, 401, tools])
    for (const name of ['[::1]:3001', '[0:0::1]:3002', '[::1]', 'localhost'])
      expect([name, await outcomes({ host: name })]).toEqual([name, UNCLEAR])
  })

  it('a gateway that is mounted alone guards every host with its own tokens', async () => {
    await start({ mount: (app, gatehouse) => void app.use(gatehouse.gateway.for(TOOLS).middleware()) })
    for (const name of ['api.example', 'tools.example', 'other.example'])
      expect(await outcomes({ host: name })).toEqual(AS_TOOLS)
    const request = { method: 'GET', url: 'https://api.example/v1/invoices/list' }
    const call = (token: string) => ({ ...request, headers: { authorization: `Bearer ${token}` } })
    const gateway = host.gatehouse.gateway.for(TOOLS)
    expect(await gateway.authenticate(call(tokens.api))).toMatchObject({ ok: false, status: 401 })
    expect(await gateway.authenticate(call(tokens.tools))).toMatchObject({ ok: true })
  })

  it('two gateways that are mounted one after the other open nothing: a call would need both tokens', async () => {
    await start({
      mount: (app, gatehouse) => guardsOf(gatehouse, TOOLS).forEach((guard) => app.use(guard)),
    })
    for (const name of ['api.example', 'tools.example'])
      expect(await outcomes({ host: name })).toEqual([401, 401, 401])
  })

  it('requireTool() of one MCP server accepts no token of another at the same path', async () => {
    await start({
      mount(app, gatehouse) {
        app.use(bodyParser())
        for (const address of [API, TOOLS]) {
          const router = new Router({ host: new URL(address).host })
          const guard = requireTool(gatehouse.gateway.for(address), 'invoices:read') as Middleware
          app.use(router.all('/v1', guard, (_ctx, next) => next()).routes())
        }
        app.use((ctx, next) => (ctx.state['auth'] === undefined ? undefined : next()))
      },
    })
    expect(await outcomes({ host: 'api.example' }, '/v1')).toEqual(AS_API)
    expect(await outcomes({ host: 'tools.example' }, '/v1')).toEqual(AS_TOOLS)
    expect(await outcomes({ host: 'TOOLS.example' }, '/v1')).toEqual(UNCLEAR)
  })

  it('HTTP/2 names the host in :authority, and a different header Host gets 404', async () => {
    await start()
    const server = createHttp2Server(host.app.callback())
    await new Promise<void>((resolve) => void server.listen(0, resolve))
    const client = connectHttp2(`http://localhost:${(server.address() as AddressInfo).port}`)
    const status = (headers: Record<string, string>, token: string) =>
      new Promise((resolve) => {
        const own = { ':path': '/v1/invoices/list', authorization: `Bearer ${token}`, ...headers }
        const stream = client.request(own)
        stream.on('response', (answer) => resolve(answer[':status']))
        stream.resume().end()
      })
    const tools = { ':authority': 'tools.example' }
    expect([await status(tools, tokens.tools), await status(tools, tokens.api)]).toEqual([200, 401])
    const both = { ...tools, host: 'api.example' }
    expect([await status(both, tokens.tools), await status(both, tokens.api)]).toEqual([404, 404])
    client.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it('a request without Host, or with two, is guarded by one gateway', async () => {
    await start()
    const server = createServer({ requireHostHeader: false }, host.app.callback())
    await new Promise<void>((resolve) => void server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    const status = (lines: string[], token: string) =>
      new Promise((resolve) => {
        const head = [
          'GET /v1/invoices/list HTTP/1.1',
          'Connection: close',
          `Authorization: Bearer ${token}`,
          ...lines,
        ]
        let text = ''
        const socket = connect({ port }, () => socket.write(`${head.join('\r\n')}\r\n\r\n`))
        socket.on('data', (chunk) => (text += String(chunk)))
        socket.on('close', () => resolve(Number(text.slice(9, 12))))
      })
    const two = ['Host: tools.example', 'Host: api.example']
    expect([await status([], tokens.api), await status([], tokens.tools)]).toEqual([200, 401])
    expect([await status(two, tokens.api), await status(two, tokens.tools)]).toEqual([401, 200])
    await new Promise((resolve) => server.close(resolve))
  })

  it('selectByHost() takes only middleware of gateways', async () => {
    await start()
    const { gateway } = host.gatehouse
    for (const wrong of [gateway, gateway.wellKnown(), () => {}, undefined])
      expect(() => selectByHost(wrong as Middleware)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }) as Error,
      )
  })
})

describe('gateways of createGateway() with the same path', () => {
  it('each host has the operations and the metadata of its gateway, and its tokens alone', async () => {
    const issuer = await createTestIssuer({ audience: API })
    const gatewayOf = (audience: string, scope: string, route: `GET /${string}`) =>
      createGateway({
        issuer: issuer.issuer,
        audience,
        products: async () => ({ all: { title: 'All', operations: { [scope]: { route, title: 'Read' } } } }),
      })
    const gateways = [gatewayOf(API, 'items:read', 'GET /:id'), gatewayOf(TOOLS, 'tools:list', 'GET /list')]
    await start({
      mount: (app: Koa) => void app.use(selectByHost(...gateways.map((gateway) => gateway.middleware()))),
    })
    tokens = { api: await issuer.mintToken({ accountId: 'a', scopes: ['items:read'] }), tools: tokens.tools }
    expect(await outcomes({ host: 'api.example' }, '/v1/7')).toEqual([401, API, 401])
    expect(await outcomes({ host: 'tools.example' }, '/v1/7')).toEqual([404, 404, 404])
    // A router runs the handler of the other gateway's operation.
    expect(await outcomes({ host: 'api.example' }, '/v1/list')).toEqual([404, 404, 404])
    const metadata = await sendRaw(host.port, { target: METADATA, headers: { host: 'tools.example' } })
    expect(json(metadata)).toMatchObject({ resource: TOOLS, scopes_supported: ['tools:list'] })
    await Promise.all([...gateways.map((gateway) => gateway.close()), issuer.close(), host.close()])
  })

  it('an operation that only some routers find at the other resource does not exist either', async () => {
    const issuer = await createTestIssuer({ audience: API })
    const gatewayOf = (audience: string, routes: Record<string, `GET /${string}`>) => {
      const operations = Object.entries(routes).map(([scope, route]) => [scope, { route, title: scope }])
      const all = { title: 'All', operations: Object.fromEntries(operations) }
      return createGateway({ issuer: issuer.issuer, audience, products: async () => ({ all }) })
    }
    const gateways = [
      gatewayOf(API, { 'items:list': 'GET /items', 'files:read': 'GET /files/:id' }),
      gatewayOf(TOOLS, { 'tools:item': 'GET /items/:id', 'tools:file': 'GET /files/a,b' }),
    ]
    await start({
      mount: (app: Koa) => void app.use(selectByHost(...gateways.map((gateway) => gateway.middleware()))),
    })
    const scopes = ['items:list', 'files:read']
    tokens = { api: await issuer.mintToken({ accountId: 'a', scopes }), tools: tokens.tools }
    for (const path of ['/v1/items', '/v1/files/a'])
      expect(await outcomes({ host: 'api.example' }, path)).toEqual(AS_API)
    // Routers that take the slash for an empty parameter, or that decode the comma, run the handlers of the tools.
    for (const path of ['/v1/items/', '/v1/files/a%2Cb'])
      expect([path, await outcomes({ host: 'api.example' }, path)]).toEqual([path, UNCLEAR])
    await Promise.all([...gateways.map((gateway) => gateway.close()), issuer.close(), host.close()])
  })
})
