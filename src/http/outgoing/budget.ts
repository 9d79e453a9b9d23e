/**
 * How many outgoing requests may run at once, and how many may begin in a minute: in all, and to each host. Each sender may
 * cause a quarter of all, so that one stranger does not use up what all others may fetch.
 */
export const BOUNDS = {
  /** For addresses that strangers may have invented. */
  new: { atOnce: 16, atOncePerHost: 4, perMinute: 120, perMinutePerHost: 30 },
  /** For addresses of known clients. */
  known: { atOnce: 64, atOncePerHost: 4, perMinute: 600, perMinutePerHost: 30 },
}

const MINUTE_MS = 60_000

/**
 * Creates the bounds of outgoing requests. A request beyond a bound is rejected, and never waits. The bounds remember
 * only what they count: the requests of a minute.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createBudget(max: (typeof BOUNDS)['new'], now: () => number) {
  type Request = { readonly host: string; readonly sender: string | undefined; readonly at: number }
  const running: Request[] = []
  /** The requests of the last minute, oldest first. */
  let started: Request[] = []

  return {
    /**
     * Counts a request, if no bound is exceeded.
     *
     * @param host the name of the host in lower case, without its port: a host must not get more requests by naming other ports
     * @param sender the address group of the client that causes the request; undefined if it has no share of its own
     * @returns the function to call when the request has ended; undefined if the request must not begin
     */
    begin(host: string, sender?: string): (() => void) | undefined {
      const request = { host, sender, at: now() }
      started = started.filter(({ at }) => request.at - at < MINUTE_MS)
      const isFull = (counts: (one: Request) => boolean, atOnce: number, perMinute: number) =>
        running.filter(counts).length >= atOnce || started.filter(counts).length >= perMinute
      const isExceeded =
        isFull(() => true, max.atOnce, max.perMinute) ||
        isFull((one) => one.host === host, max.atOncePerHost, max.perMinutePerHost) ||
        (sender !== undefined && isFull((one) => one.sender === sender, max.atOnce / 4, max.perMinute / 4))
      if (isExceeded) return undefined
      running.push(request)
      started.push(request)
      return () => void running.splice(running.indexOf(request), 1)
    },
  }
}
