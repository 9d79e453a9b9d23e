import type { RedisClient, RedisNode } from './client.ts'

/**
 * Counts the connections that a client has lost, those to the nodes of a cluster included. ioredis sends a command
 * again when its connection is lost before the answer has come, and says nothing of it.
 */
export function countLosses(client: RedisClient) {
  let count = 0
  const watched = new Set<RedisNode>()
  const add = () => {
    count += 1
  }
  const watch = (node: RedisNode) => {
    if (watched.has(node)) return
    watched.add(node)
    node.on('close', add)
  }
  const forget = (node: RedisNode) => {
    add()
    watched.delete(node)
    node.off('close', add)
  }

  client.on('close', add)
  client.on('-node', forget)
  // With clusterNodeRetryStrategy a node is connected to again, and never leaves.
  client.on('+node', watch)
  if (client.isCluster) for (const node of client.nodes?.() ?? []) watch(node)

  return {
    count: () => count,
    stop() {
      client.off('close', add)
      client.off('-node', forget)
      client.off('+node', watch)
      for (const node of watched) node.off('close', add)
      watched.clear()
    },
  }
}
