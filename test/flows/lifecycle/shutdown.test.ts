import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import http, { type IncomingMessage, type Server } from 'node:http'
import https from 'node:https'
import { connect as connectSocket, type AddressInfo, type Socket } from 'node:net'
import path from 'node:path'
import { syncBuiltinESMExports } from 'node:module'
import timers, { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import Koa, { type Context } from 'koa'
import type { ShutdownOptions } from 'koa-gatehouse'
import { createGateway } from 'koa-gatehouse/gateway'
import { createTestIssuer } from 'koa-gatehouse/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { selfSignedCertificate } from '../../support/certificate.ts'
import { connect, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { temporaryFolder } from '../../support/package-copy.ts'
import { pausingStore } from '../../support/pausing-store.ts'
import { findProgram } from '../../support/required-programs.ts'
import { describeEachStore } from '../../support/stores.ts'
import { endClients, form, keepAliveClient, type Sent } from './keep-alive-client.ts'

/** A grace of so many milliseconds lasts until the test calls `grace.end()`. */
const HELD_MS = 1501
const grace = { end() {} }
const realDelay = timers.setTimeout

beforeEach(() => {
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms, ...rest) =>
    ms === HELD_MS ? new Promise((resolve) => (grace.end = resolve as () => void)) : realDelay(ms, ...rest),
  )
  // The sources import the function by its name.
  syncBuiltinESMExports()
})

