import { createSecureServer } from 'node:http2'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchDocument } from '../../../src/http/outgoing/fetch-document.ts'
import {
  PUBLIC_ADDRESS,
  startDocumentHost,
  type Document,
  type DocumentHost,
} from '../../support/document-host.ts'
import { certificateFor, testAuthority } from '../../support/test-certificates.ts'
import { until } from '../../support/until.ts'

const URL_OF_DOCUMENT = 'https://app.example.com/client.json'
const JSON_TYPE = { 'Content-Type': 'application/json' }

let host: DocumentHost
const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => unhandled.push(error)

beforeAll(async () => {
  host = await startDocumentHost(['app.example.com'])
  process.on('unhandledRejection', onUnhandled)
})
beforeEach(() => host.forget())
afterEach(async () => {
  // Every connection is closed soon after the result, and nothing is reported later.
  await until(() => expect(host.open).toBe(0))
  expect(unhandled).toEqual([])
})
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled)
  await host.close()
})

const get = (options: { url?: string; maxBytes?: number; timeoutMs?: number; from?: DocumentHost } = {}) => {
  const { url = URL_OF_DOCUMENT, maxBytes = 5_000, timeoutMs = 10_000, from = host } = options
  return fetchDocument(new URL(url), { maxBytes, timeoutMs, connections: from.connections })
}

const serve = (document: Document) => host.serve(URL_OF_DOCUMENT, document)

/** Serves bytes that Node's server would not write. */
const serveRaw = (text: string) => serve((_request, response) => void response.socket?.end(text))

const problem = (kind: 'unavailable' | 'rejected', problem: string) =>
  expect.objectContaining({ name: 'OutgoingProblem', kind, message: problem })

