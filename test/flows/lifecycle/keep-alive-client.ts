import { once } from 'node:events'
import http, { Agent, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const agents: Agent[] = []

/** Ends the connections of all clients. Call it after each test. */
export function endClients(): void {
  for (const agent of agents.splice(0)) agent.destroy()
}

/** A client with one connection, which it keeps open between its requests. */
export function keepAliveClient(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  agents.push(agent)
  const sockets = new Set<Socket>()
  return {
    /** The number of connections that the client has opened. */
    get connections() {
      return sockets.size
    },
    /** Settles when the connection has ended. */
    ended: () => Promise.all([...sockets].map(async (each) => each.closed || once(each, 'close'))),
    async send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
      const request = http.request({ port, path, method, headers, agent })
      request.on('socket', (socket: Socket) => sockets.add(socket))
      request.end(body)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of response) text += String(chunk)
      return { status: response.statusCode, connection: response.headers.connection, text }
    },
  }
}

export interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A form, as the options of `send()`. */
export const form = (values: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(values).toString(),
})