const hosts: Host[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  endClients()
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

/** Starts a host whose routes below `/own` the test adds. */
async function open(options: HostOptions = {}, own: (ctx: Context) => unknown = () => {}): Promise<Host> {
  const host = await startHost({
    above: [async (ctx, next) => (ctx.path.startsWith('/own') ? own(ctx) : next())],
    ...options,
  })
  hosts.push(host)
  await host.gatehouse.ready()
  return host
}

/** Connects 20 times, then writes a file, and prints the status of each answer. */
const TWENTY_CLIENTS = `
  const [port, file] = process.argv.slice(1)
  let waiting = 20
  const onConnect = () => (waiting -= 1) || require('node:fs').writeFileSync(file, '')
  for (let left = waiting; left > 0; left -= 1) {
    const request = require('node:http').get({ port, path: '/elsewhere', agent: false })
    request.on('socket', (socket) => socket.on('connect', onConnect))
    request.on('response', (response) => console.log(response.resume().statusCode))
    request.on('error', (error) => console.log(error.code))
  }`

function expectNoListener(port: number) {
  return expect(keepAliveClient(port).send('/own')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
}

describeEachStore('shutdown()', (makeStore) => {
  it('during the grace the process is not ready, accepts connections, answers every request, and each answer says Connection: close', async () => {
    const host = await open({ store: makeStore() }, (ctx) => {
      if (ctx.path === '/own/error') throw new Error('a bug of the host')
      ctx.body = 'own'
    })
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    const authorization = { authorization: `Bearer ${String(body['access_token'])}` }
    const requests: [number, string, Sent?][] = [
      [200, '/auth/oauth2/token', form({ ...key, grant_type: 'client_credentials' })],
      [401, '/auth/oauth2/token', form({ ...key, client_secret: 'x', grant_type: 'client_credentials' })],
      [200, '/auth/.well-known/openid-configuration'],
      [200, '/api/invoices/list', { headers: authorization }],
      [401, '/api/invoices/list'],
      [200, '/own'],
      [500, '/own/error'],
      [200, '/elsewhere'],
    ]
    // These connections are idle when the shutdown begins.
    const clients = requests.map(() => keepAliveClient(host.port))
    for (const client of clients) {
      expect(await client.send('/own')).toMatchObject({ status: 200, connection: 'keep-alive' })
    }

    expect((await host.gatehouse.health()).ready).toBe(true)
    const ended = host.gatehouse.shutdown(host.server, { graceMs: HELD_MS })
    for (const health of [await host.gatehouse.health(), await host.gatehouse.gateway.health()]) {
      expect(health.ready).toBe(false)
      expect(health.checks.find(({ name }) => name === 'start')).toMatchObject({ status: 'warn' })
    }
    await Promise.all(
      requests.map(async ([status, path, sent], index) => {
        const client = clients[index] as ReturnType<typeof keepAliveClient>
        const sending = [client.send(path, sent), keepAliveClient(host.port).send(path, sent)]
        for (const answer of await Promise.all(sending)) {
          expect(answer).toMatchObject({ status, connection: 'close' })
        }
        expect(client.connections).toBe(1)
      }),
    )
    grace.end()
    await ended
    await expectNoListener(host.port)
    await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  it('a refresh that is pending when the shutdown begins, and lasts longer than the grace, gets its tokens and Connection: close', async () => {
    const store = pausingStore(makeStore('pending'))
    const host = await open({ store: store.store })
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application)
    const refresh = form({ ...application, grant_type: 'refresh_token', refresh_token })
    const client = keepAliveClient(host.port)
    const pause = store.pauseAfter((call) => call.startsWith('replace'))
    const answer = client.send('/auth/oauth2/token', refresh)
    expect(await pause.reached).toBe(true)
    let hasEnded = false
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 50 }).finally(() => (hasEnded = true))
    await delay(300)
    expect(hasEnded).toBe(false)
    await expectNoListener(host.port)
    pause.end()
    expect(await answer).toMatchObject({ status: 200, connection: 'close' })
    await ended

    const { issuer, audience } = host
    const other = await open({ store: makeStore('pending'), gatehouse: { issuer, audience } })
    const { refresh_token: next } = JSON.parse((await answer).text) as { refresh_token: string }
    const sent = form({ ...application, grant_type: 'refresh_token', refresh_token: next })
    expect(await keepAliveClient(other.port).send('/auth/oauth2/token', sent)).toMatchObject({ status: 200 })
  })

  it('watches of tokens end at the end of the grace, after onGraceEnd was called once', async () => {
    const order: string[] = []
    const host = await open({
      store: makeStore(),
      mount(app, gatehouse) {
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(async (ctx) => {
          const reason = await new Promise<string>((onEnd) =>
            gatehouse.gateway.watch(ctx.state['auth'], onEnd),
          )
          order.push(reason)
          ctx.body = 'the end of a stream'
        })
      },
    })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    const headers = { authorization: `Bearer ${String(body['access_token'])}` }
    const [before, during] = [keepAliveClient(host.port), keepAliveClient(host.port)]
    const streams = [before.send('/api/invoices/list', { headers })]
    await once(host.server, 'request')
    const ended = host.gatehouse.shutdown(host.server, {
      graceMs: HELD_MS,
      onGraceEnd: () => order.push('onGraceEnd'),
    })
    const arrived = once(host.server, 'request')
    streams.push(during.send('/api/invoices/list', { headers }))
    await arrived
    expect(order).toEqual([])
    grace.end()
    for (const stream of streams) {
      expect(await stream).toMatchObject({ status: 200, connection: 'close', text: 'the end of a stream' })
    }
    await ended
    expect(order).toEqual(['onGraceEnd', 'closed', 'closed'])
  })
})

describe('the connections of a host that shuts down', () => {
  it('an idle connection stays open until the end of the grace, and is then closed', async () => {
    const host = await open()
    const client = keepAliveClient(host.port)
    await client.send('/own')
    const ended = host.gatehouse.shutdown(host.server, { graceMs: HELD_MS })
    const order: string[] = []
    const closed = client.ended().then(() => order.push('closed'))
    await delay(100)
    order.push('grace.end()')
    grace.end()
    await Promise.all([closed, ended])
    expect(order).toEqual(['grace.end()', 'closed'])
  })

  it('clients whose connections wait to be accepted at the end of the grace get their answers', async () => {
    const host = await open()
    const { folder, remove } = await temporaryFolder('koa-gatehouse-shutdown')
    const signal = path.join(folder, 'connected')
    const clients = promisify(execFile)(process.execPath, ['-e', TWENTY_CLIENTS, String(host.port), signal])
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 50 })
    // This process is too busy to accept connections, until the grace is over and the clients are connected.
    for (const end = Date.now() + 10_000; !existsSync(signal) && Date.now() < end;);
    expect((await clients).stdout).toBe('200\n'.repeat(20))
    await ended
    await remove()
  })

  it('a connection on which no request arrives is closed soon after the grace', async () => {
    const host = await open()
    const socket = connectSocket(host.port)
    await once(host.server, 'connection')
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 0 })
    await delay(200)
    expect(socket.closed).toBe(false)
    now.mockReturnValue(3001)
    await once(socket.resume(), 'close')
    await ended
  })

  it('a client that reads slowly gets the whole answer, even if the answer began before the shutdown', async () => {
    const size = 8_000_000
    const host = await open({}, (ctx) => void (ctx.body = Buffer.alloc(size)))
    const socket = connectSocket(host.port)
    socket.write('GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'readable')
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 50 })
    await delay(200)
    let received = 0
    for await (const chunk of socket) received += (chunk as Buffer).length
    expect(received).toBeGreaterThan(size)
    await ended
  })

  it('a client that sends two requests before the first answer gets both answers', async () => {
    const host = await open({}, async (ctx) => {
      await delay(20)
      ctx.body = `answer to ${ctx.path}`
    })
    const socket = connectSocket(host.port)
    await once(socket, 'connect')
    const ended = host.gatehouse.shutdown(host.server, { graceMs: HELD_MS })
    socket.write(
      ['/own/1', '/own/2'].map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''),
    )
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    expect(received).toContain('answer to /own/1')
    expect(received).toContain('answer to /own/2')
    expect(received.match(/connection: close/gi)).toHaveLength(1)
    grace.end()
    await ended
  })

  it('a client of HTTP/1.0 with keep-alive gets its answer and Connection: close', async () => {
    const host = await open()
    const socket = connectSocket(host.port)
    await once(socket, 'connect')
    const ended = host.gatehouse.shutdown(host.server, { graceMs: HELD_MS })
    socket.write('GET /elsewhere HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    let received = ''
    for await (const chunk of socket) received += String(chunk)
    expect(received).toMatch(/^HTTP\/1\.1 200 .*connection: close/is)
    grace.end()
    await ended
  })

  it('shutdown() waits for WebSockets that onGraceEnd closes', async () => {
    const host = await open()
    const webSockets: Socket[] = []
    host.server.on('upgrade', (_request, socket: Socket) => {
      webSockets.push(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n')
    })
    const client = connectSocket(host.port)
    client.write('GET /own HTTP/1.1\r\nHost: localhost\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n')
    await once(client, 'data')
    const onGraceEnd = vi.fn(async () => {
      await delay(100)
      for (const socket of webSockets) socket.end('goodbye')
    })
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 50, onGraceEnd })
    const [farewell] = (await once(client, 'data')) as [Buffer]
    expect(farewell.toString()).toBe('goodbye')
    client.end()
    await ended
    expect(onGraceEnd).toHaveBeenCalledTimes(1)
  })

  it('an answer that never ends is cut 20 seconds after the grace, and a warning is logged', async () => {
    const warn = vi.fn()
    const logger = { debug() {}, info() {}, error() {}, warn }
    const host = await open({ gatehouse: { logger } }, () => new Promise(() => {}))
    const answer = keepAliveClient(host.port).send('/own')
    const cut = expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
    await once(host.server, 'request')
    const ended = host.gatehouse.shutdown(host.server, { graceMs: 0 })
    await delay(200)
    const later = performance.now() + 20_000
    vi.spyOn(performance, 'now').mockImplementation(() => later)
    await ended
    vi.restoreAllMocks()
    await cut
    expect(warn.mock.calls.flat()).toContainEqual(
      expect.stringContaining('still open 20000 ms after the grace'),
    )
  })

  it.skipIf(findProgram('openssl') === undefined)(
    'shutdown() stops several servers at once, with and without TLS',
    async () => {
      const host = await open()
      const secure = https.createServer(await selfSignedCertificate(), host.app.callback())
      secure.listen(0)
      await once(secure, 'listening')
      const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })
      const { port } = secure.address() as AddressInfo
      const answerOf = async () => {
        const request = https.get({ port, path: '/elsewhere', agent })
        const [{ headers }] = (await once(request, 'response')) as [IncomingMessage]
        return headers.connection
      }
      expect(await answerOf()).toBe('keep-alive')
      const client = keepAliveClient(host.port)
      await client.send('/elsewhere')
      const ended = host.gatehouse.shutdown([host.server, secure], { graceMs: HELD_MS })
      expect(await answerOf()).toBe('close')
      grace.end()
      await ended
      await client.ended()
      agent.destroy()
      for (const server of [host.server, secure] as Server[]) expect(server.listening).toBe(false)
    },
  )
})

