import type { Context } from 'koa'
import { isPrivate } from './allowed-networks.ts'

/**
 * Stops reading from the connection of a request after its response. Reading continues after 50 % to 100 % of the
 * seconds that `Retry-After` names. A client may ignore `Retry-After` and repeat rejected requests on many connections.
 * These requests cost hardly any CPU time while their connections are paused.
 *
 * A connection of a proxy is not paused, because requests of other clients arrive on it. The host has a proxy if it
 * sets `app.proxy`. Without `app.proxy`, a connection from a private address counts as a connection of a proxy if the
 * request has headers of a proxy. An HTTP/2 connection is not paused either.
 *
 * @param ctx the host's context
 * @param seconds the value of `Retry-After`
 */
export function pauseConnection(ctx: Context, seconds: number): void {
  if (ctx.app.proxy || isFromProxy(ctx) || ctx.req.httpVersionMajor !== 1) return
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
  // later. But the rest of the request must be read first: until then, Node would resume the connection.
  if (!req.readableEnded) {
    pending += 1
    req.once('end', done).resume()
  }
  res.once('finish', done)
}

const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

function isFromProxy({ req, headers }: Context): boolean {
  if (!PROXY_HEADERS.some((name) => name in headers)) return false
  const { remoteAddress } = req.socket
  // The headers alone prove nothing, because any client can send them. A proxy has a private address, or it uses a
  // Unix socket, which has no address.
  return remoteAddress === undefined || isPrivate(remoteAddress)
}
