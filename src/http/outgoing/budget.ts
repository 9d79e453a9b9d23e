import { createRateLimit } from '../../async/rate-limit.ts'

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

/**
 * Creates the bounds of outgoing requests. A request beyond a bound is rejected, and never waits.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createBudget(max: (typeof BOUNDS)['new'], now: () => number) {
  const limit = createRateLimit({ windowSeconds: 60, now: () => now() / 1000 })
  const running: { readonly host: string; readonly sender: string | undefined }[] = []

  return {
    /**
     * Counts a request, if no bound is exceeded.
     *
     * @param host the name of the host in lower case, without its port: a host must not get more requests by naming other ports
     * @param sender the address group of the client that causes the request; undefined if it has no share of its own
     * @returns the function to call when the request has ended; undefined if the request must not begin
     */
    begin(host: string, sender?: string): (() => void) | undefined {
      const request = { host, sender }
      const ofHost = running.filter((one) => one.host === host)
      const ofSender = sender === undefined ? [] : running.filter((one) => one.sender === sender)
      const bounds = [
        { key: 'all', max: max.perMinute },
        { key: `host ${host}`, max: max.perMinutePerHost },
        ...(sender === undefined ? [] : [{ key: `sender ${sender}`, max: max.perMinute / 4 }]),
      ]
      const isFull =
        running.length >= max.atOnce ||
        ofHost.length >= max.atOncePerHost ||
        ofSender.length >= max.atOnce / 4
      if (isFull || limit.take(bounds) > 0) return undefined
      running.push(request)
      return () => void running.splice(running.indexOf(request), 1)
    },
  }
}
