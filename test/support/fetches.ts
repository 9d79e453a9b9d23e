import { request as requestOverTls } from 'node:https'
import { connect, constants, type ClientHttp2Session } from 'node:http2'

/** A `fetch` that does not follow redirects. */
type Fetch = typeof globalThis.fetch

/** Makes requests over TLS to a server with a self-signed certificate, each on a new connection. */
export function fetchTrusting(certificate: string): Fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const outgoing = new Request(input, init)
      const request = requestOverTls(
        outgoing.url,
        {
          method: outgoing.method,
          headers: Object.fromEntries(outgoing.headers),
          ca: certificate,
          agent: false,
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve(asResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks))),
          )
        },
      )
      request.once('error', reject)
      outgoing.arrayBuffer().then((body) => request.end(Buffer.from(body)), reject)
    })
}

/** Makes requests over HTTP/2, on one connection for each origin. `close` closes all connections. */
export function createHttp2Fetch(options: { ca?: string } = {}): { fetch: Fetch; close(): void } {
  const sessions = new Map<string, ClientHttp2Session>()

  async function fetch(...[input, init]: Parameters<Fetch>): Promise<Response> {
    const outgoing = new Request(input, init)
    const { origin, pathname, search } = new URL(outgoing.url)
    const session = sessions.get(origin) ?? connect(origin, options)
    if (!sessions.has(origin)) session.once('error', () => sessions.delete(origin))
    sessions.set(origin, session)
    const body = Buffer.from(await outgoing.arrayBuffer())
    const fields = {
      ...Object.fromEntries(outgoing.headers),
      [constants.HTTP2_HEADER_METHOD]: outgoing.method,
      [constants.HTTP2_HEADER_PATH]: pathname + search,
    }
    const stream = session.request(fields, { endStream: body.length === 0 })
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let status = 0
      let headers: Record<string, unknown> = {}
      stream.once('response', ({ ':status': code, ...fields }) => {
        status = code ?? 0
        headers = fields
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('error', reject)
      stream.once('end', () => resolve(asResponse(status, headers, Buffer.concat(chunks))))
      if (body.length > 0) stream.end(body)
    })
  }

  return {
    fetch,
    close() {
      for (const session of sessions.values()) session.destroy()
    },
  }
}

function asResponse(status: number, fields: Readonly<Record<string, unknown>>, body: Buffer): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) headers.append(name, String(one))
  }
  const isEmpty = [204, 205, 304].includes(status)
  return new Response(isEmpty ? null : body, { status, headers })
}
