import type { Socket } from 'node:net'
import type { Context } from 'koa'
import type { Logger } from '../../host/logger.ts'
import { isPrivate } from '../../http/allowed-networks.ts'

/** The option `maxTokenRequests`. */
export const TOKEN_REQUESTS = { byDefault: 1000, min: 4, max: 1_000_000 }

/** One address, or one client, may have this share of `maxTokenRequests` in flight. */
const SHARE = 1 / 4

/** An address with less than this share of `maxTokenRequests` in flight is answered even during a flood. */
const FEW = 1 / 100

/**
 * More requests in flight than this are a flood. Up to it, requests may begin in the same turn of the event loop, which
 * costs a fifth less CPU time: their commands to Redis travel together.
 */
const USUAL = 20
/** Further requests wait during a flood, so that API calls are answered in between. */
const PER_TURN = 2
/** Milliseconds from one request that comes last to the next. */
const PAUSE_OF_LAST_MS = 5

/** A request counts as in flight no longer than this, even if a callback of the host never answers. */
const MAX_TIME_MS = 30_000

const LOG_INTERVAL_MS = 60_000

export interface Sender {
  readonly address: string
  /** With the secret, so that a stranger with a wrong secret does not use up the share of the client. */
  readonly credentials: string
  /** Whether the request waits for its turn among those that come last. Called when the request is counted. */
  readonly comesLast?: (() => Promise<boolean>) | undefined
}

/**
 * Limits the requests in flight at the endpoints where clients authenticate, because such a request costs a hundred
 * times as much CPU time as an API call. At most a quarter of `max` comes from one address, and a quarter from one
 * client. The last quarter is for addresses with less than a hundredth in flight: a flood from a few leaves room for
 * all others.
 */
export function createRequestsInFlight({ max, logger }: { readonly max: number; readonly logger: Logger }) {
  const share = Math.max(1, Math.floor(max * SHARE))
  const few = Math.max(1, Math.floor(max * FEW))
  const counts = new Map<string, number>()
  const waiting: (() => void)[] = []
  /** With wrong secrets, of an address that has sent too many of them. */
  const last: (() => void)[] = []
  /** The oldest comes first. A timer for each request would cost more than all else here. */
  const inFlight = new Set<{ readonly since: number; release(): void }>()
  let total = 0
  let totalOfLast = 0
  /** Requests that have begun in this turn, or wait for a later turn. */
  let begun = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  function add(key: string, change: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }

  const isFlood = () => total - totalOfLast > USUAL

  function turn(): Promise<void> | undefined {
    begun += 1
    if (begun === 1) setImmediate(nextTurn)
    return begun <= (isFlood() ? PER_TURN : USUAL)
      ? undefined
      : new Promise((resolve) => waiting.push(resolve))
  }

  function nextTurn(): void {
    const ready = waiting.splice(0, PER_TURN)
    begun = ready.length + waiting.length
    if (begun > 0) setImmediate(nextTurn)
    for (const begin of ready) begin()
  }

  const lastTurn = () =>
    new Promise<void>((resolve) => {
      if (last.push(resolve) === 1) setTimeout(nextLast, PAUSE_OF_LAST_MS)
    })

  function nextLast(): void {
    last.shift()?.()
    if (last.length > 0) setTimeout(nextLast, PAUSE_OF_LAST_MS)
  }

  function logRejection(address: string): void {
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = performance.now()
    logger.warn(
      { address, maxTokenRequests: max },
      'too many token requests are in flight, so some are answered with 503; if the address is that of your own ' +
        'proxy, set `app.proxy = true`',
    )
  }

  return {
    isFlood,

    isSending: (address: string) => counts.has(address),

    isFull(address: string): boolean {
      for (const each of inFlight) {
        if (performance.now() - each.since < MAX_TIME_MS) break
        each.release()
      }
      const own = counts.get(address) ?? 0
      const isFull = own >= share || total >= (own < few ? max : max - share)
      if (isFull) logRejection(address)
      return isFull
    },

    /** @returns undefined if too many requests are in flight */
    async run<T>(
      { address, credentials, comesLast }: Sender,
      answer: () => Promise<T>,
    ): Promise<T | undefined> {
      // The space distinguishes credentials from addresses, which contain no space.
      const client = ` ${credentials}`
      if (this.isFull(address) || (counts.get(client) ?? 0) >= share) return undefined
      const count = (change: 1 | -1) => {
        total += change
        if (isLast) totalOfLast += change
        add(address, change)
        add(client, change)
      }
      let isLast = false
      const running = {
        since: performance.now(),
        release(): void {
          if (inFlight.delete(running)) count(-1)
        },
      }
      count(1)
      inFlight.add(running)
      try {
        if (comesLast && (await comesLast()) && inFlight.has(running)) {
          isLast = true
          totalOfLast += 1
        }
        const waits = isLast ? lastTurn() : turn()
        if (waits) await waits
        if (!inFlight.has(running)) return undefined
        return await answer()
      } finally {
        running.release()
      }
    },
  }
}

export type RequestsInFlight = ReturnType<typeof createRequestsInFlight>

/** Connections of which a request was rejected. */
const rejected = new WeakSet<Socket>()

/**
 * Stops reading from the connection of a request, for 50 % to 100 % of the seconds that `Retry-After` names: twice as
 * many for a connection that was paused before. (Node closes it after five seconds without a request.)
 * A client may ignore `Retry-After`, and repeat rejected requests on many connections. While they are paused,
 * such requests cost hardly any CPU time.
 *
 * A connection of a proxy is not paused, because requests of other clients arrive on it. Without `app.proxy`,
 * a private address and headers of a proxy show a proxy. An HTTP/2 connection is not paused either.
 *
 * @returns the seconds that `Retry-After` names
 */
export function pauseConnection(ctx: Context, usual: number): number {
  if (ctx.app.proxy || isFromProxy(ctx) || ctx.req.httpVersionMajor !== 1) return usual
  const { req, res } = ctx
  const seconds = rejected.has(req.socket) ? 2 * usual : usual
  rejected.add(req.socket)
  let pending = 1

  function done(): void {
    pending -= 1
    if (pending === 0) pauseSocket(req.socket, seconds)
  }
  // In a flood, the next turn of the event loop begins thousands of requests later, so the pause begins at
  // once. But until the rest of the request is read, Node would resume the connection.
  if (!req.readableEnded) {
    pending += 1
    req.once('end', done).resume()
  }
  res.once('finish', done)
  return seconds
}

/** Its timer holds nothing of the request: V8 would copy thousands of them. */
function pauseSocket(socket: Socket, seconds: number): void {
  socket.pause()
  // Connections that were paused together must not be resumed together.
  const milliseconds = (500 + 500 * Math.random()) * seconds
  setTimeout(() => socket.resume(), milliseconds).unref()
}

const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']

function isFromProxy({ req, headers }: Context): boolean {
  if (!PROXY_HEADERS.some((name) => name in headers)) return false
  const { remoteAddress } = req.socket
  // Any client can send the headers. A Unix socket of a proxy has no address.
  return remoteAddress === undefined || isPrivate(remoteAddress)
}
