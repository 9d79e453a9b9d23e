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
  const { req, res } = ctx
  let pending = 1

  function done(): void {
    pending -= 1
    if (pending > 0) return
    req.socket.pause()
    // The random part keeps connections that were paused together from being resumed together.
    const milliseconds = (500 + 500 * Math.random()) * seconds
    setTimeout(() => req.socket.resume(), milliseconds).unref()
  }
  // The connection is paused at once, because in a flood the next turn of the event loop begins thousands of requests
  // later. While the rest of a request arrives, Node would resume the connection.
  if (!req.readableEnded) {
    pending += 1
    req.once('end', done).resume()
  }
  res.once('finish', done)
}

const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']