describe('a document', () => {
  it('a document is fetched with one GET request that names nothing but the library', async () => {
    serve({ client_id: URL_OF_DOCUMENT })
    expect(await get()).toEqual({ body: { client_id: URL_OF_DOCUMENT }, maxAgeSeconds: undefined })
    expect(host.resolved).toEqual(['app.example.com'])
    expect(host.connected).toEqual([
      { address: PUBLIC_ADDRESS, family: 4, port: 443, servername: 'app.example.com' },
    ])
    expect(host.requests).toEqual([
      {
        url: URL_OF_DOCUMENT,
        method: 'GET',
        headers: {
          host: 'app.example.com',
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'koa-gatehouse',
          connection: 'close',
        },
      },
    ])
  })

  it('port, query and escaped characters of the URL are sent as they are', async () => {
    const url = 'https://app.example.com:8443/a%20b/c?d=e%2Ff'
    host.serve(url, { ok: true })
    expect((await get({ url })).body).toEqual({ ok: true })
    expect(host.connected[0]).toMatchObject({ port: 8443, servername: 'app.example.com' })
    expect(host.requests[0]?.headers.host).toBe('app.example.com:8443')
  })

  it('the content type JSON is accepted in all its forms', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/jrd+json',
      'application/vnd.a.b+json ;x',
    ]) {
      serve((_request, response) => void response.writeHead(200, { 'Content-Type': type }).end('{"a":1}'))
      expect((await get()).body).toEqual({ a: 1 })
    }
  })

  it('the lifetime comes from Cache-Control and Age', async () => {
    const headers = { ...JSON_TYPE, 'Cache-Control': 'max-age=600', Age: '60' }
    serve((_request, response) => void response.writeHead(200, headers).end('{}'))
    expect(await get()).toEqual({ body: {}, maxAgeSeconds: 540 })
  })

  it('a chunked body, a body until the end of the connection and a body of the maximum size are accepted', async () => {
    const text = JSON.stringify({ a: 'ü'.repeat(100) })
    const maxBytes = Buffer.byteLength(text)
    for (const document of [
      (_: unknown, response: ServerResponse) => {
        response.writeHead(200, JSON_TYPE)
        for (const byte of Buffer.from(text)) response.write(Buffer.of(byte))
        response.end()
      },
      (_: unknown, response: ServerResponse) =>
        void response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${text}`),
      (_: unknown, response: ServerResponse) => void response.writeHead(200, JSON_TYPE).end(text),
    ]) {
      serve(document)
      expect((await get({ maxBytes })).body).toEqual(JSON.parse(text))
    }
  })

  it('interim responses before the response are ignored', async () => {
    serve((_request, response) => {
      response.writeContinue()
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      response.writeHead(200, JSON_TYPE).end('{"a":1}')
    })
    expect((await get()).body).toEqual({ a: 1 })
  })
})

describe('a response that is not acceptable', () => {
  it('a response with another status than 200 is rejected or unavailable, and no redirect is followed', async () => {
    host.serve('https://app.example.com/other.json', { a: 1 })
    const headers = { ...JSON_TYPE, Location: 'https://app.example.com/other.json' }
    const statuses = { rejected: [204, 206, 301, 302, 307, 400, 404], unavailable: [408, 425, 429, 500, 503] }
    for (const kind of ['rejected', 'unavailable'] as const) {
      for (const status of statuses[kind]) {
        serve(
          (_, response) => void response.writeHead(status, headers).end(status === 204 ? undefined : '{}'),
        )
        const text = `the host answered with status ${status} instead of 200`
        await expect(get()).rejects.toEqual(problem(kind, text))
      }
    }
    expect(host.requests.map(({ url }) => url)).toEqual(Array(12).fill(URL_OF_DOCUMENT))
    expect(host.connected).toHaveLength(12)
  })

  it('a switch of protocols and many interim responses are rejected', async () => {
    serveRaw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n')
    await expect(get()).rejects.toEqual(
      problem('rejected', 'the host answered with status 101 instead of 200'),
    )
    serveRaw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000))
    await expect(get()).rejects.toEqual(problem('rejected', 'the host sends too many interim responses'))
  })

  it('every other content type is rejected', async () => {
    const others = [
      '',
      'text/html',
      'text/json',
      'application/jsonp',
      'application/+json',
      'x application/json',
    ]
    for (const type of [undefined, ...others]) {
      const headers = type === undefined ? {} : { 'Content-Type': type }
      serve((_request, response) => void response.writeHead(200, headers).end('{}'))
      await expect(get()).rejects.toEqual(problem('rejected', 'the content type of the response is not JSON'))
    }
  })

  it('a compressed body is rejected, and not decompressed', async () => {
    const body = gzipSync(`{"a":"${'a'.repeat(1_000_000)}"}`)
    for (const encoding of [
      { 'Content-Encoding': 'gzip', 'Content-Length': body.length },
      { 'Content-Encoding': 'identity, gzip', 'Content-Length': body.length },
      { 'Content-Encoding': 'br', 'Content-Length': body.length },
      { 'Transfer-Encoding': 'gzip, chunked' },
    ]) {
      serve((_request, response) => void response.writeHead(200, { ...JSON_TYPE, ...encoding }).end(body))
      await expect(get()).rejects.toEqual(problem('rejected', 'the response is compressed'))
    }
  })

  it('a body that is no JSON object in UTF-8 is rejected', async () => {
    const invalid = ['', '{', '{} {}', '<html>', '['.repeat(4_999)]
    const notUtf8 = [
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.from('{"a":1}', 'utf16le'),
      // An overlong encoding of a quotation mark.
      Buffer.from([0x7b, 0x22, 0xc0, 0xa2, 0x22, 0x3a, 0x31, 0x7d]),
    ]
    for (const [bodies, text] of [
      [['[]', 'null', '"text"', '1'], 'the response is not a JSON object'],
      [[...invalid, ...notUtf8], 'the response is not valid JSON in UTF-8'],
    ] as const) {
      for (const body of bodies) {
        serve((_request, response) => void response.writeHead(200, JSON_TYPE).end(body))
        await expect(get()).rejects.toEqual(problem('rejected', text))
      }
    }
  })

  it('headers that are too large, and a response that is no valid HTTP, are rejected', async () => {
    for (const headers of [`X-Padding: ${'a'.repeat(20_000)}\r\n`, 'X-Padding: a\r\n'.repeat(5_000)]) {
      serveRaw(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}\r\n{}`)
      await expect(get()).rejects.toEqual(problem('rejected', 'the headers of the response are too large'))
    }
    const lengths = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'
    for (const text of ['SSH-2.0-OpenSSH_9.2\r\n', lengths]) {
      serveRaw(text)
      await expect(get()).rejects.toEqual(problem('rejected', 'the response is not valid HTTP'))
    }
  })
})

