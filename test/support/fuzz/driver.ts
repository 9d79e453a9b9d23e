import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { openInside, openOutside, type Connection, type Sender } from './connection.ts'
import { readAnswers, type Answer } from './answer.ts'

/** A handler of a host that was reached. */
export interface Run {
  /** Name of the handler: the scope of its operation, `public …` or `unlisted …`. */
  readonly handler: string
  /** Client id of the principal that it saw. */
  readonly clientId: string | undefined
}

/** What a request led to. */
export interface Outcome {
  /** All bytes that came back. */
  readonly received: string
  readonly answers: readonly Answer[]
  readonly runs: readonly Run[]
  /** What was logged, told to the app, or thrown, meanwhile. */
  readonly incidents: readonly Incident[]
  readonly isUnanswered: boolean
}

export interface Incident {
  readonly kind: 'log' | 'app error' | 'uncaught'
  /** Of a log line. */
  readonly level?: string | undefined
  readonly value: unknown
}

/** How a request goes out. */
export interface SendOptions {
  /** Address that it comes from, unless it takes the network. */
  readonly address?: string | undefined
  /** Whether it goes over a real socket. @default false */
  readonly isOutside?: boolean | undefined
  /** Whether the sender closes its side right after the last byte. @default false */
  readonly isCut?: boolean | undefined
}

interface Exchange {
  readonly runs: Run[]
  readonly incidents: Incident[]
  connection?: Connection
  begun: number
  pending: number
}

/** Milliseconds after which a request counts as left without an answer. */
const TIMEOUT_MS = 15_000
/** Milliseconds in which a request over the network must have begun, and turns of the event loop inside. */
const BEGINS_MS = 40
const BEGINS_TURNS = 6

const exchanges = new AsyncLocalStorage<Exchange>()

/** Sends requests to servers of this process, and knows what each of them led to there. */
export function createDriver() {
  const open = new Map<object | number, Exchange>()
  const servers: Server[] = []
  /** What happened outside of any request. */
  const stray: Incident[] = []

  function note(incident: Incident): void {
    const exchange = exchanges.getStore()
    if (exchange) exchange.incidents.push(incident)
    else stray.push(incident)
  }

  /** Lets a server's handler run in the name of the request that it answers. */
  function attributed(handler: RequestListener): RequestListener {
    return (request, response) => {
      const exchange = open.get(request.socket) ?? open.get(request.socket.remotePort ?? 0)
      if (!exchange) {
        handler(request, response)
        return
      }
      exchange.begun += 1
      exchange.pending += 1
      response.once('close', () => {
        exchange.pending -= 1
        setImmediate(() => exchange.pending === 0 && exchange.connection?.end())
      })
      exchanges.run(exchange, () => handler(request, response))
    }
  }

  return {
    /** A server whose requests are known; it listens on a free port once one goes over the network. */
    serve(handler: RequestListener): Server {
      const server = createServer({ keepAliveTimeout: 60_000 }, attributed(handler))
      servers.push(server)
      return server
    },

    /** Notes that a handler was reached. */
    ran(run: Run): void {
      exchanges.getStore()?.runs.push(run)
    },

    note,

    /** What has happened outside of any request since the last time. */
    takeStray: (): Incident[] => stray.splice(0),

    /** Sends bytes and settles once the connection is closed. */
    async send(server: Server, bytes: Buffer, options: SendOptions = {}): Promise<Outcome> {
      if (options.isOutside && !server.listening) {
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
      }
      const exchange: Exchange = { runs: [], incidents: [], begun: 0, pending: 0 }
      let isUnanswered = false
      const received = await new Promise<string>((resolve) => {
        const timer = setTimeout(() => {
          isUnanswered = true
          exchange.connection?.destroy()
        }, TIMEOUT_MS)
        const sender: Sender = {
          onOpen(connection) {
            exchange.connection = connection
            open.set(connection.key, exchange)
            void endUnlessBegun(exchange, options)
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

/** Ends the sender's side where the server waits for more: of a head that is no end, or of a body. */
async function endUnlessBegun(exchange: Exchange, { isOutside, isCut }: SendOptions): Promise<void> {
  if (isOutside) await delay(BEGINS_MS)
  else for (let turn = 0; turn < BEGINS_TURNS; turn += 1) await new Promise(setImmediate)
  if (isCut || exchange.begun === 0) exchange.connection?.end()
}
