import type { RedisClient } from './client.ts'
import type { ConnectionLosses } from './connection-losses.ts'

/** Milliseconds until a client that ended by itself connects again. */
const RECONNECT_MS = 100

/**
 * Connects a client again if it ended by itself. With `failoverDetector: true`, a race can end the client for good: the
 * Sentinels announce a new master while the client asks them for the master. A client that the host has closed, or
 * whose `retryStrategy` gave up, stays closed.
 *
 * Relies on: a client of ioredis changes from `connecting` to `end` without a `close` in only two cases. It ended by
 * itself, or the host closed it while it was `connecting`. In the second case, `manuallyClosing` is true.
 *
 * @param losses counts each `close` of the client
 * @returns a function that stops watching the client
 */
export function reconnectEnded(client: RedisClient, losses: Pick<ConnectionLosses, 'count'>): () => void {
  let lostBefore: number | undefined
  let timer: NodeJS.Timeout | undefined
  const begin = () => (lostBefore = losses.count())
  const reconnect = () => {
    const isClosedByHost = Reflect.get(client, 'manuallyClosing') === true
    if (client.status === 'end' && !isClosedByHost) client.connect?.().catch(() => {})
  }
  const end = () => {
    if (lostBefore === losses.count()) timer = setTimeout(reconnect, RECONNECT_MS)
  }

  client.on('connecting', begin)
  client.on('end', end)
  return () => {
    clearTimeout(timer)
    client.off('connecting', begin)
    client.off('end', end)
  }
}
