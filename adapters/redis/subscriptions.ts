import type { RedisClient, RedisSubscriber } from './client.ts'

/** Milliseconds until the next attempt to connect. Messages are missed meanwhile, so it stays short. */
const retryStrategy = (attempt: number): number => Math.min(attempt * 50, 500)

/** What must differ from the host's client on a connection that does nothing but listen. */
const SINGLE_SERVER = {
  retryStrategy,
  // The first command is given before the connection is there, and fails after the next attempt.
  enableOfflineQueue: true,
  maxRetriesPerRequest: 1,
  // We resubscribe ourselves: ioredis leaves the rejection unhandled if the connection is lost meanwhile.
  autoResubscribe: false,
  // Without it, ioredis drops a command whose answer was lost without ever settling its promise.
  autoResendUnfulfilledCommands: true,
  // A connection that never sends would not notice that the other side is gone.
  keepAlive: 10_000,
}
const CLUSTER = { clusterRetryStrategy: retryStrategy, enableOfflineQueue: true }

interface Subscription {
  deliver(message: string): void
  missed(): void
}

/** Listens to channels over a connection of its own, which it opens when it is first needed. */
export function createSubscriptions(client: RedisClient) {
  const channels = new Map<string, Set<Subscription>>()
  let connection: RedisSubscriber | undefined

  function open(): RedisSubscriber {
    const opened = client.isCluster ? client.duplicate([], CLUSTER) : client.duplicate(SINGLE_SERVER)
    // It reconnects by itself; whoever waits for a subscription hears of a failure there.
    opened.on('error', () => {})
    opened.on('message', (channel, message) => {
      for (const subscription of channels.get(channel) ?? []) subscription.deliver(message)
    })
    let wasReady = false
    opened.on('ready', () => {
      const isBack = wasReady
      wasReady = true
      if (channels.size === 0) return
      opened.subscribe(...channels.keys()).then(
        () => (isBack ? tellMissed() : undefined),
        // The connection is lost again, and the next one tries again.
        () => {},
      )
    })
    return opened
  }

  function tellMissed(): void {
    for (const subscription of [...channels.values()].flatMap((all) => [...all])) subscription.missed()
  }

  function close(): void {
    for (const subscriptions of channels.values()) subscriptions.clear()
    channels.clear()
    connection?.disconnect()
    connection = undefined
  }

  return {
    close,
    async subscribe(
      channel: string,
      listener: (message: string) => void,
      missed: () => void = () => {},
    ): Promise<() => Promise<void>> {
      connection ??= open()
      const listening = connection
      const subscriptions = channels.get(channel) ?? new Set()
      channels.set(channel, subscriptions)

      // A listener that throws or rejects disturbs nobody, and one that has left hears nothing more.
      const tell = (call: () => void) => {
        Promise.resolve()
          .then(() => (subscriptions.has(subscription) ? call() : undefined))
          .catch(() => {})
      }
      const subscription = {
        deliver: (message: string) => tell(() => listener(message)),
        missed: () => tell(missed),
      }

      function leave(): void {
        subscriptions.delete(subscription)
        if (subscriptions.size > 0 || channels.get(channel) !== subscriptions) return
        channels.delete(channel)
        if (channels.size === 0) {
          // An open connection keeps a process alive that has nothing else to do.
          close()
          return
        }
        // Not waited for: nobody listens any more, whatever becomes of it.
        listening.unsubscribe(channel).catch(() => {})
      }

      subscriptions.add(subscription)
      try {
        await listening.subscribe(channel)
      } catch (error) {
        leave()
        throw error
      }
      return async () => leave()
    },
  }
}
