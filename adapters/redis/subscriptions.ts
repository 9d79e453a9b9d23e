// Model: test/proof/models/revocation-feed.pml
import { GatehouseError, storeClosed } from '../../src/errors.ts'
import { createChannelListeners } from '../../src/store/channel-listeners.ts'
import type { RedisClient, RedisConnection, RedisNode } from './client.ts'
import { addressOf, connect } from './connect.ts'

/** Messages are lost without a connection, so the pauses are short for ten seconds: failovers take no longer. */
const retryDelay = (attempt: number): number => (attempt > 100 ? 500 : Math.min(attempt * 50, 100))

/** If the client does not know the node again by then, the node counts as removed. */
const NODE_REMOVED_AFTER_MS = 1000

/**
 * Subscribes to channels over a separate connection, which is opened with the first subscription. In a cluster it leads
 * to one node, which receives the messages of all nodes. If that node leaves, the adapter connects to another one.
 */
export function createSubscriptions(client: RedisClient) {
  const messages = createMessageConnection(client)
  const { listeners } = messages

  return {
    close(): void {
      listeners.clear()
      disconnect(messages)
    },
    async subscribe(
      channel: string,
      listener: (message: string) => void,
      missed?: () => void,
    ): Promise<() => Promise<void>> {
      const subscription = listeners.add(channel, listener, missed)

      function unsubscribe(): void {
        if (!subscription.remove()) return
        // An open connection keeps the process alive, so it is closed when there are no subscriptions.
        if (listeners.channels().length === 0) disconnect(messages)
        // The outcome of unsubscribing does not matter, because the channel has no listeners.
        else messages.connected?.unsubscribe(channel).catch(() => {})
      }

      const subscribe = async () => {
        if (!subscription.isListening()) throw storeClosed('Redis')
        return (await openConnection(messages)).subscribe(channel)
      }
      try {
        // The connection of the first attempt may just have been lost, or its node may have left the cluster.
        await subscribe().catch(subscribe)
      } catch (error) {
        unsubscribe()
        // If Redis rejects the first attempt, the error of the second may only say that the connection was closed.
        throw error instanceof GatehouseError ? error : (messages.lastError ?? error)
      }
      return async () => unsubscribe()
    },
  }
}

function createMessageConnection(client: RedisClient) {
  const messages = {
    client,
    listeners: createChannelListeners(),
    onNodeLost: (node: RedisNode): void => leaveNode(messages, node),
    onClientReady: (): void => reconnectNow(messages),
    connection: undefined as Promise<RedisConnection> | undefined,
    connected: undefined as RedisConnection | undefined,
    nextAttempt: undefined as NodeJS.Timeout | undefined,
    nodeCheck: undefined as NodeJS.Timeout | undefined,
    attempts: 0,
    lastError: undefined as unknown,
    wasReady: false,
  }
  return messages
}

type MessageConnection = ReturnType<typeof createMessageConnection>

function openConnection(messages: MessageConnection): Promise<RedisConnection> {
  const { client, onNodeLost, onClientReady } = messages
  clearTimeout(messages.nextAttempt)
  if (messages.connection) return messages.connection
  client.off('-node', onNodeLost)
  client.on('-node', onNodeLost)
  client.off('ready', onClientReady)
  client.on('ready', onClientReady)
  const opening = connect(client).then((opened) => {
    if (messages.connection === opening) use(messages, opened)
    else opened.disconnect()
    return opened
  })
  messages.connection = opening
  opening.catch(() => {
    if (messages.connection === opening) reconnect(messages)
  })
  return opening
}

function use(messages: MessageConnection, opened: RedisConnection): void {
  const { listeners } = messages
  messages.connected = opened
  // Without this listener, the error would be uncaught. A pending subscription rejects with the error.
  opened.on('error', (error: unknown) => (messages.lastError = error))
  opened.on('message', listeners.deliver)
  opened.on('ready', () => {
    const channels = listeners.channels()
    if (channels.length === 0) return
    // A subscription may be confirmed before the answer below, and the connection may be lost between the two.
    const { wasReady } = messages
    messages.wasReady = true
    opened.subscribe(...channels).then(
      () => {
        if (messages.connected !== opened) return
        messages.lastError = undefined
        messages.attempts = 0
        if (wasReady) listeners.notifyMissed()
      },
      // A connection without its subscriptions is useless. The next connection subscribes again.
      (error: unknown) => {
        messages.lastError = error
        opened.disconnect()
      },
    )
  })
  opened.on('end', () => {
    if (messages.connected === opened) reconnect(messages)
  })
}

function reconnect(messages: MessageConnection): void {
  messages.connection = undefined
  messages.connected = undefined
  if (messages.listeners.channels().length === 0) return
  clearTimeout(messages.nextAttempt)
  messages.nextAttempt = setTimeout(
    () => void openConnection(messages).catch(() => {}),
    retryDelay((messages.attempts += 1)),
  )
}

/** Connects without a pause, because the client has just reached Redis. */
function reconnectNow(messages: MessageConnection): void {
  const { listeners, connected, wasReady } = messages
  if (listeners.channels().length === 0 || connected?.status === 'ready') return
  if (wasReady) listeners.notifyMissed()
  void openConnection(messages).catch(() => {})
}

/** A node that has left the cluster receives no more messages, although it may still answer. */
function leaveNode(messages: MessageConnection, node: RedisNode): void {
  const { client, connected: opened } = messages
  if (!opened || addressOf(node) !== addressOf(opened)) return
  clearTimeout(messages.nodeCheck)
  // Usually only the client's own connection to the node has ended, and the node is soon known again.
  messages.nodeCheck = setTimeout(() => {
    const isKnown = client.nodes?.().some((known) => addressOf(known) === addressOf(opened))
    if (messages.connected === opened && !isKnown) opened.disconnect()
  }, NODE_REMOVED_AFTER_MS)
}

function disconnect(messages: MessageConnection): void {
  const { client, connected } = messages
  client.off('-node', messages.onNodeLost)
  client.off('ready', messages.onClientReady)
  clearTimeout(messages.nodeCheck)
  clearTimeout(messages.nextAttempt)
  messages.connection = undefined
  messages.connected = undefined
  messages.wasReady = false
  connected?.disconnect()
}
