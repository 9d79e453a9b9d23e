import { setImmediate as turn } from 'node:timers/promises'
import { Server as NetServer, Socket } from 'node:net'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2Server, Http2ServerResponse } from 'node:http2'
import type { Server as HttpsServer } from 'node:https'

/** An HTTP server of Node, with or without TLS. */
export type WebServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer

type AnsweringSocket = Socket & { readonly _httpMessage?: ServerResponse | null }
interface OpenConnection {
  readonly socket?: AnsweringSocket | null
}
/** WebSockets are not in the list. */
interface ConnectionList {
  all(): readonly OpenConnection[]
  /** An answer may be pending. */
  idle(): readonly OpenConnection[]
}

/**
 * Makes Node send `Connection: close` with each further answer of a server, and end the connection after the
 * answer. This includes pending answers whose headers are not sent yet. An HTTP/2 connection accepts no further stream
 * after its next request, and ends after its last answer.
 */
export function endConnectionsAfterAnswers(server: WebServer): void {
  const lastAnswers = new WeakMap<Socket, ServerResponse>()
  for (const { socket } of connectionsOf(server)?.all() ?? []) {
    if (socket?._httpMessage) endAfter(socket._httpMessage)
  }
  // This listener must be the first, so that it runs before a listener that sends the headers.
  server.prependListener('request', (_request: unknown, answer: ServerResponse | Http2ServerResponse) => {
    if ('stream' in answer) answer.stream.session?.close()
    else endAfter(answer)
  })

  function endAfter(answer: ServerResponse): void {
    const { socket } = answer.req
    // With pipelining, only the last answer ends the connection.
    const earlier = lastAnswers.get(socket)
    if (earlier?.headersSent === false) earlier.shouldKeepAlive = true
    if (!answer.shouldKeepAlive) return
    // A header that is set here would be lost if Koa answers an error, because Koa then removes all headers.
    answer.shouldKeepAlive = false
    lastAnswers.set(socket, answer)
  }
}

/** Node accepts one waiting connection in each turn of its event loop. A stop to listen now would reset the others. */
export async function acceptWaitingConnections(server: WebServer, deadline: number): Promise<void> {
  let hasAccepted = true
  const onConnection = () => {
    hasAccepted = true
  }
  server.on('connection', onConnection)
  while (hasAccepted && performance.now() < deadline) {
    hasAccepted = false
    await turn()
  }
  server.off('connection', onConnection)
}

/** In contrast, `close()` of an HTTP server also closes connections whose answer is still being sent. */
export function stopListening(server: WebServer): Promise<unknown> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
}

export function closeIdleConnections(server: WebServer, includesUnused: boolean): void {
  const connections = connectionsOf(server)
  if (connections === undefined)
    return 'closeIdleConnections' in server ? server.closeIdleConnections() : undefined
  // A new connection is not idle for Node, although the client may never send a request.
  const unused = includesUnused ? connections.all().filter(({ socket }) => socket?.bytesRead === 0) : []
  for (const { socket } of [...connections.idle(), ...unused]) if (!socket?._httpMessage) socket?.destroy()
}

/**
 * Destroys the connections of a server, also those of HTTP/2 and WebSockets.
 * Relies on: `process._getActiveHandles()` lists the open sockets, and `server` of a socket is the server that accepted
 * it (Node 20, 22 and 24). Node documents no way to find the sockets that a server has handed on.
 */
export function destroyConnections(server: WebServer): void {
  const { _getActiveHandles: list } = process as { _getActiveHandles?(): readonly { server?: unknown }[] }
  for (const handle of list?.call(process) ?? []) {
    if (handle.server === server && handle instanceof Socket) handle.destroy()
  }
  if ('closeAllConnections' in server) server.closeAllConnections()
}

/**
 * Relies on: Node keeps the connections of an HTTP server in a property whose symbol has this description (Node 20,
 * 22 and 24). Without it, answers that are pending when the shutdown begins keep their connections open.
 */
function connectionsOf(server: WebServer): ConnectionList | undefined {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  return name && (server as unknown as Record<symbol, ConnectionList | undefined>)[name]
}
