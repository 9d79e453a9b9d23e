/** The faults that `chaos.ts` injects into Redis. */
import { setTimeout as delay } from 'node:timers/promises'
import { askRedis } from '../support/ask-redis.ts'
import { startRedisCluster, type RedisCluster, type RedisNode } from '../support/redis-cluster.ts'
import { startRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'

/** An outage of Redis or of a part of it. Times are values of `performance.now()`. */
export interface Outage {
  readonly startedAt: number
  /** When every node serves all slots again. For a single Redis, this is the same as `recoveredAt`. */
  readonly servedAt: number
  /** When every master has its replica in sync again. */
  readonly recoveredAt: number
}

/** A Redis with the faults that are injected into it. */
export interface Faults {
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** Milliseconds from the start of the run to each fault. */
  readonly times: readonly number[]
  /** Injects one fault; settles when Redis has recovered. */
  inject(): Promise<Outage>
  stop(): Promise<void>
}

const PAUSED_MS = 10_000
const REPLICA_LAG_MS = 1500
const FAULT_TIMES_MS = [8000, 25_000, 42_000]

/** A master is killed, and its replica takes over. The killed master restarts empty as the replica. */
export async function masterKilled(): Promise<Faults> {
  return onCluster(async (victim) => {
    await victim.kill()
    return { restore: () => victim.restart(), minimumMs: 0 }
  })
}

/** A master is frozen for 10 s, and its replica takes over. The frozen master resumes and is demoted. */
export async function masterPaused(): Promise<Faults> {
  return onCluster(async (victim) => {
    victim.pause()
    return { restore: async () => victim.resume(), minimumMs: PAUSED_MS }
  })
}

/** A replica is cut off for a while, and then takes over without the latest writes of its master. */
export async function replicaBehind(): Promise<Faults> {
  return onCluster(async (victim, replica) => {
    replica.pause()
    await askRedis(victim, 'CLIENT', 'KILL', 'TYPE', 'replica')
    await delay(REPLICA_LAG_MS)
    await victim.kill()
    replica.resume()
    return { restore: () => victim.restart(), minimumMs: 0 }
  })
}

/** The only Redis is frozen for 10 s. */
export async function redisPaused(): Promise<Faults> {
  const server = await startRedis()
  return {
    addresses: [{ host: '127.0.0.1', port: server.port }],
    times: [8000, 32_000],
    async inject() {
      const startedAt = performance.now()
      server.pause()
      await delay(PAUSED_MS)
      server.resume()
      const recoveredAt = performance.now()
      return { startedAt, servedAt: recoveredAt, recoveredAt }
    },
    stop: () => server.stop(),
  }
}

/**
 * Starts a cluster. Its faults hit one master after the other.
 *
 * @param fault makes the victim fail; returns a function that restores the victim, and the minimum milliseconds
 *   of the outage
 */
async function onCluster(
  fault: (
    victim: RedisNode,
    replica: RedisNode,
  ) => Promise<{ restore: () => Promise<void>; minimumMs: number }>,
): Promise<Faults> {
  const cluster = await startRedisCluster()
  let count = 0
  return {
    addresses: cluster.addresses,
    times: FAULT_TIMES_MS,
    async inject() {
      await cluster.ready()
      const masters = await cluster.masters()
      const victim = masters[count % masters.length]
      if (!victim) throw new Error('the cluster has no master')
      count += 1
      const replica = await cluster.replicaOf(victim)
      const startedAt = performance.now()
      const { restore, minimumMs } = await fault(victim, replica)
      // Waits for the promotion: a victim that restarts before its replica is promoted would come back as an
      // empty master.
      await until(() => requirePromoted(cluster, victim, replica))
      const servedAt = performance.now()
      await delay(Math.max(0, minimumMs - (servedAt - startedAt)))
      await restore()
      await cluster.ready()
      return { startedAt, servedAt, recoveredAt: performance.now() }
    },
    stop: () => cluster.stop(),
  }
}

/** Throws until all nodes but the victim know the replica as the master, and all slots are served. */
export async function requirePromoted(
  cluster: RedisCluster,
  victim: RedisNode,
  replica: RedisNode,
): Promise<void> {
  const others = cluster.nodes.filter((node) => node !== victim)
  await Promise.all(
    others.map(async (node) => {
      const [info, nodes] = [
        await askRedis(node, 'CLUSTER', 'INFO'),
        await askRedis(node, 'CLUSTER', 'NODES'),
      ]
      const line = String(nodes)
        .split('\n')
        .find((each) => each.startsWith(replica.id))
      if (!String(info).includes('cluster_state:ok')) throw new Error('not all slots are served')
      if (!line || !/ (myself,)?master /.test(line)) throw new Error('the replica is not promoted yet')
    }),
  )
}
