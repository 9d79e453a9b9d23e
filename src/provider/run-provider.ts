import { Readable } from 'node:stream'
import querystring from 'node:querystring'
import type { IncomingMessage } from 'node:http'
import compose from 'koa-compose'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { startRequest } from './request-state.ts'

/**
 * Lets oidc-provider answer a request of the host's app. It works in a context of its own, on the same request
 * and response: its cookies have its own keys whatever the host's app has, and nothing that it leaves on its
 * context reaches the host's. Headers are written to the one response; status and body are carried over.
 *
 * @param path the path below {auth_url}, such as `/oauth2/token`
 * @returns false if oidc-provider has nothing there
 */
export async function runProvider(provider: Provider, ctx: Context, path: string): Promise<boolean> {
  const request = requestAt(ctx, path + ctx.search)
  const inner = provider.createContext(request, ctx.res)
  startRequest(inner, ctx)
  // koa marks an answer as explicit when the status is set; oidc-provider starts from 404 like any app.
  ctx.res.statusCode = 404
  let answered = true
  await compose(provider.middleware as never[])(inner, async () => {
    answered = false
  })
  if (!answered) return false
  const { status, body } = inner
  ctx.body = body
  ctx.status = status
  return true
}

/**
 * The request as oidc-provider is to see it: at its own path, whatever the app is mounted below, and with its
 * body readable. The object inherits from the real request, which stays as it is.
 */
function requestAt(ctx: Context, url: string): IncomingMessage {
  const { req } = ctx
  const form = readParsedBody(ctx)
  if (form === undefined) {
    return Object.create(req, {
      url: { value: url, writable: true },
      readable: { get: () => req.readable },
      readableEncoding: { get: () => req.readableEncoding },
      iterator: { value: (options?: object) => req.iterator(options) },
    }) as IncomingMessage
  }
  // A body parser of the host was here before. oidc-provider warns about that and then takes its result; it
  // gets the form as it was instead.
  const bytes = Buffer.from(form)
  return Object.create(req, {
    url: { value: url, writable: true },
    headers: { value: { ...req.headers, 'content-length': String(bytes.length) } },
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: { value: () => Readable.from([bytes])[Symbol.asyncIterator]() },
  }) as IncomingMessage
}

/** The form that a body parser of the host has read already, encoded again; undefined if nobody has. */
function readParsedBody(ctx: Context): string | undefined {
  if (!ctx.is('application/x-www-form-urlencoded')) return undefined
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string') return rawBody
  const parsed = body ?? (ctx.req as { body?: unknown }).body
  if (typeof parsed === 'string') return parsed
  if (typeof parsed === 'object' && parsed !== null)
    return querystring.stringify(parsed as querystring.ParsedUrlQueryInput)
  return ctx.req.readable ? undefined : ''
}
