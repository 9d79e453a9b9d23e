import type { Context } from 'koa'

/**
 * Stops reading from the connection of a request after its response, for a part of the seconds that `Retry-After` names. So
 * a client that repeats rejected requests at once, on many connections, costs hardly any CPU time. A connection of a proxy
 * is not paused, because requests of other clients arrive on it, and neither is one of HTTP/2.
 *
 * @param ctx the host's context
 * @param seconds the value of `Retry-After`
 */
export function pauseConnection(ctx: Context, seconds: number): void {
  const isFromProxy = ctx.app.proxy || PROXY_HEADERS.some((name) => name in ctx.headers)
  if (isFromProxy || ctx.req.httpVersionMajor !== 1) return
  const { socket } = ctx.req
  ctx.res.once('finish', () => {
    // After the response, Node discards the rest of the request, and would resume a paused connection for it. Timers begin
    // with the next turn of the event loop: a timer of this turn would be short by all that the turn takes.
    setTimeout(() => {
      socket.pause()
      // The random part keeps connections that were paused together from being resumed together.
      const milliseconds = (500 + 500 * Math.random()) * seconds
      setTimeout(() => socket.resume(), milliseconds).unref()
    }, 0)
  })
}

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via']
