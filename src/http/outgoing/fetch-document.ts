import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { withTimeout } from '../../async/with-timeout.ts'
import type { ConnectionTarget, OutgoingConnections } from './connections.ts'
import { OutgoingProblem, rejected, unavailable } from './outgoing-problem.ts'
import { isPublicAddress } from './public-address.ts'
import { cacheLifetime, readJson } from './read-json.ts'

export interface FetchedJson {
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds for which the document may be stored; 0: not at all; undefined if the host does not say. */
  readonly maxAgeSeconds: number | undefined
}

const MAX_HEADER_BYTES = 16_384

/** Interim responses (1xx, RFC 9110 15.2) before the response. */
const MAX_INTERIM_RESPONSES = 10

/**
 * Fetches a JSON document from a public address. The host name is resolved once, and the connection goes to an
 * address of this answer: a second answer of a DNS server cannot lead elsewhere. The request has no cookies and no
 * credentials; redirects are not followed. `timeoutMs` is for everything, from the DNS query to the last byte.
 */
export async function fetchDocument(
  url: URL,
  options: {
    readonly maxBytes: number
    readonly timeoutMs: number
    readonly connections: OutgoingConnections
  },
): Promise<FetchedJson> {
  const { maxBytes, timeoutMs, connections } = options
  const ended = new AbortController()
  const { signal } = ended
  const text = `the host cannot be reached, or did not answer within ${timeoutMs / 1000} seconds`
  const late = { error: () => unavailable(text) }
  let socket: TLSSocket | undefined
  let isConnected = false

  async function exchange(): Promise<FetchedJson> {
    const target = await findTarget(url, connections)
    // One text and one time for all such names: strangers must not learn which names the DNS of this network has.
    if (!target) return new Promise<never>(() => {})
    // A name that was resolved after the timeout leads to no connection.
    signal.throwIfAborted()
    socket = connections.connect(target)
    // Errors are also reported elsewhere. Without a listener, a late error would stop the process.
    socket.on('error', () => {})
    // Nothing is sent before the certificate is checked.
    await once(socket, 'secureConnect', { signal })
    isConnected = true
    const response = await sendGet(socket, url)
    response.on('error', () => {})
    return { body: await readJson(response, maxBytes), maxAgeSeconds: cacheLifetime(response.headers) }
  }

  try {
    return await withTimeout(timeoutMs, exchange, late)
  } catch (error) {
    throw toProblem(error, isConnected)
  } finally {
    ended.abort()
    socket?.destroy()
  }
}

/** Undefined without an address, or if one is not public, because the host name may lead to it next time. */
async function findTarget(url: URL, { resolve }: OutgoingConnections): Promise<ConnectionTarget | undefined> {
  const addresses = await resolve(url.hostname).catch(() => [])
  const [first] = addresses
  if (!first || !addresses.every(({ address }) => isPublicAddress(address))) return undefined
  const port = url.port === '' ? 443 : Number(url.port)
  return { address: first.address, family: first.family, port, servername: url.hostname }
}

function sendGet(connection: TLSSocket, url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    get(url, {
      // With `createConnection`, Node resolves no name, and uses no agent, and so neither keep-alive nor a proxy.
      createConnection: () => connection,
      headers: {
        Host: url.host,
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': 'koa-gatehouse',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
      .on('information', () => {
        interim += 1
        if (interim > MAX_INTERIM_RESPONSES) reject(rejected('the host sends too many interim responses'))
      })
      .on('upgrade', () => reject(rejected('the host answered with status 101 instead of 200')))
      .on('response', resolve)
      // After the response has arrived, the promise is resolved, and this only ignores late errors.
      .on('error', reject)
  })
}

function toProblem(error: unknown, isConnected: boolean): OutgoingProblem {
  if (error instanceof OutgoingProblem) return error
  if (!isConnected) return unavailable('no TLS connection to the host can be made', error)
  const { code } = Object(error) as { code?: unknown }
  if (code === 'HPE_HEADER_OVERFLOW') return rejected('the headers of the response are too large', error)
  // `HPE_INVALID_EOF_STATE`: the connection ended within the headers.
  const isMalformed = String(code).startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE'
  if (isMalformed) return rejected('the response is not valid HTTP', error)
  return unavailable('the connection ended before the response', error)
}
