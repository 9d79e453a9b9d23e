import { Server as NetServer } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { settlesWithin } from '../async/with-timeout.ts'
import { callHost, type Awaitable } from '../validation/host-callback.ts'
import { checkInput, functionRule, listOf, must, optional, wholeNumber } from '../validation/rules.ts'
import type { Logger } from './logger.ts'
import {
  acceptWaitingConnections,
  closeIdleConnections,
  destroyConnections,
  endConnectionsAfterAnswers,
  stopListening,
  type WebServer,
} from './open-connections.ts'

/** The options of `shutdown()`. */
export interface ShutdownOptions {
  /**
   * Milliseconds in which the server still accepts connections and requests. In this time, load balancers can notice
   * that the process is not ready. At most an hour. @default 3000
   */
  readonly graceMs?: number | undefined
  /**
   * Called at the end of the grace. Close your WebSockets here: their connections are destroyed if they are still
   * open 20 seconds later. An error is logged, and the shutdown continues.
   */
  readonly onGraceEnd?: (() => Awaitable<unknown>) | undefined
}

const DEFAULT_GRACE_MS = 3000
const MAX_GRACE_MS = 3_600_000
/** Milliseconds after the grace. By default, answers end before Kubernetes kills the process after 30 seconds. */
const LAST_ANSWERS_MS = 20_000
/** Milliseconds after the grace in which a new connection may bring its first request. */
const FIRST_REQUEST_MS = 2000
const CHECK_INTERVAL_MS = 50

const RULES = {
  server: listOf(
    must("a server of Node's module http, https or http2, as app.listen() returns it", isWebServer),
  ),
  graceMs: optional(wholeNumber(0, MAX_GRACE_MS)),
  onGraceEnd: optional(functionRule),
}

/** Ends connections after answers: the grace, then the last answers. @param close is called after the last answer */
export function createShutdown(close: () => Promise<void>, logger: Logger) {
  const listeners: (() => void)[] = []
  let running: Promise<void> | undefined

  async function shutDown(
    servers: readonly WebServer[],
    { graceMs = DEFAULT_GRACE_MS, onGraceEnd }: ShutdownOptions,
  ): Promise<void> {
    for (const server of servers) endConnectionsAfterAnswers(server)
    await delay(graceMs)
    const graceEnd = performance.now()
    await Promise.all(servers.map((server) => acceptWaitingConnections(server, graceEnd + FIRST_REQUEST_MS)))
    const ended = Promise.all(servers.map(stopListening))
    if (onGraceEnd) {
      callHost('onGraceEnd', async () => onGraceEnd()).catch((error: unknown) =>
        logger.error({ err: error }, 'onGraceEnd of shutdown() failed'),
      )
    }
    for (const listener of listeners) listener()
    if (!(await closeUntil(ended, servers, graceEnd))) {
      logger.warn(
        {},
        `shutdown() closed connections that were still open ${LAST_ANSWERS_MS} ms after the grace`,
      )
      for (const server of servers) destroyConnections(server)
    }
    await close()
  }

  return {
    /** Whether `run()` was called. The process is not ready from then on. */
    get hasBegun() {
      return running !== undefined
    },
    /** Calls `listener` at the end of the grace, after the host's `onGraceEnd`. */
    onGraceEnd: (listener: () => void) => void listeners.push(listener),
    /** Ends the connections without losing an answer, then calls `close`. Later calls wait for the same shutdown. */
    async run(server: WebServer | readonly WebServer[], options: ShutdownOptions = {}): Promise<void> {
      const servers = [server].flat()
      checkInput('shutdown()', { ...options, server: servers }, RULES)
      await (running ??= shutDown(servers, options))
    },
  }
}

/** The shutdown of a gatehouse or a gateway together with the servers of its host. */
export type Shutdown = ReturnType<typeof createShutdown>

/** Other servers of `node:net` and `node:tls` have no `timeout`. */
function isWebServer(value: unknown): boolean {
  return value instanceof NetServer && 'timeout' in value
}

/** @returns whether all connections have ended in time */
async function closeUntil(ended: Promise<unknown>, servers: readonly WebServer[], graceEnd: number) {
  while (performance.now() < graceEnd + LAST_ANSWERS_MS) {
    // Lets Node read the requests that have arrived already, so that their connections do not count as idle.
    await turn()
    const includesUnused = performance.now() > graceEnd + FIRST_REQUEST_MS
    for (const server of servers) closeIdleConnections(server, includesUnused)
    if (await settlesWithin(() => ended, CHECK_INTERVAL_MS)) return true
  }
  return false
}
