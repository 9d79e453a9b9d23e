import { Redis } from 'ioredis'
import { vi } from 'vitest'
import { freePort, startRedis, type RedisServer } from './redis-server.ts'

/** A Redis Cluster of two masters, each with half of the slots. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  stop(): Promise<void>
}

/** Starts a cluster on 127.0.0.1 and waits until its nodes know each other. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes: RedisServer[] = []
  const buses: number[] = []
  for (let count = 0; count < 2; count += 1) {
    const bus = await freePort()
    const args = [
      '--cluster-enabled',
      'yes',
      '--cluster-announce-ip',
      '127.0.0.1',
      '--cluster-port',
      String(bus),
    ]
    nodes.push(await startRedis({ args }))
    buses.push(bus)
  }
  const clients = nodes.map(({ port }) => new Redis(port))
  const [first, second] = clients as [Redis, Redis]
  await first.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191)
  await second.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383)
  await first.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1]!.port, buses[1]!)
  await vi.waitFor(
    async () => {
      for (const client of clients) {
        const info = await client.cluster('INFO')
        if (!info.includes('cluster_state:ok')) throw new Error(`the cluster is not up:\n${info}`)
      }
    },
    { timeout: 20_000 },
  )
  for (const client of clients) client.disconnect()

  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
