import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'

describe('gateway.watch()', () => {
  let host: Host
  const watches: string[] = []
  beforeEach(async () => {
    watches.length = 0
    host = await startHost({
      mount(app, gatehouse) {
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use((ctx) => {
          const stream = new PassThrough()
          const stop = gatehouse.gateway.watch(ctx.state['auth'], (reason) => {
            watches.push(reason)
            stream.end(`event: end\ndata: ${reason}\n\n`)
          })
          stream.on('close', () => {
            stop()
            watches.push('stopped')
          })
          stream.write('data: hello\n\n')
          ctx.type = 'text/event-stream'
          ctx.body = stream
        })
      },
    })
    await host.gatehouse.ready()
  })
  afterEach(() => host.close())

  async function newToken(): Promise<string> {
    const { body } = await host.requestDirectToken(await host.createApiKey(['invoices']))
    return String(body['access_token'])
  }

  const openStream = (token: string, signal?: AbortSignal) =>
    fetch(`${host.audience}/invoices/list`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    })

  it('revoking a token lets a handler end its server-sent events', async () => {
    const token = await newToken()
    const response = await openStream(token)
    expect(response.status).toBe(200)
    await host.gatehouse.tokens.revoke(token)
    expect(await response.text()).toBe('data: hello\n\nevent: end\ndata: revoked\n\n')
  })

  it('a handler stops its watch when the client disconnects, and is not notified of a later revocation', async () => {
    const [token, client] = [await newToken(), new AbortController()]
    await openStream(token, client.signal)
    client.abort()
    await vi.waitFor(() => expect(watches).toEqual(['stopped']))
    await host.gatehouse.tokens.revoke(token)
    await host.gatehouse.close()
    expect(watches).toEqual(['stopped'])
  })

  it('revoking a token lets a host close the WebSockets that were opened with it', async () => {
    const webSocketServer = new WebSocketServer({ noServer: true })
    host.server.on('upgrade', (request, socket, head) => {
      void (async () => {
        const outcome = await host.gatehouse.gateway.authenticate(request)
        if (!outcome.ok) return socket.destroy()
        return webSocketServer.handleUpgrade(request, socket, head, (webSocket) => {
          const stop = host.gatehouse.gateway.watch(outcome.principal, (reason) =>
            webSocket.close(1008, reason),
          )
          webSocket.on('close', stop)
        })
      })()
    })
    const token = await newToken()
    const address = `${host.audience}/invoices/list`.replace('http:', 'ws:')
    const client = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } })
    await once(client, 'open')
    const closed = once(client, 'close') as Promise<[number, Buffer]>
    await host.gatehouse.tokens.revoke(token)
    const [code, reason] = await closed
    expect([code, reason.toString()]).toEqual([1008, 'revoked'])
  })
})