describe('a body that is too large', () => {
  const tooLarge = problem('rejected', 'the response has more than 5000 bytes')

  it('a body of 5 MB is rejected by its Content-Length, before it is read', async () => {
    serve((_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'Content-Length': 5_000_000 }).write('{')
    })
    await expect(get()).rejects.toEqual(tooLarge)
  })

  it('a chunked body of 5 MB is cut as soon as it exceeds the maximum', async () => {
    let sent = 0
    const closed = new Promise<void>((resolve) => {
      serve((_request, response) => {
        response.writeHead(200, JSON_TYPE)
        response.on('close', resolve).on('error', () => {})
        const send = () => {
          if (response.destroyed || sent >= 5_000_000) return
          sent += 1_000
          response.write(Buffer.alloc(1_000, 0x20), () => setImmediate(send))
        }
        send()
      })
    })
    await expect(get()).rejects.toEqual(tooLarge)
    await closed
    expect(sent).toBeLessThan(1_000_000)
  })

  it('one byte more than the maximum is rejected', async () => {
    serve((_request, response) => {
      response.writeHead(200, JSON_TYPE)
      response.write('{}'.padEnd(5_000))
      response.end(' ')
    })
    await expect(get()).rejects.toEqual(tooLarge)
  })

  it('more bytes than Content-Length says are not read', async () => {
    serveRaw(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}${'x'.repeat(100_000)}`,
    )
    expect((await get()).body).toEqual({})
  })
})

describe('a host that fails or is slow', () => {
  const ended = problem('unavailable', 'the connection ended before the response')
  const late = problem('unavailable', 'the host cannot be reached, or did not answer within 0.3 seconds')

  it('a connection that ends or is reset before the end of the response is unavailable', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
    for (const text of [
      '',
      'HTTP/1.1 200 OK\r\nContent-Ty',
      `${head}Content-Length: 9\r\n\r\n{}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`,
    ]) {
      serveRaw(text)
      await expect(get()).rejects.toEqual(ended)
    }
    serve((_request, response) => {
      response
        .writeHead(200, { ...JSON_TYPE, 'Content-Length': 100 })
        .write('{', () => response.socket?.destroy())
    })
    await expect(get()).rejects.toEqual(ended)
  })

  it('a host that never answers, or sends an answer slowly, is cut after the timeout, although bytes arrive all the time', async () => {
    const ways = ['nothing', 'the body', 'the headers', 'interim responses'] as const
    const closed = new Set<string>()
    const sent = new Map<string, number>(ways.map((way) => [way, 0]))
    const urls = new Map(ways.map((way, at) => [way, `https://app.example.com/${at}`]))
    for (const [way, url] of urls) {
      host.serve(url, (_request, response) => {
        const socket = response.socket
        if (way === 'the body') response.writeHead(200, JSON_TYPE).write('{')
        if (way === 'the headers') socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ')
        const timer = setInterval(() => {
          if (way === 'nothing') return
          const count = (sent.get(way) ?? 0) + 1
          sent.set(way, count)
          if (way === 'the body') response.write(' ')
          else if (way === 'the headers') socket?.write('a')
          else if (count % 10 === 0) socket?.write('HTTP/1.1 103 A\r\n\r\n')
        }, 10)
        response.on('close', () => {
          clearInterval(timer)
          closed.add(way)
        })
      })
    }
    const rejections = [...urls].map(([way, url]) =>
      expect(get({ url, timeoutMs: 300 }), way).rejects.toEqual(late),
    )
    await Promise.all(rejections)
    await until(() => expect(closed).toEqual(new Set(ways)))
    expect(host.requests).toHaveLength(ways.length)
    expect([...sent].map(([way, count]) => [way, count > 0])).toEqual(
      ways.map((way) => [way, way !== 'nothing']),
    )
  })

  it('a resolver that never answers is cut after the timeout, and a late answer leads to no connection', async () => {
    let answer = (_addresses: string[]): void => {}
    host.addresses.set('app.example.com', () => new Promise((resolve) => (answer = resolve)))
    await expect(get({ timeoutMs: 50 })).rejects.toEqual(
      problem('unavailable', 'the host cannot be reached, or did not answer within 0.05 seconds'),
    )
    answer([PUBLIC_ADDRESS])
    await new Promise(setImmediate)
    expect(host.resolved).toHaveLength(1)
    expect(host.connected).toEqual([])
  })

  it('a host that accepts the connection and never begins TLS is cut after the timeout', async () => {
    const server = createServer((socket) => socket.resume().on('error', () => {}))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const connections = {
      ...host.connections,
      connect: () => connect({ host: '127.0.0.1', port, servername: 'app.example.com' }),
    }
    const fetched = fetchDocument(new URL(URL_OF_DOCUMENT), { maxBytes: 100, timeoutMs: 300, connections })
    await expect(fetched).rejects.toEqual(late)
    server.close()
    // The server closes after its last connection.
    await once(server, 'close')
  })

  it('a refused connection is unavailable', async () => {
    const stopped = await startDocumentHost(['app.example.com'])
    await stopped.close()
    const noConnection = problem('unavailable', 'no TLS connection to the host can be made')
    await expect(get({ from: stopped })).rejects.toEqual(noConnection)
  })
})

