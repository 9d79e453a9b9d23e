import { errorMonitor } from 'node:events'
import type { RedisClient, RedisNode } from './client.ts'

/**
 * Counts the connections that a client has lost, including the connections to the nodes of a cluster. ioredis
 * silently resends a command if its connection is lost before the answer. A write that Redis has already applied then
 * looks like one that found nothing to change, so a write compares the count before and after its command.
 * Also keeps the reason of a failed connection, which the errors of commands hide. ioredis does not count a listener
 * of `errorMonitor`, and so still prints the errors of a client without listeners.
 */
export function countConnectionLosses(client: RedisClient) {
  let count = 0
  let lastError: unknown
  const errorEvent = client.isCluster ? 'node error' : errorMonitor
  // The event `ready` has no error.
  const keep = (error?: unknown) => void (lastError = error)
  const watched = new Set<RedisNode>()
  const add = () => void (count += 1)
  const watch = (node: RedisNode) => {
    if (watched.has(node)) return
    watched.add(node)
    node.on('close', add)
  }
  const unwatch = (node: RedisNode) => {
    add()
    watched.delete(node)
    node.off('close', add)
  }

  client.on(errorEvent, keep)
  client.on('ready', keep)
  client.on('close', add)
  client.on('-node', unwatch)
  // With clusterNodeRetryStrategy ioredis reconnects a node without the event `-node`.
  client.on('+node', watch)
  if (client.isCluster) for (const node of client.nodes?.() ?? []) watch(node)

  return {
    count: () => count,
    lastError: () => lastError,
    stop() {
      client.off(errorEvent, keep)
      client.off('ready', keep)
      client.off('close', add)
      client.off('-node', unwatch)
      client.off('+node', watch)
      for (const node of watched) node.off('close', add)
      watched.clear()
    },
  }
}

export type ConnectionLosses = ReturnType<typeof countConnectionLosses>
