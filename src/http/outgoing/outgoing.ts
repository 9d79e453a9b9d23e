import { isIP } from 'node:net'
import { createRateLimit } from '../../async/rate-limit.ts'
import { internet, type OutgoingConnections } from './connections.ts'
import { fetchDocument, type FetchedJson } from './fetch-document.ts'
import { rejected, unavailable } from './outgoing-problem.ts'

/** Maximum milliseconds of a request: DNS, connection, TLS, headers and body together. */
const TIMEOUT_MS = 5_000

/** Milliseconds after a failed request during which the same URL is not requested again. */
const PAUSE_MS = 1_000

/**
 * How many requests may run at once, and how many may begin in a minute: in all, and to each host. Each sender may
 * cause a quarter of all, so that one stranger does not use up what all others may fetch.
 */
const BOUNDS = {
  new: { inAll: { atOnce: 16, max: 120 }, ofHost: { atOnce: 4, max: 30 } },
  known: { inAll: { atOnce: 64, max: 600 }, ofHost: { atOnce: 4, max: 30 } },
}

/** Requests to addresses that strangers have named, such as the URL of a client metadata document. */
export type Outgoing = ReturnType<typeof createOutgoing>

export interface FetchJsonOptions {
  readonly maxBytes: number
  /**
   * Which bounds the request counts for. `new`: a stranger may have invented the URL. `known`: the URL belongs to a
   * client that is registered already. So strangers cannot stop the requests for known clients.
   */
  readonly budget: 'new' | 'known'
  /** The address group of the client that causes the request. Each sender has a share of the bounds. */
  readonly sender?: string | undefined
  /** Whose share of the bounds of one host the request uses. @default the host of the URL */
  readonly shareOf?: string | undefined
}

/** Limits the requests to addresses that strangers have named: https, hosts on the internet, so many at once. */
export function createOutgoing(options: { readonly timeoutMs?: number; readonly now?: () => number } = {}) {
  const { timeoutMs = TIMEOUT_MS, now = () => performance.now() } = options
  const limit = createRateLimit({ windowSeconds: 60, now: () => now() / 1000 })
  /** By URL and maximum size. Both maps are small, because the bounds count for both. */
  const running = new Map<
    string,
    { readonly fetched: Promise<FetchedJson>; readonly counted: readonly string[] }
  >()
  const failures = new Map<string, { readonly failure: unknown; readonly at: number }>()
  let connections = internet

  return {
    /**
     * Fetches a JSON object with GET. Callers of the same URL share one request. The URL must be `https:` with a
     * domain name whose addresses are all public (RFC 6890), and the response must have status 200, a JSON type and
     * at most `maxBytes`. Redirects are not followed.
     * @throws {OutgoingProblem} `unavailable` if a later request may succeed, also if too many are made; otherwise
     *   `rejected`
     */
    async fetchJson(text: string, options: FetchJsonOptions): Promise<FetchedJson> {
      const { maxBytes } = options
      const url = parseTarget(text)
      const key = `${maxBytes} ${url.href}`
      const joined = running.get(key)
      if (joined) return joined.fetched
      for (const [each, { at }] of failures) if (now() - at >= PAUSE_MS) failures.delete(each)
      const failed = failures.get(key)
      if (failed) throw failed.failure
      const bounds = boundsOf(url, options)
      const counted = [...running.values()].flatMap((one) => one.counted)
      const isFull = bounds.some((one) => counted.filter((each) => each === one.key).length >= one.atOnce)
      if (isFull || limit.take(bounds) > 0) {
        throw unavailable('too many requests to other hosts are made at the moment')
      }
      const fetched = fetchDocument(url, { maxBytes, timeoutMs, connections })
      running.set(key, { fetched, counted: bounds.map((one) => one.key) })
      try {
        return await fetched
      } catch (failure) {
        failures.set(key, { failure, at: now() })
        throw failure
      } finally {
        running.delete(key)
      }
    },

    /** Replaces how requests reach a host. Only tests call it: the host has no option for it. */
    replaceConnections(replacement: OutgoingConnections): void {
      connections = replacement
    },
  }
}

/** A host has one share for all its ports: it must not get more requests because its URLs name other ports. */
function boundsOf({ hostname }: URL, { budget, sender, shareOf = hostname }: FetchJsonOptions) {
  const { inAll, ofHost } = BOUNDS[budget]
  const ofSender = { atOnce: inAll.atOnce / 4, max: inAll.max / 4 }
  return [
    { key: budget, ...inAll },
    { key: `${budget} host ${shareOf}`, ...ofHost },
    ...(sender === undefined ? [] : [{ key: `${budget} sender ${sender}`, ...ofSender }]),
  ]
}

const MAX_URL_LENGTH = 2048

/** A domain name with at least two labels. A single label, such as `localhost`, is not a name of the internet. */
const DOMAIN_NAME = /^[a-z\d_-]+(\.[a-z\d_-]+)+$/

/** @throws {OutgoingProblem} `rejected` if no request may be made to this URL */
export function parseTarget(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw rejected(`the URL has more than ${MAX_URL_LENGTH} characters`)
  const url = URL.parse(text)
  if (!url) throw rejected('the URL is not valid')
  if (url.protocol !== 'https:') throw rejected('the URL does not start with https://')
  if (url.username !== '' || url.password !== '') throw rejected('the URL contains a user name or password')
  if (url.hash !== '') throw rejected('the URL contains a fragment')
  // The URL parser writes all forms of IPv4 addresses, such as `0x7f.1` and `2130706433`, as `127.0.0.1`.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw rejected('the URL contains an IP address instead of a domain name')
  }
  if (!DOMAIN_NAME.test(url.hostname))
    throw rejected('the host of the URL is not a domain name of the internet')
  return url
}
