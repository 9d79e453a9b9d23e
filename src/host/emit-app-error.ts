import type { Context } from 'koa'

/**
 * Tells the host's app of a failure that gatehouse has answered itself, by the `error` event that Koa tells it
 * of every other one with: so that it is on the terminal, or wherever the host's errors go, without any option.
 */
export function emitAppError(ctx: Context, error: Error): void {
  // An `error` event that nobody listens to is thrown at whoever tells it.
  if (ctx.app.listenerCount('error') > 0) ctx.app.emit('error', error, ctx)
}
