/** What `chaos.ts` does to Redis while clients are at work. */
import { setTimeout as delay } from 'node:timers/promises'
import { askRedis } from '../test/support/ask-redis.ts'
import { startRedisCluster, type RedisCluster, type RedisNode } from '../test/support/redis-cluster.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { until } from '../test/support/until.ts'

/** A time in which Redis was away, in part or as a whole, by `performance.now()`. */
export interface Outage {
  readonly began: number
  /** All slots are served again, by every node's account; the same as `whole` for a single Redis. */
  readonly served: number
  /** Every master has its replica in sync again. */
  readonly whole: number
}

/** A Redis, and what can happen to it. */
export interface Faults {
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** How often, and when: milliseconds from the start. */
  readonly times: readonly number[]
  /** Settles when it is over. */
  strike(): Promise<Outage>
  stop(): Promise<void>
}

const PAUSED_MS = 10_000
const BEHIND_MS = 1500
const TIMES = [8000, 25_000, 42_000]

/** A master is killed, its replica takes over, and the killed one comes back, empty, as the replica. */
export async function masterKilled(): Promise<Faults> {
  return onCluster(async (victim) => {
    await victim.kill()
    return { back: () => victim.restart(), awayMs: 0 }
  })
}

/** A master is frozen for 10 s; meanwhile its replica takes over, and the frozen one wakes up as if nothing had been. */
export async function masterPaused(): Promise<Faults> {
  return onCluster(async (victim) => {
    victim.pause()
    return { back: async () => victim.resume(), awayMs: PAUSED_MS }
  })
}

/** A replica is cut off for a while, and takes over without what its master was told meanwhile. */
export async function replicaBehind(): Promise<Faults> {
  return onCluster(async (victim, heir) => {
    heir.pause()
    await askRedis(victim, 'CLIENT', 'KILL', 'TYPE', 'replica')
    await delay(BEHIND_MS)
    await victim.kill()
    heir.resume()
    return { back: () => victim.restart(), awayMs: 0 }
  })
}

/** The only Redis is frozen for 10 s. */
export async function redisPaused(): Promise<Faults> {
  const server = await startRedis()
  return {
    addresses: [{ host: '127.0.0.1', port: server.port }],
    times: [8000, 32_000],
    async strike() {
      const began = performance.now()
      server.pause()
      await delay(PAUSED_MS)
      server.resume()
      const whole = performance.now()
      return { began, served: whole, whole }
    },
    stop: () => server.stop(),
  }
}

/** @param hit answers how the victim comes back, and after how many milliseconds at the earliest */
async function onCluster(
  hit: (victim: RedisNode, heir: RedisNode) => Promise<{ back: () => Promise<void>; awayMs: number }>,
): Promise<Faults> {
  const cluster = await startRedisCluster()
  let strikes = 0
  return {
    addresses: cluster.addresses,
    times: TIMES,
    async strike() {
      await cluster.ready()
      const masters = await cluster.masters()
      const victim = masters[strikes % masters.length]
      if (!victim) throw new Error('the cluster has no master')
      strikes += 1
      const heir = await cluster.replicaOf(victim)
      const began = performance.now()
      const { back, awayMs } = await hit(victim, heir)
      // Not before: it would come back as the master, with nothing.
      await until(() => requirePromoted(cluster, victim, heir))
      const served = performance.now()
      await delay(Math.max(0, awayMs - (served - began)))
      await back()
      await cluster.ready()
      return { began, served, whole: performance.now() }
    },
    stop: () => cluster.stop(),
  }
}

/** Throws until all but the victim know that the heir is the master, and that all slots are served. */
async function requirePromoted(cluster: RedisCluster, victim: RedisNode, heir: RedisNode): Promise<void> {
  const others = cluster.nodes.filter((node) => node !== victim)
  await Promise.all(
    others.map(async (node) => {
      const [info, nodes] = [
        await askRedis(node, 'CLUSTER', 'INFO'),
        await askRedis(node, 'CLUSTER', 'NODES'),
      ]
      const line = String(nodes)
        .split('\n')
        .find((each) => each.startsWith(heir.id))
      if (!String(info).includes('cluster_state:ok')) throw new Error('not all slots are served')
      if (!line || !/ (myself,)?master /.test(line)) throw new Error('the replica is not promoted yet')
    }),
  )
}
