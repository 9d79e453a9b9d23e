import { once } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { withTimeout } from '../../async/with-timeout.ts'
import { cacheLifetime } from './cache-lifetime.ts'
import type { ConnectionTarget, OutgoingConnections } from './connections.ts'
import { OutgoingProblem, rejected, unavailable } from './outgoing-problem.ts'
import { isPublicAddress } from './public-address.ts'
import { readJson } from './read-json.ts'
import { sendGet } from './send-get.ts'

/** A document that was fetched. */
export interface FetchedJson {
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds for which the document may be stored; 0: not at all; undefined if the host does not say. */
  readonly maxAgeSeconds: number | undefined
}

/**
 * Fetches a JSON document. The host name is resolved once, and the connection goes to an address of this answer: a
 * second answer of a DNS server cannot lead elsewhere.
 *
 * @param options.timeoutMs maximum milliseconds for everything, from the DNS query to the last byte
 * @throws {OutgoingProblem} if the document cannot be fetched
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
  const text = `the host cannot be reached, or did not answer within ${timeoutMs / 1000} seconds`
  const late = { error: () => unavailable(text) }
  try {
    return await withTimeout(
      timeoutMs,
      async () => {
        const target = await findTarget(url, connections)
        // One text and one time for all names without a public address: strangers must not learn which names the DNS of
        // this network has.
        if (!target) return new Promise<never>(() => {})
        // A name that was resolved after the timeout leads to no connection.
        ended.signal.throwIfAborted()
        return exchange(url, { maxBytes, signal: ended.signal, connect: () => connections.connect(target) })
      },
      late,
    )
  } finally {
    ended.abort()
  }
}

/** @returns undefined if one of the addresses is not public, because the host name may lead to it next time, or if there is none */
async function findTarget(url: URL, { resolve }: OutgoingConnections): Promise<ConnectionTarget | undefined> {
  const addresses = await resolve(url.hostname).catch(() => [])
  const [first] = addresses
  if (!first || !addresses.every(({ address }) => isPublicAddress(address))) return undefined
  const port = url.port === '' ? 443 : Number(url.port)
  return { address: first.address, family: first.family, port, servername: url.hostname }
}

async function exchange(
  url: URL,
  options: { readonly maxBytes: number; readonly signal: AbortSignal; connect(): TLSSocket },
): Promise<FetchedJson> {
  let isConnected = false
  let socket: TLSSocket | undefined
  const destroy = () => socket?.destroy()
  try {
    socket = options.connect()
    // Errors are also reported elsewhere. Without a listener, a late error would stop the process.
    socket.on('error', () => {})
    options.signal.addEventListener('abort', destroy)
    // Nothing is sent before the certificate is checked.
    await once(socket, 'secureConnect', { signal: options.signal })
    isConnected = true
    const response = await sendGet(socket, url)
    response.on('error', () => {})
    const body = await readJson(response, options.maxBytes)
    return { body, maxAgeSeconds: cacheLifetime(response.headers) }
  } catch (error) {
    throw toProblem(error, isConnected)
  } finally {
    options.signal.removeEventListener('abort', destroy)
    destroy()
  }
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
