import { BOUNDS, createBudget } from './budget.ts'
import { internet, type OutgoingConnections } from './connections.ts'
import { fetchDocument, type FetchedJson } from './fetch-document.ts'
import { unavailable } from './outgoing-problem.ts'
import { parseTarget } from './parse-target.ts'

/** Maximum milliseconds of a request: DNS, connection, TLS, headers and body together. */
const TIMEOUT_MS = 5_000

/** Milliseconds after a failed request during which the same URL is not requested again. */
const PAUSE_MS = 1_000

/** Requests to addresses that strangers have named, such as the URL of a client metadata document. */
export type Outgoing = ReturnType<typeof createOutgoing>

/** What a caller of `fetchJson` states about the request. */
export interface FetchJsonOptions {
  /** Maximum number of bytes of the body. */
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

/**
 * Creates the requests to addresses that strangers have named. They are bounded, and reach only hosts on the internet.
 *
 * @param options.timeoutMs maximum milliseconds of a request. @default 5000
 * @param options.now milliseconds of a clock that never goes back. @default performance.now
 */
export function createOutgoing(options: { readonly timeoutMs?: number; readonly now?: () => number } = {}) {
  const { timeoutMs = TIMEOUT_MS, now = () => performance.now() } = options
  const budgets = { new: createBudget(BOUNDS.new, now), known: createBudget(BOUNDS.known, now) }
  /**
   * By URL and maximum size: the running requests, and those that failed less than a second ago. The budgets bound both,
   * so this map is small.
   */
  const requests = new Map<string, { readonly fetched: Promise<FetchedJson>; failedAt?: number }>()
  let connections = internet

  function forgetFailures(): void {
    for (const [key, { failedAt }] of requests) {
      if (failedAt !== undefined && now() - failedAt >= PAUSE_MS) requests.delete(key)
    }
  }

  return {
    /**
     * Fetches a JSON object with GET. Callers of the same URL share one request, and its result. The URL must be `https:` with
     * a domain name, all addresses of this name must be public (RFC 6890), and the response must have status 200, a
     * JSON type and at most `maxBytes`. Redirects are not followed.
     *
     * @throws {OutgoingProblem} `unavailable` if a later request may succeed, also if too many requests are made;
     *   otherwise `rejected`
     */
    async fetchJson(text: string, options: FetchJsonOptions): Promise<FetchedJson> {
      const { maxBytes, budget, sender } = options
      const url = parseTarget(text)
      const key = `${maxBytes} ${url.href}`
      forgetFailures()
      const joined = requests.get(key)
      if (joined) return joined.fetched
      const end = budgets[budget].begin(options.shareOf ?? url.hostname, sender)
      if (end === undefined) throw unavailable('too many requests to other hosts are made at the moment')
      const fetched = fetchDocument(url, { maxBytes, timeoutMs, connections }).finally(end)
      requests.set(key, { fetched })
      fetched.then(
        () => requests.delete(key),
        () => requests.set(key, { fetched, failedAt: now() }),
      )
      return fetched
    },

    /** Replaces how requests reach a host. Only tests call it: the host has no option for it. */
    replaceConnections(replacement: OutgoingConnections): void {
      connections = replacement
    },
  }
}
