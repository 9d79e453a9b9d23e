/** The servers of a run, with what can happen to them. */
import { setTimeout as delay } from 'node:timers/promises'
import { requirePromoted } from '../endurance/chaos-faults.ts'
import { askRedis } from '../support/ask-redis.ts'
import type { Random } from '../support/fuzz/random.ts'
import { startRedisCluster, type RedisNode } from '../support/redis-cluster.ts'
import { startRedisSentinel } from '../support/redis-sentinel.ts'
import { startPostgresStore } from './postgres-store.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

/**
 * `alone`: one server, which writes each change to its disk before it answers. `pair`: a server and a replica behind an address that
 * moves to the replica, as managed services offer. `sentinel` and `cluster`: as in production. `postgres`: a primary whose commits
 * wait for a standby.
 */
export type StoreKind = 'alone' | 'pair' | 'sentinel' | 'cluster' | 'postgres'

/** How a process connects. JSON can write it. */
export interface StoreAddress {
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** The Sentinels' name for the master; undefined without Sentinels. */
  readonly sentinelName?: string
  /** Where the process finds the servers that Redis names: ioredis' option `natMap`. */
  readonly natMap?: Readonly<Record<string, { readonly host: string; readonly port: number }>>
  /** The address of a PostgreSQL. It replaces all others. */
  readonly postgresUrl?: string
}

/** The links of one process to the servers. */
export interface Links {
  readonly address: StoreAddress
  readonly proxies: readonly TcpProxy[]
}

export interface ProofStore {
  /** Whether writes wait for a replica. */
  readonly isReplicated: boolean
  /** Makes links for one more process. */
  link(): Promise<Links>
  /** The faults by name. Each settles when the servers work again. */
  readonly faults: Readonly<Record<string, (random: Random) => Promise<void>>>
  /** Those of the faults in which the library promises less, as docs/proof.md says. A run injects them only by name. */
  readonly beyond: readonly string[]
  stop(): Promise<void>
}

export function startStore(kind: StoreKind): Promise<ProofStore> {
  const starts = { alone: startAlone, pair: startPair, sentinel: startSentinel, cluster: startCluster }
  return kind === 'postgres' ? startPostgresStore() : starts[kind]()
}

const ON_DISK = ['--appendonly', 'yes', '--appendfsync', 'always']

async function startAlone(): Promise<ProofStore> {
  const server = await startRedis({ args: ON_DISK })
  const links = linksTo([server])
  return {
    isReplicated: false,
    beyond: [],
    link: links.link,
    faults: {
      'server-killed': async (random) => {
        await server.kill()
        await delay(random.below(1500))
        await server.restart()
      },
      'server-frozen': (random) => frozen(server, 500 + random.below(3000)),
    },
    stop: () => stopAll(links.proxies, [server]),
  }
}

/** Both servers of a pair have their data in memory alone: what the replica lacks at a failover is lost. */
async function startPair(): Promise<ProofStore> {
  let [primary, replica] = await Promise.all([startRedis(), startRedis()])
  const links = linksTo([primary])
  /** What the replica receives from its primary passes through here. */
  const replication = await startTcpProxy(primary.port)
  const follow = async () => {
    replication.retarget(primary.port)
    await askRedis(replica, 'REPLICAOF', '127.0.0.1', replication.port)
    await until(async () => {
      const info = String(await askRedis(replica, 'INFO', 'replication'))
      if (!info.includes('master_link_status:up')) throw new Error(`the replica is not in sync:\n${info}`)
    })
  }
  await follow()

  async function failOver(release = () => {}): Promise<void> {
    await primary.kill()
    // What is held is lost with the connection.
    replication.retarget(replica.port)
    release()
    await askRedis(replica, 'REPLICAOF', 'NO', 'ONE')
    ;[primary, replica] = [replica, primary]
    for (const proxy of links.proxies) proxy.retarget(primary.port)
    await replica.restart()
    await follow()
  }

  return {
    isReplicated: true,
    beyond: [],
    link: links.link,
    faults: {
      'primary-killed': () => failOver(),
      'replica-behind': async (random) => {
        const release = replication.hold('down')
        await delay(1000 + random.below(3000))
        await failOver(release)
      },
      'replication-held': async (random) => {
        const release = replication.hold(random.pick(['up', 'down']))
        await delay(500 + random.below(2000))
        release()
      },
      'primary-frozen': (random) => frozen(primary, 500 + random.below(2500)),
      'replica-frozen': (random) => frozen(replica, 500 + random.below(2500)),
    },
    stop: () => stopAll([...links.proxies, replication], [primary, replica]),
  }
}

