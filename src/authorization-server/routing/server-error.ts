import type { Context } from 'koa'
import { emitAppError } from '../../host/emit-app-error.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { failureResponse, isServiceUnavailable, logFailure } from '../provider/service-unavailable.ts'
import type { Reject } from './reject.ts'

/**
 * Creates a function that answers requests that failed on our side, and reports the failure to the host. The
 * answer does not reveal the cause.
 */
export function fail(parts: {
  readonly settings: { readonly logger: Logger }
  readonly reject: Reject
  readonly events: EventSink
}): (ctx: Context, path: string, error: Error) => void {
  return function fail(ctx, path, error) {
    logFailure(parts.settings.logger, error, { path: withoutId(path) })
    parts.events.emit('error', { error })
    if (!isServiceUnavailable(error)) emitAppError(ctx, error)
    const { headers, ...answer } = failureResponse(error)
    ctx.set({ ...headers })
    parts.reject(ctx, path, answer)
  }
}

/**
 * The path without the id of an interaction. The same id is in the cookie that identifies the owner of the
 * interaction, so it must not be logged.
 */
function withoutId(path: string): string {
  return path.replace(/^(\/(?:interaction|oauth2\/authorize)\/)[^/]+/i, '$1<uid>')
}
