/** A load balancer as small as one can be: it keeps connections open, polls readiness, and repeats no request. */
import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** Milliseconds between two polls of a process, and within which the process must answer. */
const POLL_MS = 200
const POLL_TIMEOUT_MS = 2000
/** Polls in a row without an answer after which a process is not ready. One answer that is not 200 suffices too. */
const MAX_MISSED_POLLS = 3
/** The header that names the error of a connection to a process. */
export const ERROR_HEADER = 'x-error'

/** Starts a balancer in front of processes. A failed request is answered with 502. */
export async function startBalancer(port: number, processPorts: readonly number[]) {
  const processes = processPorts.map((each) => ({
    port: each,
    isReady: false,
    agent: new Agent({ keepAlive: true }),
  }))
  let turn = 0
  let isOver = false

  for (const each of processes) void poll(each)

  async function poll(each: (typeof processes)[number]): Promise<void> {
    for (let missed = 0; !isOver; await delay(POLL_MS)) {
      const status = await statusOf(each.port)
      missed = status === undefined ? missed + 1 : 0
      if (status !== undefined || missed >= MAX_MISSED_POLLS) each.isReady = status === 200
    }
  }

  function forward(incoming: IncomingMessage, answer: ServerResponse): void {
    turn += 1
    const ready = processes.filter((each) => each.isReady)
    const target = ready[turn % ready.length]
    if (target === undefined) {
      incoming.resume()
      answer.writeHead(502, { [ERROR_HEADER]: 'no process is ready' }).end()
      return
    }
    const { agent } = target
    const { connection: _, ...headers } = incoming.headers
    const { method, url: path } = incoming
    const outgoing = request({ host: '127.0.0.1', port: target.port, agent, method, path, headers })
    const fail = (error: NodeJS.ErrnoException) => {
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502, { [ERROR_HEADER]: `${error.code} of ${target.port}` }).end()
    }
    outgoing.on('error', fail)
    outgoing.on('response', (response) => {
      const { connection: __, 'keep-alive': ___, ...passed } = response.headers
      answer.writeHead(response.statusCode ?? 502, passed)
      response.on('error', fail)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  }

  const server = createServer({ keepAliveTimeout: 300_000 }, forward)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    isReady: (processPort: number) => processes.some((each) => each.port === processPort && each.isReady),
    close(): void {
      isOver = true
      server.close()
      server.closeAllConnections()
      for (const { agent } of processes) agent.destroy()
    },
  }
}

/** The status of `/health`; undefined if the process does not answer in time. */
async function statusOf(port: number): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(POLL_TIMEOUT_MS)
    const poll = request({ host: '127.0.0.1', port, path: '/health', agent: false, signal }).end()
    const [response] = (await once(poll, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  } catch {
    return undefined
  }
}
