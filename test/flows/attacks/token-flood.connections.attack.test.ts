import { connect as connectSocket, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Host } from '../../support/host.ts'
import { directly, from, MAX, SHARE, startLimited } from './limited-host.ts'

it('floods with right and with wrong secrets: an owner elsewhere gets every token, and API calls are answered', async () => {
  const { host } = await startLimited()
  const [owner, other] = [await host.createApiKey(), await host.createApiKey()]
  const { body } = await directly(host, owner, from('192.0.2.1'))
  const headers = { authorization: `Bearer ${String(body.access_token)}` }
  const statuses = { right: new Set<number>(), wrong: new Set<number>() }
  let isOver = false
  const flood = async (kind: 'right' | 'wrong', key: Record<string, string>, address: string) => {
    while (!isOver) statuses[kind].add((await directly(host, key, from(address))).status)
  }
  const wrong = { ...owner, client_secret: 'x'.repeat(43) }
  const floods = Array.from({ length: 2 * SHARE }, () => [
    flood('right', other, '198.51.100.1'),
    flood('wrong', wrong, '198.51.100.2'),
  ])
  // The floods go on until both were limited.
  for (let count = 0; count < 10 || !statuses.right.has(503) || !statuses.wrong.has(429); count += 1) {
    expect((await directly(host, owner, from('192.0.2.1'))).status).toBe(200)
    expect((await fetch(`${host.audience}/invoices/1`, { headers })).status).toBe(200)
  }
  isOver = true
  await Promise.all(floods.flat())
  expect(statuses.right).toEqual(new Set([200, 503]))
  // A wrong secret may be rejected before the next request arrives, so that none is beyond the limit.
  expect(new Set([...statuses.wrong, 503])).toEqual(new Set([401, 429, 503]))
})

describe('requests beyond the limit', () => {
  const LOOPBACK = '127.0.0.1'

  /** Sends a request line, headers and a part of the form, and keeps the connection open. */
  async function send(host: Host, length: number, form: string, headers: readonly string[] = []) {
    const { port } = new URL(host.issuer)
    const socket = connectSocket({ port: Number(port), host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    socket.setEncoding('latin1')
    let received = ''
    socket.on('data', (chunk: string) => (received += chunk))
    const path = `${new URL(host.issuer).pathname}/oauth2/token`
    const lines = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/x-www-form-urlencoded']
    const request = [...lines, `Content-Length: ${length}`, ...headers, '', form].join('\r\n')
    socket.write(request)
    return { socket, request, status: () => vi.waitFor(() => statusOf(received), { timeout: 20_000 }) }
  }

  function statusOf(received: string): string {
    const status = /^HTTP\/1\.1 (\d+)/.exec(received)?.[1]
    if (status === undefined) throw new Error('no response yet')
    return status
  }

  it('are rejected before their form is read, and a form that arrives slowly takes no place', async () => {
    const { host, hold, waitFor } = await startLimited()
    const keys = await Promise.all(Array.from({ length: SHARE }, () => host.createApiKey()))
    for (let count = 0; count <= MAX; count += 1) await send(host, 1000, 'grant_type=')
    const release = hold()
    const pending = keys.map((key) => directly(host, key, from('127.0.0.1')))
    await waitFor(SHARE)
    const { status } = await send(host, 1000, 'grant_type=', ['X-Forwarded-For: 127.0.0.1'])
    expect(await status()).toBe('503')
    release()
    await Promise.all(pending)
  })

  it.each([
    ['of a client that is connected directly is not read for a while', LOOPBACK, [], true],
    ['of a proxy is read', '::ffff:10.1.2.3', ['X-Forwarded-For: 192.0.2.1'], false],
    ['of a proxy that names no client is read', 'fd00::1', ['X-Forwarded-Proto: https'], false],
    ['of a proxy with a header of nginx is read', LOOPBACK, ['X-Real-IP: 192.0.2.1'], false],
    ['of a stranger with the header of a proxy is not read for a while', '203.0.113.1', ['Via: 1.1 x'], true],
  ])('the connection %s', async (_, remoteAddress, headers, isPaused) => {
    const sockets: Socket[] = []
    const paused: Socket[] = []
    const { host, hold, waitFor } = await startLimited({ above: [] })
    host.server.on('connection', (socket: Socket) => {
      sockets.push(socket)
      socket.on('pause', () => paused.push(socket))
      Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
    })
    const keys = await Promise.all(Array.from({ length: SHARE }, () => host.createApiKey()))
    const release = hold()
    const pending = keys.map((key) => directly(host, key, {}))
    await waitFor(SHARE)
    const { socket, request, status } = await send(host, 1, 'x', headers)
    expect(await status()).toBe('503')
    const own = sockets.find(({ remotePort }) => remotePort === socket.localPort)
    if (isPaused) await vi.waitFor(() => expect(paused).toContain(own), { timeout: 20_000 })
    const answer = new Promise<string>((resolve) => socket.once('data', resolve))
    socket.write(request)
    expect(await answer).toContain(`Retry-After: ${isPaused ? 4 : 2}`)
    expect(paused.includes(own!)).toBe(isPaused)
    release()
    await Promise.all(pending)
  })
})
