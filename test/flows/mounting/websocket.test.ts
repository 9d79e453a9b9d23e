import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'

describe('gateway.authenticate() at the upgrade to a WebSocket', () => {
  let host: Host
  const sockets = new WebSocketServer({ noServer: true })
  let upgraded = 0

  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    host.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void (async () => {
        const call = await host.gatehouse.gateway.authenticate(request)
        if (!call.ok) {
          const headers = Object.entries({ ...call.headers, Connection: 'close' })
          const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
          socket.end(`HTTP/1.1 ${call.status} Rejected\r\n${lines}\r\n${call.body}`)
          return
        }
        upgraded += 1
        sockets.handleUpgrade(request, socket, head, (client) => {
          client.send(JSON.stringify({ accountId: call.principal.accountId, scope: call.scope }))
        })
      })()
    })
  })
  afterAll(async () => {
    for (const client of sockets.clients) client.terminate()
    await host.close()
  })

  const address = (path: string) => (host.audience + path).replace('http:', 'ws:')

  async function open(path: string, token?: string) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const client = new WebSocket(address(path), { headers })
    const [message] = (await once(client, 'message')) as [Buffer]
    client.close()
    return JSON.parse(message.toString()) as unknown
  }

  async function rejectionOf(path: string, token?: string) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const client = new WebSocket(address(path), { headers })
    client.on('error', () => {})
    const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(body) as unknown }
  }

  it('an upgrade with a direct or delegated token succeeds, and an upgrade without the scope answers 403', async () => {
    const key = await host.createApiKey(['invoices'])
    const direct = await host.requestDirectToken(key)
    expect(await open('/invoices/list', String(direct.body['access_token']))).toEqual({
      accountId: 'acme',
      scope: 'invoices:read',
    })
    const delegated = await connect(host, await host.createApplication(), {
      parameters: { scope: 'invoices:read' },
    })
    expect(await open('/invoices/list', delegated.access_token)).toEqual({
      accountId: 'alice',
      scope: 'invoices:read',
    })

    const before = upgraded
    expect(await rejectionOf('/payments/list', delegated.access_token)).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': expect.stringContaining('insufficient_scope') },
      body: { error: 'insufficient_scope' },
    })
    expect(upgraded).toBe(before)
  })

  it('an upgrade without a valid token answers 401, and an upgrade at an unknown operation answers 404', async () => {
    const before = upgraded
    expect(await rejectionOf('/invoices/list')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('Bearer realm=') },
    })
    expect(await rejectionOf('/invoices/list', 'no.such.token')).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
    expect(await rejectionOf('/unknown')).toMatchObject({ status: 404 })
    expect(upgraded).toBe(before)
    const socket = connectSocket(host.port, 'localhost')
    socket.write(
      'GET /api/invoices/list HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1\.1 401 .*\r\n(?:[\w-]+: .*\r\n)+\r\n\{"error_description":"[^"]+.*\}$/)
  })
})
