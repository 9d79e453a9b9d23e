import type { Context } from 'koa'

/**
 * Emits Koa's `error` event at the host's app for a failure that gatehouse has answered itself. So the failure
 * reaches the terminal, or the host's own error handling, without any option.
 */
export function emitAppError(ctx: Context, error: Error): void {
  // An `error` event without a listener is thrown at its emitter.
  if (ctx.app.listenerCount('error') > 0) ctx.app.emit('error', error, ctx)
}