describe('calls of shutdown()', () => {
  it('a second call waits for the first shutdown', async () => {
    const host = await open()
    const first = host.gatehouse.shutdown(host.server, { graceMs: 100 })
    const order: string[] = []
    await Promise.all([
      first.then(() => order.push('first')),
      host.gatehouse.shutdown(host.server, { graceMs: 0 }).then(() => order.push('second')),
      host.gatehouse.gateway.shutdown(host.server, { graceMs: 0 }).then(() => order.push('gateway')),
    ])
    expect(order[0]).toBe('first')
  })

  it('shutdown() rejects invalid arguments with all problems, and changes nothing', async () => {
    const host = await open()
    for (const [server, options, paths] of [
      [{}, {}, ['server[0]']],
      [undefined, {}, ['server[0]']],
      [host.server, { graceMs: -1 }, ['graceMs']],
      [host.server, { graceMs: Infinity, onGraceEnd: 1, timeout: 1 }, ['graceMs', 'onGraceEnd', 'timeout']],
    ] as const) {
      const rejected = host.gatehouse.shutdown(server as Server, options as ShutdownOptions)
      await expect(rejected).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        problems: paths.map((path) => expect.objectContaining({ path })),
      })
    }
    expect((await host.gatehouse.health()).ready).toBe(true)
    expect((await host.call('GET /invoices/list')).status).toBe(401)
  })

  it('shutdown() closes gatehouse if the server never listened, and if onGraceEnd throws', async () => {
    const error = vi.fn()
    const host = await open({ gatehouse: { logger: { debug() {}, info() {}, warn() {}, error } } })
    const failure = new Error('a bug of the host')
    await host.gatehouse.shutdown(http.createServer(), {
      graceMs: 0,
      onGraceEnd() {
        throw failure
      },
    })
    expect(error.mock.calls).toEqual([[{ err: failure }, expect.stringContaining('onGraceEnd')]])
    await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  it('close() during the grace closes gatehouse at once, and the shutdown continues', async () => {
    const host = await open()
    const ended = host.gatehouse.shutdown(host.server, { graceMs: HELD_MS })
    await host.gatehouse.close()
    expect((await host.gatehouse.health()).ready).toBe(false)
    expect(await keepAliveClient(host.port).send('/api/invoices/list')).toMatchObject({
      status: 503,
      connection: 'close',
    })
    grace.end()
    await ended
    await expectNoListener(host.port)
  })

  it('shutdown() of a gateway in another process answers calls during the grace, and then closes the gateway', async () => {
    const audience = 'https://example.com/api'
    const products = {
      invoices: {
        title: 'Invoices',
        operations: { 'invoices:read': { route: 'GET /invoices', title: 'Read' } },
      },
    } as const
    const issuer = await createTestIssuer({ audience })
    const gateway = createGateway({ issuer: issuer.issuer, audience, products })
    const server = new Koa()
      .use(gateway.middleware())
      .use((ctx) => void (ctx.body = 'reached'))
      .listen(0)
    const token = await issuer.mintToken({ accountId: 'acme', scopes: ['invoices:read'] })
    const client = keepAliveClient((server.address() as AddressInfo).port)
    const call = () => client.send('/api/invoices', { headers: { authorization: `Bearer ${token}` } })
    expect(await call()).toMatchObject({ status: 200, connection: 'keep-alive' })
    const ended = gateway.shutdown(server, { graceMs: HELD_MS })
    expect(await gateway.health()).toMatchObject({ ready: false })
    expect(await call()).toMatchObject({ status: 200, connection: 'close', text: 'reached' })
    grace.end()
    await ended
    expect(server.listening).toBe(false)
    await expect(gateway.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await issuer.close()
  })
})
