import { CredentialsRejectedError, GatehouseError } from '../errors.ts'
import { formatBasicCredentials } from '../http/basic-credentials.ts'
import { asRevocation } from './revocation.ts'
import type { RevocationPage, RevocationSource } from './revocation-source.ts'

export const FEED_TIMEOUT_MS = { byDefault: 2000, max: 60_000 }

/** Maximum size of a response in bytes, enough for about 200,000 revocations. */
const MAX_BYTES = 33_554_432
const MAX_ERROR_BYTES = 16_384

/** After a failure, no new request is sent for so long, even if many calls wait for the revocations. */
const FAILURE_COOL_DOWN_MS = 500

/** By status. A response of another form comes from something else, such as a proxy, and does not count. */
const REJECTIONS: Readonly<Record<number, { readonly error: string; readonly why: string }>> = {
  401: {
    error: 'invalid_client',
    why: 'revocations.clientId is unknown, disabled, expired or deleted, or revocations.clientSecret is not its secret',
  },
  403: {
    error: 'unauthorized_client',
    why: 'it is no resource server (apiKeys.setResourceServer), or may not be used from the address of this gateway',
  },
  429: { error: 'invalid_client', why: 'too many wrong secrets: check revocations.clientSecret' },
}

/** Reads revocations over HTTP. Redirects are rejected, so that the client secret is sent to `uri` alone. */
export function createHttpSource(options: {
  readonly uri: string
  readonly clientId: string
  readonly clientSecret: string
  readonly timeoutMs: number
}): RevocationSource {
  const { uri, clientId, clientSecret, timeoutMs } = options
  const authorization = formatBasicCredentials({ clientId, clientSecrets: [clientSecret] })
  let etag: string | undefined
  let failure: { readonly at: number; readonly error: unknown } | undefined
  const pending = new Set<AbortController>()

  /** Not by `AbortSignal.any`, which leaks memory in Node 20 as long as one of its signals exists. */
  async function withDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      controller.abort(unreachable(`${uri} did not answer within ${timeoutMs} ms`))
    }, timeoutMs)
    pending.add(controller)
    try {
      return await work(controller.signal)
    } finally {
      clearTimeout(timer)
      pending.delete(controller)
    }
  }

  async function request(cursor: string | undefined, signal: AbortSignal): Promise<RevocationPage> {
    const url = new URL(uri)
    if (cursor !== undefined) url.searchParams.set('cursor', cursor)
    const headers: Record<string, string> = { Accept: 'application/json', Authorization: authorization }
    if (cursor !== undefined && etag !== undefined) headers['If-None-Match'] = etag
    const response = await fetch(url, { headers, signal, redirect: 'manual' })

    if (response.status === 304 && cursor !== undefined) return { revocations: [], cursor, more: false }
    if (response.status !== 200) throw await failureOf(response)
    const page = readPage(await readText(response, MAX_BYTES))
    // If more pages follow, an unchanged response does not mean that there are no new revocations.
    etag = page.more ? undefined : (response.headers.get('ETag') ?? undefined)
    return page
  }

  async function failureOf(response: Response): Promise<GatehouseError> {
    const { status } = response
    const rejection = REJECTIONS[status]
    if (rejection !== undefined && (await readError(response)) === rejection.error) {
      const message = `${uri} rejects the API key ${clientId} (${status} ${rejection.error}): ${rejection.why}`
      return new CredentialsRejectedError('ERR_NOT_READY', message)
    }
    if (!response.bodyUsed) await response.body?.cancel()
    return unreachable(`${uri} ${describeStatus(status)}`)
  }

  return {
    async read(cursor) {
      if (failure !== undefined && performance.now() - failure.at < FAILURE_COOL_DOWN_MS) throw failure.error
      try {
        const page = await withDeadline((signal) => request(cursor, signal))
        failure = undefined
        return page
      } catch (cause) {
        const error =
          cause instanceof GatehouseError ? cause : unreachable(`${uri} could not be read`, { cause })
        failure = { at: performance.now(), error }
        throw error
      }
    },

    close() {
      const closed = new GatehouseError(
        'ERR_CLOSED',
        'this process was closed, and no longer reads revocations',
      )
      for (const request of pending) request.abort(closed)
    },
  }
}

function describeStatus(status: number): string {
  // `fetch` reports the status 0 for some redirects.
  if (status === 0 || (status >= 300 && status < 400)) {
    return 'answered with a redirect, which is not followed: set revocations.uri to the final address'
  }
  const isForeign = status in REJECTIONS
  const remedy = isForeign ? ', but not as the authorization service does: check the proxies in between' : ''
  return `answered HTTP ${status}${remedy}`
}

async function readError(response: Response): Promise<unknown> {
  try {
    return (JSON.parse(await readText(response, MAX_ERROR_BYTES)) as { readonly error?: unknown }).error
  } catch {
    return undefined
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // An error that is thrown in the loop aborts the transfer.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw unreachable(`an answer with revocations is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function readPage(text: string): RevocationPage {
  const page: unknown = JSON.parse(text)
  const { revocations, cursor, more } = (page ?? {}) as Record<string, unknown>
  if (!Array.isArray(revocations) || typeof cursor !== 'string' || typeof more !== 'boolean') {
    throw unreachable('the response is not a page of revocations')
  }
  return {
    revocations: revocations.map(asRevocation).filter((revocation) => revocation !== undefined),
    cursor,
    more,
  }
}

function unreachable(message: string, options?: { cause: unknown }): GatehouseError {
  return new GatehouseError('ERR_NOT_READY', message, options)
}
