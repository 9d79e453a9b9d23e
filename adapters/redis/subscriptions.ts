import type { RedisClient, RedisConnection, RedisNode } from './client.ts'
import { addressOf, connect } from './connect.ts'

/** Milliseconds until the next attempt to connect. Messages are missed meanwhile, so it stays short. */
const retryAfter = (attempt: number): number => Math.min(attempt * 50, 500)

/** Milliseconds until a node that the client has lost, and does not know again, counts as gone. */
const UNTIL_A_NODE_IS_BACK = 1000

interface Subscription {
  deliver(message: string): void
  missed(): void
}

/**
 * Listens to channels over a connection of its own, which it opens when it is first needed. On a cluster it listens
 * at one node, which hears what is published at any other; if that leaves, at another one.
 */
export function createSubscriptions(client: RedisClient) {
  const channels = new Map<string, Set<Subscription>>()
  let connection: Promise<RedisConnection> | undefined
  let listensTo: RedisConnection | undefined
  let nextAttempt: NodeJS.Timeout | undefined
  let leaving: NodeJS.Timeout | undefined
  let attempts = 0
  let wasReady = false

  function listening(): Promise<RedisConnection> {
    clearTimeout(nextAttempt)
    if (connection) return connection
    client.off('-node', leaveNode)
    client.on('-node', leaveNode)
    const opening = connect(client).then((opened) => {
      if (connection === opening) follow(opened)
      else opened.disconnect()
      return opened
    })
    connection = opening
    opening.catch(() => {
      if (connection === opening) lost()
    })
    return opening
  }

  function follow(opened: RedisConnection): void {
    listensTo = opened
    // Whoever waits for a subscription hears of a failure there.
    opened.on('error', () => {})
    opened.on('message', (channel, message) => {
      for (const subscription of channels.get(channel) ?? []) subscription.deliver(message)
    })
    opened.on('ready', () => {
      if (channels.size === 0) return
      opened.subscribe(...channels.keys()).then(
        () => {
          if (listensTo !== opened) return
          attempts = 0
          if (wasReady) tellMissed()
          wasReady = true
        },
        // One that does not listen is of no use: the next one tries again.
        () => opened.disconnect(),
      )
    })
    opened.on('end', () => {
      if (listensTo === opened) lost()
    })
  }

  /** Tries again, as long as somebody listens. */
  function lost(): void {
    connection = undefined
    listensTo = undefined
    if (channels.size === 0) return
    clearTimeout(nextAttempt)
    nextAttempt = setTimeout(() => void listening().catch(() => {}), retryAfter((attempts += 1)))
  }

  function tellMissed(): void {
    for (const subscription of [...channels.values()].flatMap((all) => [...all])) subscription.missed()
  }

  /** A node that has left the cluster hears nothing more, though it may go on answering. */
  function leaveNode(node: RedisNode): void {
    const opened = listensTo
    if (!opened || addressOf(node) !== addressOf(opened)) return
    clearTimeout(leaving)
    // Mostly it was but the client's own connection that has ended, and the node is soon there again.
    leaving = setTimeout(() => {
      const isThere = client.nodes?.().some((known) => addressOf(known) === addressOf(opened))
      if (listensTo === opened && !isThere) opened.disconnect()
    }, UNTIL_A_NODE_IS_BACK)
  }

  function disconnect(): void {
    client.off('-node', leaveNode)
    clearTimeout(leaving)
    clearTimeout(nextAttempt)
    const left = listensTo
    connection = undefined
    listensTo = undefined
    wasReady = false
    left?.disconnect()
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
        // An open connection keeps a process alive that has nothing else to do.
        if (channels.size === 0) disconnect()
        // Not waited for: nobody listens any more, whatever becomes of it.
        else listensTo?.unsubscribe(channel).catch(() => {})
      }

      const listen = async () => (await listening()).subscribe(channel)
      subscriptions.add(subscription)
      try {
        // The first attempt may have met a connection that was just lost, or a node that is gone.
        await listen().catch(listen)
      } catch (error) {
        leave()
        throw error
      }
      return async () => leave()
    },
  }
}
