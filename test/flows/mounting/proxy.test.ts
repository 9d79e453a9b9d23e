import { once } from 'node:events'
import { createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Logger } from 'koa-gatehouse'
import { selfSignedCertificate } from '../../support/certificate.ts'
import { createHttp2Fetch, fetchTrusting } from '../../support/fetches.ts'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { findProgram } from '../../support/required-programs.ts'
import { journey } from './journey.ts'

const hasOpenssl = findProgram('openssl') !== undefined

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Makes a logger that keeps the texts of warnings and errors in `lines`. */
function recordingLogger() {
  const lines: string[] = []
  const keep = (_details: object, text?: string) => void lines.push(text ?? '')
  const logger: Logger = { debug() {}, info() {}, warn: keep, error: keep }
  return { logger, lines }
}

describe.skipIf(!hasOpenssl)('a host over TLS', () => {
  let certificate: { key: string; cert: string }
  beforeAll(async () => {
    certificate = await selfSignedCertificate()
  })

  /**
   * Starts a host behind a proxy that terminates TLS and sends X-Forwarded-* headers.
   *
   * @param isTrusted the value of `app.proxy`
   */
  async function startBehindProxy(isTrusted: boolean) {
    let port = 0
    const proxy = createTlsServer(certificate, (request, response) => passOn(request, response, port))
    const origin = `https://localhost:${await listen(proxy)}`
    const { logger, lines } = recordingLogger()
    const setCookies: string[] = []
    const host = await startHost({
      origin,
      fetch: fetchTrusting(certificate.cert),
      gatehouse: { logger },
      above: [
        async (ctx, next) => {
          await next()
          const cookies: string | string[] = ctx.response.get('set-cookie')
          setCookies.push(...[cookies].flat().filter(Boolean))
        },
      ],
    })
    ;({ port } = host)
    host.app.proxy = isTrusted
    cleanups.push(() => host.close())
    return { host, lines, setCookies }
  }

  it.each([
    { isTrusted: true, logged: [] },
    { isTrusted: false, logged: [expect.stringContaining('app.proxy = true')] },
  ])(
    'behind a proxy with app.proxy = $isTrusted, all endpoints and the API work',
    async ({ isTrusted, logged }) => {
      const { host, lines, setCookies } = await startBehindProxy(isTrusted)
      await journey(host)
      expect(host.errors).toEqual([])
      expect(setCookies.length).toBeGreaterThan(5)
      expect(setCookies.filter((line) => !/; secure(;|$)/i.test(line))).toEqual([])
      expect(setCookies.filter((line) => !/; httponly(;|$)/i.test(line))).toEqual([])
      // The warning is logged once, however many requests there are.
      expect(lines).toEqual(logged)
    },
  )

  it('a forged X-Forwarded-Host or X-Forwarded-Proto changes no redirect and no cookie', async () => {
    const { host } = await startBehindProxy(true)
    const { client_id } = await host.createApplication()
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', accept: 'text/html' }
    const response = await fetch(
      authorizationUrl(host, client_id).href.replace(host.origin, `http://localhost:${host.port}`),
      { headers, redirect: 'manual' },
    )
    expect(response.status).toBe(303)
    expect(new URL(response.headers.get('location') ?? '', host.issuer).origin).toBe(host.origin)
    expect(response.headers.getSetCookie().length).toBeGreaterThan(0)
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toMatch(/; secure/i)
  })

  it('all endpoints and the API work over HTTP/2 with TLS in the app itself', async () => {
    const server = createSecureServer({ ...certificate, allowHTTP1: true })
    const { host, lines } = await startOverHttp2(server, 'https:', { ca: certificate.cert })
    await journey(host)
    expect(host.errors).toEqual([])
    expect(lines).toEqual([])
  })
})

it('all endpoints and the API work over HTTP/2 without TLS', async () => {
  const { host } = await startOverHttp2(createHttp2Server(), 'http:')
  await journey(host)
  expect(host.errors).toEqual([])
})

/** Starts a host whose requests all go over HTTP/2. */
async function startOverHttp2(
  server: ReturnType<typeof createHttp2Server> | ReturnType<typeof createSecureServer>,
  protocol: string,
  options: { ca?: string } = {},
) {
  const origin = `${protocol}//localhost:${await listen(server)}`
  const { fetch, close } = createHttp2Fetch(options)
  const { logger, lines } = recordingLogger()
  const versions = new Set<number>()
  const host: Host = await startHost({
    origin,
    fetch,
    gatehouse: { logger },
    above: [
      (ctx, next) => {
        versions.add(ctx.req.httpVersionMajor)
        return next()
      },
    ],
  })
  server.on('request', host.app.callback())
  cleanups.push(
    close,
    () => host.close(),
    () => expect([...versions]).toEqual([2]),
  )
  return { host, lines }
}

/**
 * Passes a request on as a proxy does. The new request uses plain HTTP and has X-Forwarded-* headers that
 * describe the original request.
 */
function passOn(request: IncomingMessage, response: ServerResponse, port: number): void {
  const headers = {
    ...request.headers,
    host: `localhost:${port}`,
    'x-forwarded-host': request.headers.host,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': request.socket.remoteAddress,
  }
  const target = { host: 'localhost', port, method: request.method, path: request.url, headers }
  const outgoing = forward(target, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
  })
  outgoing.once('error', () => response.writeHead(502).end())
  request.pipe(outgoing)
}