/** After so many milliseconds, no Sentinel begins another failover because of the same failure. */
const SENTINELS_AGREE_MS = 6000

async function startSentinel(): Promise<ProofStore> {
  const group = await startRedisSentinel()
  const links = linksTo(group.nodes, { addresses: group.addresses, sentinelName: group.name })
  const promoted = (old: RedisServer) =>
    until(async () => {
      if ((await group.master()) === old) throw new Error('no replica was promoted')
    })
  const killed = async (restartMs: number) => {
    const master = await group.master()
    await master.kill()
    await promoted(master)
    await delay(restartMs)
    await master.restart()
    await group.ready({ timeoutMs: 60_000 })
  }
  return {
    isReplicated: true,
    beyond: ['failover-ordered', 'master-restarted'],
    link: links.link,
    faults: {
      'master-killed': () => killed(SENTINELS_AGREE_MS),
      'master-restarted': () => killed(0),
      'master-frozen': async () => {
        const master = await group.master()
        master.pause()
        await promoted(master)
        await delay(2000)
        master.resume()
        await group.ready({ timeoutMs: 60_000 })
      },
      'failover-ordered': async () => {
        const master = await group.master()
        const [sentinel] = group.sentinels
        await until(() => askRedis(sentinel ?? master, 'SENTINEL', 'FAILOVER', group.name))
        await promoted(master)
        await group.ready({ timeoutMs: 60_000 })
      },
    },
    stop: async () => {
      await stopAll(links.proxies, [])
      await group.stop()
    },
  }
}

async function startCluster(): Promise<ProofStore> {
  const cluster = await startRedisCluster()
  const links = linksTo(cluster.nodes)
  const pick = async (random: Random) => {
    const master = random.pick(await cluster.masters())
    return { master, replica: await cluster.replicaOf(master) }
  }
  const promoted = (master: RedisNode, replica: RedisNode) =>
    until(() => requirePromoted(cluster, master, replica), { timeoutMs: 60_000 })
  const replaced = async (master: RedisNode, replica: RedisNode) => {
    await promoted(master, replica)
    await master.restart()
    await cluster.ready({ timeoutMs: 60_000 })
  }
  return {
    isReplicated: true,
    beyond: [],
    link: links.link,
    faults: {
      'master-killed': async (random) => {
        const { master, replica } = await pick(random)
        await master.kill()
        await replaced(master, replica)
      },
      'replica-behind': async (random) => {
        const { master, replica } = await pick(random)
        replica.pause()
        await askRedis(master, 'CLIENT', 'KILL', 'TYPE', 'replica')
        await delay(500 + random.below(1500))
        await master.kill()
        replica.resume()
        await replaced(master, replica)
      },
      'master-frozen': async (random) => {
        const { master, replica } = await pick(random)
        master.pause()
        await promoted(master, replica)
        await delay(2000)
        master.resume()
        await cluster.ready({ timeoutMs: 60_000 })
      },
      'failover-ordered': async (random) => {
        const { master, replica } = await pick(random)
        await askRedis(replica, 'CLUSTER', 'FAILOVER')
        await promoted(master, replica)
        await cluster.ready({ timeoutMs: 60_000 })
      },
    },
    stop: async () => {
      await stopAll(links.proxies, [])
      await cluster.stop()
    },
  }
}

/**
 * Makes links to servers. A process finds a server that Redis names through its own link, by ioredis' option `natMap`.
 *
 * @param entry where processes begin, if that is not the servers themselves
 */
function linksTo(servers: readonly RedisServer[], entry?: Omit<StoreAddress, 'natMap'>) {
  const all: TcpProxy[] = []
  return {
    /** Those of all processes. */
    proxies: all,
    async link(): Promise<Links> {
      const proxies = await Promise.all(servers.map(({ port }) => startTcpProxy(port)))
      all.push(...proxies)
      const addresses = proxies.map(({ port }) => ({ host: '127.0.0.1', port }))
      const natMap = Object.fromEntries(
        servers.map(({ port }, at) => [`127.0.0.1:${port}`, addresses[at] ?? { host: '', port: 0 }]),
      )
      return { address: { addresses, ...entry, natMap }, proxies }
    },
  }
}

async function frozen(server: RedisServer, milliseconds: number): Promise<void> {
  server.pause()
  await delay(milliseconds)
  server.resume()
}

async function stopAll(proxies: readonly TcpProxy[], servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  await Promise.all(servers.map((server) => server.stop()))
}