describe('the certificate', () => {
  const noConnection = problem('unavailable', 'no TLS connection to the host can be made')

  it.each([
    ['for another name', () => certificateFor(['other.example.com'])],
    ['for a part of the name', () => certificateFor(['example.com'])],
    ['that has expired', () => certificateFor(['app.example.com'], 'expired')],
    ['that signs itself', () => certificateFor(['app.example.com'], 'self-signed')],
  ])('a certificate %s is not accepted, and no request is sent', async (_name, certificate) => {
    const other = await startDocumentHost(['app.example.com'], await certificate())
    other.serve(URL_OF_DOCUMENT, { a: 1 })
    try {
      await expect(get({ from: other })).rejects.toEqual(noConnection)
      expect(other.connected).toHaveLength(1)
      expect(other.requests).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('a server that has only HTTP/2 is unavailable, and gets no request', async () => {
    let streams = 0
    const server = createSecureServer(await certificateFor(['app.example.com']))
    server
      .on('stream', () => (streams += 1))
      .on('sessionError', () => {})
      .on('tlsClientError', () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { cert: ca } = await testAuthority()
    const connections = {
      ...host.connections,
      connect: () =>
        connect({ host: '127.0.0.1', port, servername: 'app.example.com', ca, ALPNProtocols: ['http/1.1'] }),
    }
    const fetched = fetchDocument(new URL(URL_OF_DOCUMENT), { maxBytes: 100, timeoutMs: 5_000, connections })
    await expect(fetched).rejects.toMatchObject({ name: 'OutgoingProblem' })
    expect(streams).toBe(0)
    server.close()
    await once(server, 'close')
  })
})

describe('the addresses of a host name', () => {
  const notReached = problem(
    'unavailable',
    'the host cannot be reached, or did not answer within 0.05 seconds',
  )

  beforeEach(() => serve({ a: 1 }))

  it('a name that is unknown, has no address, or leads into this network gets one answer after one time, and nothing is connected', async () => {
    const addresses =
      '127.0.0.1 10.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0 ::1 fe80::1%eth0 fd00:ec2::254 ::ffff:10.0.0.1 ::ffff:93.184.216.34 64:ff9b::a00:1 2002:a00:1::1 not-an-address'
    const inside = addresses
      .split(' ')
      .flatMap((address) => [[address], [PUBLIC_ADDRESS, address], [address, PUBLIC_ADDRESS]])
    const unknown = () => Promise.reject(new Error('queryA ENOTFOUND app.example.com'))
    const attempts = [unknown, [], ...inside].map(async (answer, at) => {
      const name = `host-${at}.example.com`
      host.addresses.set(name, answer)
      const startedAt = performance.now()
      await expect(get({ url: `https://${name}/`, timeoutMs: 50 }), String(answer)).rejects.toEqual(
        notReached,
      )
      expect(performance.now() - startedAt, String(answer)).toBeGreaterThan(45)
    })
    await Promise.all(attempts)
    expect(host.resolved).toHaveLength(attempts.length)
    expect(host.connected).toEqual([])
  })

  it('the connection goes to the first address of several public ones', async () => {
    const ipv6 = '2606:2800:220:1:248:1893:25c8:1946'
    host.addresses.set('app.example.com', [ipv6, PUBLIC_ADDRESS])
    expect((await get()).body).toEqual({ a: 1 })
    expect(host.connected).toEqual([{ address: ipv6, family: 6, port: 443, servername: 'app.example.com' }])
  })

  it('a name whose second answer is a private address is resolved once, and connected by the first answer', async () => {
    const answers = [[PUBLIC_ADDRESS], ['127.0.0.1']]
    host.addresses.set('app.example.com', () => answers.shift() ?? [])
    expect((await get()).body).toEqual({ a: 1 })
    expect(host.resolved).toEqual(['app.example.com'])
    expect(host.connected.map(({ address }) => address)).toEqual([PUBLIC_ADDRESS])
    // The next request resolves the name again, and does not reach it.
    await expect(get({ timeoutMs: 50 })).rejects.toEqual(notReached)
    expect(host.resolved).toHaveLength(2)
    expect(host.connected).toHaveLength(1)
  })
})
