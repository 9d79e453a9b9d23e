import type { Context } from 'koa'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Pages } from '../interaction/pages.ts'
import { isUnavailable, UNAVAILABLE } from '../provider/unavailable.ts'

/** Endpoints that only programs talk to: failures there are JSON, whatever is accepted. */
const FOR_PROGRAMS = /^\/(oauth2\/(token|userinfo|jwks)|\.well-known\/)/i

const FAILED = { error: 'server_error', error_description: 'something went wrong on our side' } as const

/** The path without the id of an interaction, which is also in the cookie that proves whose it is. */
function withoutId(path: string): string {
  return path.replace(/^(\/(?:interaction|oauth2\/authorize)\/)[^/]+/i, '$1<uid>')
}

/** Answers a request that failed on our side, in words that give nothing away, and tells the host. */
export function fail(parts: {
  readonly settings: { readonly logger: Logger }
  readonly pages: Pages
  readonly events: EventSink
}): (ctx: Context, path: string, error: Error) => void {
  return function fail(ctx, path, error) {
    parts.settings.logger.error({ err: error, path: withoutId(path) }, 'the authorization service failed')
    parts.events.emit('error', { error })
    const known = isUnavailable(error) ? error : undefined
    const status = known?.status ?? 500
    const body = known ? UNAVAILABLE : FAILED
    ctx.set({ 'Cache-Control': 'no-store', ...known?.headers })
    if (!FOR_PROGRAMS.test(path) && ctx.accepts('html', 'json') === 'html') {
      parts.pages.renderError(ctx, { status, error: body.error, description: body.error_description })
      return
    }
    ctx.status = status
    ctx.body = { ...body }
  }
}
