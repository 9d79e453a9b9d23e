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

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A logger that keeps the lines that somebody should read. */
function collectingLogger() {
  const lines: string[] = []
  const keep = (_details: object, text?: string) => void lines.push(text ?? '')
  const logger: Logger = { debug() {}, info() {}, warn: keep, error: keep }
  return { logger, lines }
}

describe.skipIf(!hasOpenssl)('over TLS', () => {
  let certificate: { key: string; cert: string }
  beforeAll(async () => {
    certificate = await selfSignedCertificate()
  })

  /** A host behind a proxy that ends TLS, and says so with X-Forwarded-*. */
  async function startBehindProxy(isTrusted: boolean) {
    let port = 0
    const proxy = createTlsServer(certificate, (request, response) => passOn(request, response, port))
    const origin = `https://localhost:${await listen(proxy)}`
    const { logger, lines } = collectingLogger()
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
    ends.push(() => host.close())
    return { host, lines, setCookies }
  }

  it.each([
    { isTrusted: true, logged: [] },
    { isTrusted: false, logged: [expect.stringContaining('app.proxy = true')] },
  ])('a proxy in front, app.proxy = $isTrusted: everything works', async ({ isTrusted, logged }) => {
    const { host, lines, setCookies } = await startBehindProxy(isTrusted)
    await journey(host)
    await journey(host)
    expect(host.errors).toEqual([])
    expect(setCookies.length).toBeGreaterThan(5)
    expect(setCookies.filter((line) => !/; secure(;|$)/i.test(line))).toEqual([])
    expect(setCookies.filter((line) => !/; httponly(;|$)/i.test(line))).toEqual([])
    // Said once, however many requests there are.
    expect(lines).toEqual(logged)
  })

  it('a forged X-Forwarded-Host or -Proto leads nobody elsewhere', async () => {
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

  it('HTTP/2 with TLS in the app itself: everything works', async () => {
    const server = createSecureServer({ ...certificate, allowHTTP1: true })
    const { host, lines } = await startOverHttp2(server, 'https:', { ca: certificate.cert })
    await journey(host)
    expect(host.errors).toEqual([])
    expect(lines).toEqual([])
  })
})

describe('HTTP/2', () => {
  it('without TLS: everything works', async () => {
    const { host } = await startOverHttp2(createHttp2Server(), 'http:')
    await journey(host)
    expect(host.errors).toEqual([])
  })
})

/** A host that is reached by HTTP/2 alone. */
async function startOverHttp2(
  server: ReturnType<typeof createHttp2Server> | ReturnType<typeof createSecureServer>,
  protocol: string,
  options: { ca?: string } = {},
) {
  const origin = `${protocol}//localhost:${await listen(server)}`
  const { fetch, close } = createHttp2Fetch(options)
  const { logger, lines } = collectingLogger()
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
  ends.push(
    close,
    () => host.close(),
    () => expect([...versions]).toEqual([2]),
  )
  return { host, lines }
}

/** What a proxy does: the same request, over plain http, with what it knows about the original. */
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
