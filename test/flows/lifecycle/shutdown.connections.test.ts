import { once } from 'node:events'
import {
  connect,
  createSecureServer,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectSocket, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { selfSignedCertificate } from '../../support/certificate.ts'
import { startHost, type Host } from '../../support/host.ts'
import { findProgram } from '../../support/required-programs.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** Starts a host. Its route `/own` answers when the test calls `answer()`. */
async function open() {
  const lines: string[] = []
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const host: Host = await startHost({
    gatehouse: { logger: { debug() {}, info() {}, error() {}, warn: (_, line) => void lines.push(line) } },
    above: [
      async (ctx, next) => {
        if (ctx.path === '/own') {
          await answered
          ctx.body = 'own'
        } else await next()
      },
    ],
  })
  cleanups.push(host.close)
  await host.gatehouse.ready()
  return { host, lines, answer }
}

async function send(session: ClientHttp2Session, path: string) {
  const stream = session.request({ ':path': path })
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return { status: headers[':status'], body: await text(stream) }
}

/** Moves the clock beyond the 20 seconds that pending answers may take. */
async function passLastAnswers() {
  await delay(200)
  const later = performance.now() + 20_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
}

const isMissing = findProgram('openssl') === undefined

describe.each([['without TLS', false] as const, ...(isMissing ? [] : [['with TLS', true] as const])])(
  'shutdown() of an HTTP/2 server %s',
  (_, isSecure) => {
    async function listen(host: Host) {
      const certificate = isSecure ? await selfSignedCertificate() : undefined
      const server = certificate
        ? createSecureServer({ ...certificate, allowHTTP1: true }, host.app.callback())
        : createServer(host.app.callback())
      server.listen(0)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const origin = `${isSecure ? 'https' : 'http'}://localhost:${port}`
      const openSession = async () => {
        const session = connect(origin, { ca: certificate?.cert })
        cleanups.push(() => session.destroy())
        await once(session, 'connect')
        return session
      }
      return { server, openSession }
    }

    it('a connection gets all its answers, accepts no further request after one in the grace, and ends', async () => {
      const { host, lines, answer } = await open()
      const { server, openSession } = await listen(host)
      const session = await openSession()
      const pending = send(session, '/own')
      await once(server, 'request')
      const ended = host.gatehouse.shutdown(server, { graceMs: 200 })
      const during = send(session, '/api/invoices/list')
      expect((await during).status).toBe(401)
      expect(session.closed).toBe(true)
      const other = await openSession()
      expect((await send(other, '/api/invoices/list')).status).toBe(401)
      await delay(300)
      answer()
      expect(await pending).toEqual({ status: 200, body: 'own' })
      await ended
      expect([server.listening, lines]).toEqual([false, []])
      await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    })

    it('a connection without a request in the grace is closed 20 seconds after the grace', async () => {
      const { host, lines } = await open()
      const { server, openSession } = await listen(host)
      const session = await openSession()
      await send(session, '/api/invoices/list')
      const closed = once(session, 'close')
      const stopped = once(server, 'close')
      const ended = host.gatehouse.shutdown(server, { graceMs: 0 })
      await passLastAnswers()
      await Promise.all([ended, closed, stopped])
      expect(lines).toContainEqual(expect.stringContaining('still open 20000 ms after the grace'))
    })
  },
)

it('a WebSocket that no onGraceEnd closes is closed 20 seconds after the grace', async () => {
  const { host, lines } = await open()
  host.server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n')
  })
  const client = connectSocket(host.port)
  client.write('GET /own HTTP/1.1\r\nHost: localhost\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n')
  await once(client, 'data')
  client.on('error', () => {})
  const closed = once(client, 'close')
  const stopped = once(host.server, 'close')
  const ended = host.gatehouse.shutdown(host.server, { graceMs: 0 })
  await passLastAnswers()
  await Promise.all([ended, closed, stopped])
  expect(lines).toContainEqual(expect.stringContaining('still open 20000 ms after the grace'))
})
