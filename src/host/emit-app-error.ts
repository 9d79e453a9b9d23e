import type { Context } from 'koa'

/** Emits Koa's `error` event at the host's app, for a failure of a request that gatehouse has answered itself. */
export function emitAppError(ctx: Context, error: Error): void {
  // If `error` has no listener, `emit()` throws the error.
  if (ctx.app.listenerCount('error') > 0) ctx.app.emit('error', error, ctx)
}
