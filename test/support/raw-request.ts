import { request } from 'node:http'
import { lookupHere } from './plain-fetch.ts'

/** A request whose target is sent unchanged. Only `Host` and the headers for the body's length are added. */
export interface RawRequest {
  readonly method?: string | undefined
  /** The request target as it is in the request line. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined
  readonly body?: string | Uint8Array | undefined
  /** Sends the body in chunks, without a `Content-Length`. */
  readonly chunked?: boolean | undefined
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Milliseconds within which a response must be complete. */
const RESPONSE_TIMEOUT_MS = 20_000

/** Sends a request to localhost. Rejects if the response is not complete in time. */
export function send(port: number, raw: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', target, body, chunked = false } = raw
    const length = body === undefined || chunked ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const outgoing = request({
      host: 'localhost',
      lookup: lookupHere,
      port,
      method,
      path: target,
      agent: false,
      // An answer that repeats a long address may have longer headers than Node's client accepts by default.
      maxHeaderSize: 65_536,
      headers: { ...length, ...raw.headers },
    })
    const timer = setTimeout(() => {
      outgoing.destroy(
        new Error(`no answer to ${method} ${target.slice(0, 200)} within ${RESPONSE_TIMEOUT_MS} ms`),
      )
    }, RESPONSE_TIMEOUT_MS)
    let answered = false
    outgoing.on('error', (error) => {
      // A server may answer, and then stop reading a body that is too long. The error of the connection is
      // then ignored.
      if (answered) return
      clearTimeout(timer)
      reject(error)
    })
    outgoing.on('response', (incoming) => {
      answered = true
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      // Errors are ignored here, because `complete` shows at the close whether the response broke off.
      incoming.on('error', () => {})
      incoming.on('close', () => {
        clearTimeout(timer)
        if (!incoming.complete) {
          reject(new Error(`the answer to ${method} ${target.slice(0, 200)} broke off`))
          return
        }
        const headers = new Headers()
        for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
          headers.append(incoming.rawHeaders[i] ?? '', incoming.rawHeaders[i + 1] ?? '')
        }
        resolve({ status: incoming.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() })
      })
    })
    outgoing.end(body)
  })
}

/** Parses the JSON of a response. Returns an empty object if the text is not JSON. */
export function json({ text }: { readonly text: string }): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
