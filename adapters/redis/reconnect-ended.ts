import type { RedisClient } from './client.ts'

/** Milliseconds until a client that ended by itself connects again. */
const RECONNECT_MS = 100

/**
 * Connects a client again if it ended by itself. With `failoverDetector: true`, ioredis ends a client for good if the
 * Sentinels announce a new master at the moment at which the client asks them for the master. A client that the host
 * has closed, or whose `retryStrategy` gave up, stays closed.
 *
 * Relies on: only a client that ends by itself goes from `connecting` to `end`. If its host closes it at that moment,
 * `manuallyClosing` is true.
 *
 * @returns a function that stops watching the client
 */
export function reconnectEnded(client: RedisClient): () => void {
  let isConnecting = false
  let timer: NodeJS.Timeout | undefined
  const begin = () => (isConnecting = true)
  const close = () => (isConnecting = false)
  const reconnect = () => {
    const isClosedByHost = Reflect.get(client, 'manuallyClosing') === true
    if (client.status === 'end' && !isClosedByHost) client.connect?.().catch(() => {})
  }
  const end = () => {
    if (isConnecting) timer = setTimeout(reconnect, RECONNECT_MS)
  }

  client.on('connecting', begin)
  client.on('close', close)
  client.on('end', end)
  return () => {
    clearTimeout(timer)
    client.off('connecting', begin)
    client.off('close', close)
    client.off('end', end)
  }
}
