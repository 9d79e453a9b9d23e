import { Agent, request } from 'node:http'
import type { LookupFunction } from 'node:net'

/** What a test reads of a response. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Headers
  text(): Promise<string>
}

export type PlainFetch = (url: string | URL, init?: RequestInit) => Promise<PlainResponse>

/** The headers that the global `fetch` of Node adds, apart from `Accept-Encoding`: a compressed answer costs more than it saves. */
const ADDED = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }
const agent = new Agent({ keepAlive: true })

/** Resolves each name to this machine, without its resolver. The servers of the tests listen on all addresses. */
export const lookupHere: LookupFunction = (_name, { all }, found) =>
  all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)

/**
 * Makes requests as the global `fetch` with `redirect: 'manual'` does, to hosts of this machine. The global `fetch` makes
 * streams, queues and proxies for each of the thousands of requests of the tests, and needs twice the CPU time.
 */
export const plainFetch: PlainFetch = async (address, init = {}) => {
  const url = typeof address === 'string' ? new URL(address) : address
  const { method = 'GET', body } = init
  const text = body instanceof URLSearchParams ? body.toString() : (body ?? undefined)
  if (url.protocol !== 'http:' || (text !== undefined && typeof text !== 'string')) return fetch(url, init)
  const content = text === undefined ? undefined : Buffer.from(text)
  return new Promise((resolve, reject) => {
    const outgoing = request({
      agent,
      host: url.hostname,
      port: url.port,
      lookup: lookupHere,
      method,
      path: url.pathname + url.search,
      headers: {
        ...ADDED,
        ...(content && { 'content-length': String(content.length) }),
        ...Object.fromEntries(new Headers(init.headers)),
      },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const headers = new Headers()
        for (let at = 0; at < incoming.rawHeaders.length; at += 2)
          headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
        const answer = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers, text: async () => answer })
      })
    })
    outgoing.end(content)
  })
}
