import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { openInside, openOutside, type Connection, type Sender } from './connection.ts'
import { readAnswers, type Answer } from './answer.ts'

/** A call of a handler of the host. */
export interface Run {
  /** Name of the handler: the scope of its operation, `public …` or `unlisted …`. */
  readonly handler: string
  /** Client id of the principal that the handler got. */
  readonly clientId: string | undefined
}

/** The result of a request. */
export interface Outcome {
  /** All bytes that were received. */
  readonly received: string
  readonly answers: readonly Answer[]
  readonly runs: readonly Run[]
  /** Log lines, errors of the app and uncaught errors during the request. */
  readonly incidents: readonly Incident[]
  readonly isUnanswered: boolean
}

export interface Incident {
  readonly kind: 'log' | 'app error' | 'uncaught'
  /** The level of a log line; undefined for an error. */
  readonly level?: string | undefined
  readonly value: unknown
}

/** How a request is sent. */
export interface SendOptions {
  /** The client's address, if the request does not use the network. */
  readonly address?: string | undefined
  /** Whether the request uses a real socket. @default false */
  readonly isOutside?: boolean | undefined
  /** Whether the sender closes its side right after the last byte. @default false */
  readonly isCut?: boolean | undefined
}

interface Exchange {
  readonly runs: Run[]
  readonly incidents: Incident[]
  connection?: Connection
  started: number
  pending: number
}

/** Milliseconds after which a request counts as unanswered. */
const ANSWER_TIMEOUT_MS = 15_000
/** Milliseconds within which the handler of a request over the network must start. */
const START_TIMEOUT_MS = 40
/** Turns of the event loop within which the handler of a request without the network must start. */
const START_TIMEOUT_TURNS = 6

const exchanges = new AsyncLocalStorage<Exchange>()

/** Sends requests to servers of this process, and attributes handler calls and errors to each request. */
export function createDriver() {
  const open = new Map<object | number, Exchange>()
  const servers: Server[] = []
  /** Incidents outside of any request. */
  const stray: Incident[] = []

  function note(incident: Incident): void {
    const exchange = exchanges.getStore()
    if (exchange) exchange.incidents.push(incident)
    else stray.push(incident)
  }

  /** Runs a server's handler in the async context of the request that the handler answers. */
  function attributed(handler: RequestListener): RequestListener {
    return (request, response) => {
      const exchange = open.get(request.socket) ?? open.get(request.socket.remotePort ?? 0)
      if (!exchange) {
        handler(request, response)
        return
      }
      exchange.started += 1
      exchange.pending += 1
      response.once('close', () => {
        exchange.pending -= 1
        setImmediate(() => exchange.pending === 0 && exchange.connection?.end())
      })
      exchanges.run(exchange, () => handler(request, response))
    }
  }

  return {
    /** Makes a server with attributed requests. It listens on a free port once a request uses the network. */
    serve(handler: RequestListener): Server {
      const server = createServer({ keepAliveTimeout: 60_000 }, attributed(handler))
      servers.push(server)
      return server
    },

    /** Records a call of a handler. */
    ran(run: Run): void {
      exchanges.getStore()?.runs.push(run)
    },

    note,

    /** Returns and removes the incidents that belong to no request. */
    takeStray: (): Incident[] => stray.splice(0),

    /** Sends bytes; settles when the connection is closed. */
    async send(server: Server, bytes: Buffer, options: SendOptions = {}): Promise<Outcome> {
      if (options.isOutside && !server.listening) {
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
      }
      const exchange: Exchange = { runs: [], incidents: [], started: 0, pending: 0 }
      let isUnanswered = false
      const received = await new Promise<string>((resolve) => {
        const timer = setTimeout(() => {
          isUnanswered = true
          exchange.connection?.destroy()
        }, ANSWER_TIMEOUT_MS)
        const sender: Sender = {
          onOpen(connection) {
            exchange.connection = connection
            open.set(connection.key, exchange)
            void endUnlessStarted(exchange, options)
          },
          onClose(all) {
            clearTimeout(timer)
            if (exchange.connection) open.delete(exchange.connection.key)
            resolve(all)
          },
        }
        if (options.isOutside) openOutside(server, bytes, sender)
        else openInside(server, bytes, options.address ?? '127.0.0.1', sender)
      })
      const { runs, incidents } = exchange
      return { received, answers: readAnswers(received), runs, incidents, isUnanswered }
    },

    async close(): Promise<void> {
      for (const server of servers.splice(0)) {
        if (!server.listening) continue
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

export type Driver = ReturnType<typeof createDriver>

/** Ends the sender's side if the server waits for the rest of an incomplete head or body. */
async function endUnlessStarted(exchange: Exchange, { isOutside, isCut }: SendOptions): Promise<void> {
  if (isOutside) await delay(START_TIMEOUT_MS)
  else for (let turn = 0; turn < START_TIMEOUT_TURNS; turn += 1) await new Promise(setImmediate)
  if (isCut || exchange.started === 0) exchange.connection?.end()
}
