import type { Context } from 'koa'
import type { Logger } from '../../host/logger.ts'
import { isPrivate } from '../../http/allowed-networks.ts'

/** The option `maxTokenRequests`. */
export const TOKEN_REQUESTS = { byDefault: 1000, min: 4, max: 1_000_000 }

/** The share of `maxTokenRequests` that one address may have in flight. One client may have the same share. */
const SHARE = 1 / 4

/** An address with less than this share of `maxTokenRequests` in flight is answered even during a flood. */
const FEW = 1 / 100

/**
 * The number of requests in flight above which there is a flood. Up to this number, requests may begin in the same turn
 * of the event loop. This costs a fifth less CPU time, because their commands to Redis travel together.
 */
const USUAL = 20
/**
 * How many requests begin in one turn of the event loop during a flood. The other requests wait for a later turn, so
 * that API calls are answered in between.
 */
const PER_TURN = 2

/** Milliseconds after which a request no longer counts, even if a callback of the host never answers. */
const MAX_TIME_MS = 30_000

/** Minimum milliseconds between two log lines about rejected requests. */
const LOG_INTERVAL_MS = 60_000

/** Who sends a request. */
export interface Sender {
  /** The group of network addresses; see `addressGroup`. */
  readonly address: string
  /**
   * The id and the secret that were sent. The secret is included, so that a stranger with a wrong secret does not use
   * up the share of the client.
   */
  readonly credentials: string
}

/**
 * Limits the requests in flight at the endpoints where clients authenticate, because such a request costs a hundred
 * times as much CPU time as an API call. Requests above the limit are rejected at once.
 *
 * @param options.max how many requests may be in flight in this process; at most a quarter of `max` from one address,
 *   and at most a quarter from one client. The last quarter of `max` is reserved for addresses with less than one
 *   hundredth of `max` in flight. So a flood from a few addresses leaves room for all others
 */
export function createRequestsInFlight({ max, logger }: { readonly max: number; readonly logger: Logger }) {
  const share = Math.max(1, Math.floor(max * SHARE))
  const few = Math.max(1, Math.floor(max * FEW))
  const counts = new Map<string, number>()
  const waiting: (() => void)[] = []
  let total = 0
  /** The number of requests that have begun in this turn, or wait for a later turn. */
  let begun = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  function add(key: string, change: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }

  /** Resolves when the request may begin. */
  function turn(): Promise<void> | undefined {
    begun += 1
    if (begun === 1) setImmediate(nextTurn)
    return begun <= (total > USUAL ? PER_TURN : USUAL)
      ? undefined
      : new Promise((resolve) => waiting.push(resolve))
  }

  function nextTurn(): void {
    const ready = waiting.splice(0, PER_TURN)
    begun = ready.length + waiting.length
    if (begun > 0) setImmediate(nextTurn)
    for (const begin of ready) begin()
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
    /** Whether more requests are in flight than usual. */
    isFlood: () => total > USUAL,

    /** Whether a request of an address is in flight. */
    isSending: (address: string) => counts.has(address),

    /** Whether no further request of an address can be answered now. */
    isFull(address: string): boolean {
      const own = counts.get(address) ?? 0
      const isFull = own >= share || total >= (own < few ? max : max - share)
      if (isFull) logRejection(address)
      return isFull
    },

    /**
     * Runs a request when it is its turn.
     *
     * @returns the result of `answer`; undefined if too many requests are in flight
     */
    async run<T>({ address, credentials }: Sender, answer: () => Promise<T>): Promise<T | undefined> {
      // The space distinguishes credentials from addresses, which contain no space.
      const client = ` ${credentials}`
      if (this.isFull(address) || (counts.get(client) ?? 0) >= share) return undefined
      const count = (change: 1 | -1) => {
        total += change
        add(address, change)
        add(client, change)
      }
      let isCounted = true
      const release = () => {
        if (isCounted) count(-1)
        isCounted = false
      }
      count(1)
      const timer = setTimeout(release, MAX_TIME_MS).unref()
      try {
        await turn()
        return await answer()
      } finally {
        clearTimeout(timer)
        release()
      }
    },
  }
}

/** Limits the requests in flight at the endpoints where clients authenticate. */
export type RequestsInFlight = ReturnType<typeof createRequestsInFlight>

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
