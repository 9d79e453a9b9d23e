import type { RedisClient, RedisConnection, RedisNode } from './client.ts'
import { addressOf, connect } from './connect.ts'
import { storeClosed } from './errors.ts'

/**
 * Milliseconds until the next attempt to connect. Messages are missed while there is no connection. So the pauses
 * are short for the ten seconds in which a failover usually ends.
 */
const retryDelay = (attempt: number): number => (attempt > 100 ? 500 : Math.min(attempt * 50, 100))

/**
 * Milliseconds to wait after the client has lost a node. If the client does not know the node again by then,
 * the node counts as removed.
 */
const NODE_REMOVED_AFTER_MS = 1000

interface Subscription {
  deliver(message: string): void
  missed(): void
}

/**
 * Subscribes to channels over a separate connection, which is opened with the first subscription. In a
 * cluster this connection leads to one node, which receives the messages of all nodes. If that node leaves
 * the cluster, the adapter connects to another node.
 */
export function createSubscriptions(client: RedisClient) {
  const channels = new Map<string, Set<Subscription>>()
  let connection: Promise<RedisConnection> | undefined
  let connected: RedisConnection | undefined
  let nextAttempt: NodeJS.Timeout | undefined
  let nodeCheck: NodeJS.Timeout | undefined
  let attempts = 0
  let wasReady = false

  function openConnection(): Promise<RedisConnection> {
    clearTimeout(nextAttempt)
    if (connection) return connection
    client.off('-node', leaveNode)
    client.on('-node', leaveNode)
    client.off('ready', reconnectNow)
    client.on('ready', reconnectNow)
    const opening = connect(client).then((opened) => {
      if (connection === opening) use(opened)
      else opened.disconnect()
      return opened
    })
    connection = opening
    opening.catch(() => {
      if (connection === opening) reconnect()
    })
    return opening
  }

  function use(opened: RedisConnection): void {
    connected = opened
    // This listener only keeps the error from being uncaught. A pending subscription rejects with the error.
    opened.on('error', () => {})
    opened.on('message', (channel, message) => {
      for (const subscription of channels.get(channel) ?? []) subscription.deliver(message)
    })
    opened.on('ready', () => {
      if (channels.size === 0) return
      opened.subscribe(...channels.keys()).then(
        () => {
          if (connected !== opened) return
          attempts = 0
          if (wasReady) notifyMissed()
          wasReady = true
        },
        // A connection without its subscriptions is useless. The next connection subscribes again.
        () => opened.disconnect(),
      )
    })
    opened.on('end', () => {
      if (connected === opened) reconnect()
    })
  }

  /** Connects again after a pause, as long as there are subscriptions. */
  function reconnect(): void {
    connection = undefined
    connected = undefined
    if (channels.size === 0) return
    clearTimeout(nextAttempt)
    nextAttempt = setTimeout(() => void openConnection().catch(() => {}), retryDelay((attempts += 1)))
  }

  /**
   * Connects without a pause, because the client has just reached Redis. What was missed until now can be read with
   * the client.
   */
  function reconnectNow(): void {
    if (channels.size === 0 || connected?.status === 'ready') return
    if (wasReady) notifyMissed()
    void openConnection().catch(() => {})
  }

  function notifyMissed(): void {
    for (const subscription of [...channels.values()].flatMap((all) => [...all])) subscription.missed()
  }

  /**
   * Disconnects from a node that has left the cluster. Such a node receives no more messages, although it may
   * still answer.
   */
  function leaveNode(node: RedisNode): void {
    const opened = connected
    if (!opened || addressOf(node) !== addressOf(opened)) return
    clearTimeout(nodeCheck)
    // Usually only the client's own connection to the node has ended, and the node is soon known again.
    nodeCheck = setTimeout(() => {
      const isKnown = client.nodes?.().some((known) => addressOf(known) === addressOf(opened))
      if (connected === opened && !isKnown) opened.disconnect()
    }, NODE_REMOVED_AFTER_MS)
  }

  function disconnect(): void {
    client.off('-node', leaveNode)
    client.off('ready', reconnectNow)
    clearTimeout(nodeCheck)
    clearTimeout(nextAttempt)
    const previous = connected
    connection = undefined
    connected = undefined
    wasReady = false
    previous?.disconnect()
  }

  return {
    close(): void {
      for (const subscriptions of channels.values()) subscriptions.clear()
      channels.clear()
      disconnect()
    },
    async subscribe(
      channel: string,
      listener: (message: string) => void,
      missed: () => void = () => {},
    ): Promise<() => Promise<void>> {
      const subscriptions = channels.get(channel) ?? new Set()
      channels.set(channel, subscriptions)

      // The failure of a listener affects nothing else, and an ended subscription calls no listener.
      const notify = (call: () => void) => {
        Promise.resolve()
          .then(() => (subscriptions.has(subscription) ? call() : undefined))
          .catch(() => {})
      }
      const subscription = {
        deliver: (message: string) => notify(() => listener(message)),
        missed: () => notify(missed),
      }

      function unsubscribe(): void {
        subscriptions.delete(subscription)
        if (subscriptions.size > 0 || channels.get(channel) !== subscriptions) return
        channels.delete(channel)
        // An open connection keeps the process alive, so it is closed when there are no subscriptions.
        if (channels.size === 0) disconnect()
        // The outcome of unsubscribing does not matter, because the channel has no listeners.
        else connected?.unsubscribe(channel).catch(() => {})
      }

      const subscribe = async () => {
        if (!subscriptions.has(subscription)) throw storeClosed()
        return (await openConnection()).subscribe(channel)
      }
      subscriptions.add(subscription)
      try {
        // A second attempt follows, because the connection of the first attempt may just have been lost, or
        // its node may have left the cluster.
        await subscribe().catch(subscribe)
      } catch (error) {
        unsubscribe()
        throw error
      }
      return async () => unsubscribe()
    },
  }
}
