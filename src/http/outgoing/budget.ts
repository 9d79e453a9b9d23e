/** How many outgoing requests may run at once, and how many may begin in a minute: in all, and to each host. */
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
  /** The hosts of the running requests. */
  const running: string[] = []
  /** The requests of the last minute, oldest first. */
  let started: { readonly host: string; readonly at: number }[] = []

  return {
    /**
     * Counts a request, if no bound is exceeded.
     *
     * @param host the name of the host in lower case, without its port: a host must not get more requests by naming other ports
     * @returns the function to call when the request has ended; undefined if the request must not begin
     */
    begin(host: string): (() => void) | undefined {
      const at = now()
      started = started.filter((one) => at - one.at < MINUTE_MS)
      const isExceeded =
        running.length >= max.atOnce ||
        started.length >= max.perMinute ||
        running.filter((one) => one === host).length >= max.atOncePerHost ||
        started.filter((one) => one.host === host).length >= max.perMinutePerHost
      if (isExceeded) return undefined
      running.push(host)
      started.push({ host, at })
      return () => void running.splice(running.indexOf(host), 1)
    },
  }
}
