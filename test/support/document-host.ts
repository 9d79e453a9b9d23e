import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:tls'
import type {
  ConnectionTarget,
  OutgoingConnections,
  ResolvedAddress,
} from '../../src/http/outgoing/connections.ts'
import { certificateFor, testAuthority, type KeyAndCertificate } from './test-certificates.ts'

/** The address that all names of a document host have in DNS. The tests never connect to it. */
export const PUBLIC_ADDRESS = '93.184.216.34'

/** Answers a request. A function may write anything to `response.socket`; an object is sent as JSON. */
export type Document = object | ((request: IncomingMessage, response: ServerResponse) => void)

/** A request that arrived, after the TLS handshake. */
export interface ArrivedRequest {
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** A server on 127.0.0.1 that is reached as if it were hosts on the internet. */
export interface DocumentHost {
  readonly port: number
  /** Resolves each name to `PUBLIC_ADDRESS`, or to what `addresses` says, and connects to this server. */
  readonly connections: OutgoingConnections
  /** The answers of DNS, by name. A function is called for each query. */
  readonly addresses: Map<string, readonly string[] | (() => readonly string[] | Promise<readonly string[]>)>
  /** The names that were resolved, in order. */
  readonly resolved: string[]
  /** The targets to which connections were made, in order. */
  readonly connected: ConnectionTarget[]
  /** The requests that arrived, in order. */
  readonly requests: ArrivedRequest[]
  /** Number of connections that are open now. */
  readonly open: number
  /** Serves a document at a URL; every other URL has the status 404. */
  serve(url: string, document: Document): void
  /** Forgets what `resolved`, `connected` and `requests` have. */
  forget(): void
  close(): Promise<void>
}

/**
 * Starts a server for documents of strangers.
 *
 * @param names the names that its certificate is valid for
 * @param certificate another certificate than a valid one for `names`
 */
export async function startDocumentHost(
  names: readonly string[],
  certificate?: KeyAndCertificate,
): Promise<DocumentHost> {
  const [authority, own] = [await testAuthority(), certificate ?? (await certificateFor(names))]
  const documents = new Map<string, Document>()
  const addresses: DocumentHost['addresses'] = new Map()
  const resolved: string[] = []
  const connected: ConnectionTarget[] = []
  const requests: ArrivedRequest[] = []
  const sockets = new Set<Socket>()

  const server = createServer({ ...own, ALPNProtocols: ['http/1.1'] }, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`
    requests.push({ url, method: request.method ?? '', headers: request.headers })
    const document = documents.get(url)
    if (typeof document === 'function') {
      document(request, response)
    } else {
      response.writeHead(document ? 200 : 404, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(document ?? { error: 'not found' }))
    }
  })
  // A client that rejects the certificate, or destroys the connection, is no error of the test.
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', (socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    port,
    addresses,
    resolved,
    connected,
    requests,
    connections: {
      async resolve(hostname) {
        resolved.push(hostname)
        const answer = addresses.get(hostname) ?? [PUBLIC_ADDRESS]
        const found = typeof answer === 'function' ? await answer() : answer
        return found.map((address): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
      },
      connect(target) {
        connected.push(target)
        const { servername } = target
        return connect({
          host: '127.0.0.1',
          port,
          servername,
          ca: authority.cert,
          ALPNProtocols: ['http/1.1'],
        })
      },
    },
    get open() {
      return sockets.size
    },
    serve(url, document) {
      documents.set(url, document)
    },
    forget() {
      for (const list of [resolved, connected, requests]) list.length = 0
      addresses.clear()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
