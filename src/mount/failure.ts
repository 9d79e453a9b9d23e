import type { Context } from 'koa'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Pages } from '../interaction/pages.ts'

/** Endpoints that only programs talk to: failures there are JSON, whatever is accepted. */
const FOR_PROGRAMS = /^\/(oauth2\/(token|userinfo|jwks)|\.well-known\/)/i

/** Answers a request that failed on our side, in words that give nothing away, and tells the host. */
export function fail(parts: {
  readonly settings: { readonly logger: Logger }
  readonly pages: Pages
  readonly events: EventSink
}): (ctx: Context, path: string, error: Error) => void {
  return function fail(ctx, path, error) {
    parts.settings.logger.error({ err: error, path }, 'the authorization service failed')
    parts.events.emit('error', { error })
    const known = error instanceof GatehouseError && error.status === 503 ? error : undefined
    const status = known ? 503 : 500
    const code = known ? 'temporarily_unavailable' : 'server_error'
    const description = known ? 'not available for the moment; try again' : 'something went wrong on our side'
    ctx.set({ 'Cache-Control': 'no-store', ...known?.headers })
    if (!FOR_PROGRAMS.test(path) && ctx.accepts('html', 'json') === 'html') {
      parts.pages.renderError(ctx, { status, error: code, description })
      return
    }
    ctx.status = status
    ctx.body = { error: code, error_description: description }
  }
}
