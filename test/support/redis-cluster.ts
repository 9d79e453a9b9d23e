import { askRedis } from './ask-redis.ts'
import { startRedis, type RedisServer } from './redis-server.ts'
import { until } from './until.ts'

/** A Redis Cluster on 127.0.0.1: three masters, each with a third of the slots and one replica. */
export interface RedisCluster {
  /** All nodes. The first three are the masters at the start, in the order of their slots. */
  readonly nodes: readonly RedisNode[]
  /** The argument of a client: `new Cluster(cluster.addresses)`. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** The running masters in the order of `nodes`, as most nodes see them. */
  masters(): Promise<RedisNode[]>
  /** Returns a running replica of a master. The replica is in sync with the master. */
  replicaOf(master: RedisNode): Promise<RedisNode>
  /** The master that holds a key. */
  masterOf(key: string): Promise<RedisNode>
  /**
   * Settles when all nodes run, all slots are served, and every master has its replica in sync. Call
   * `ready()` after the start, and after a killed node has restarted.
   *
   * @throws an error that names the missing part, after `timeoutMs` (20,000)
   */
  ready(options?: { timeoutMs?: number }): Promise<void>
  stop(): Promise<void>
}

/** One node. After a restart the node keeps its place in the cluster, and has no data. */
export interface RedisNode extends RedisServer {
  /** Its id in the cluster. */
  readonly id: string
}

/** A node's line of `CLUSTER NODES`. */
interface Line {
  readonly id: string
  readonly flags: readonly string[]
  readonly masterId: string
  readonly connected: boolean
  readonly slots: readonly string[]
}

const MASTERS = 3
const SLOTS = 16_384

/**
 * Starts a cluster and waits until it is ready.
 *
 * @param options.nodeTimeoutMs milliseconds without an answer after which a node counts as failed; about two
 *   seconds later the replica takes the node's place. @default 2000
 * @param options.args further arguments of each node
 */
export async function startRedisCluster({
  nodeTimeoutMs = 2000,
  args = [],
}: { nodeTimeoutMs?: number; args?: readonly string[] } = {}): Promise<RedisCluster> {
  const servers = await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(nodeTimeoutMs, args)))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  try {
    const nodes = await join(servers)
    const cluster = { nodes, ...clusterQueries(nodes), stop }
    await cluster.ready()
    return cluster
  } catch (error) {
    await stop()
    throw error
  }
}

function startNode(nodeTimeoutMs: number, args: readonly string[]): Promise<RedisServer> {
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-announce-ip': '127.0.0.1',
    'cluster-node-timeout': String(nodeTimeoutMs),
    'repl-diskless-sync-delay': '0',
    // A replica stays with its master. It may replace the master however long it had no link to the master.
    'cluster-allow-replica-migration': 'no',
    'cluster-replica-validity-factor': '0',
  }
  const own = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  return startRedis({ args: ({ busPort }) => [...own, '--cluster-port', String(busPort), ...args] })
}

/** Joins separate servers to one cluster. */
async function join(servers: readonly RedisServer[]): Promise<RedisNode[]> {
  const nodes = await Promise.all(
    servers.map(async (server) => withId(server, String(await askRedis(server, 'CLUSTER', 'MYID')))),
  )
  const masters = nodes.slice(0, MASTERS)
  // A node that knows another node rejects this command, so no node meets another before all have done it.
  await Promise.all(nodes.map((node, index) => askRedis(node, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1)))
  await Promise.all(
    nodes.map(async (node, index) => {
      for (const other of nodes.slice(index + 1)) {
        await askRedis(node, 'CLUSTER', 'MEET', '127.0.0.1', other.port, other.busPort)
      }
    }),
  )
  await Promise.all(
    masters.map((master, index) =>
      askRedis(master, 'CLUSTER', 'ADDSLOTSRANGE', firstSlot(index), firstSlot(index + 1) - 1),
    ),
  )
  await Promise.all(
    nodes.slice(MASTERS).map((replica, index) =>
      // REPLICATE fails until the replica has met its master.
      until(() => askRedis(replica, 'CLUSTER', 'REPLICATE', masters[index]?.id ?? '')),
    ),
  )
  return nodes
}

/** The queries about the nodes of a cluster. */
function clusterQueries(nodes: readonly RedisNode[]): Omit<RedisCluster, 'nodes' | 'stop'> {
  const viewOf = async (node: RedisNode) => parse(String(await askRedis(node, 'CLUSTER', 'NODES')))
  const isMaster = ({ flags }: Line) =>
    flags.includes('master') && !flags.some((flag) => flag.startsWith('fail'))

  /**
   * Returns the nodes that `matches` selects in most views. A node that has just restarted may have an old
   * view.
   */
  async function nodesByMajority(matches: (line: Line) => boolean): Promise<RedisNode[]> {
    const answers = await Promise.allSettled(nodes.map(viewOf))
    const views = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    return nodes.filter(({ id }) => {
      const votes = views.filter((lines) => lines.some((line) => line.id === id && matches(line)))
      return votes.length > views.length / 2
    })
  }

  return {
    addresses: nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    masters: () => nodesByMajority(isMaster),
    async replicaOf(master) {
      const [, , replicas] = (await askRedis(master, 'ROLE')) as [string, number, [string, string, string][]]
      const ports = replicas.map(([, port]) => Number(port))
      return found(
        nodes.find(({ port }) => ports.includes(port)),
        'the master has no replica in sync',
      )
    },
    async masterOf(key) {
      const slot = Number(await Promise.any(nodes.map((node) => askRedis(node, 'CLUSTER', 'KEYSLOT', key))))
      const [owner] = await nodesByMajority(
        (line) => isMaster(line) && line.slots.some((range) => has(range, slot)),
      )
      return found(owner, `no master serves the slot ${slot}`)
    },
    async ready(options) {
      await until(
        () => Promise.all(nodes.map(async (node) => requireReady(node, await viewOf(node)))),
        options,
      )
    },
  }
}

/** Throws if a part of the cluster is missing in the view of one node. */
async function requireReady(node: RedisNode, seen: readonly Line[]): Promise<void> {
  const where = `as the node on port ${node.port} sees it`
  const info = String(await askRedis(node, 'CLUSTER', 'INFO'))
  if (!info.includes('cluster_state:ok')) throw new Error(`the cluster is not up, ${where}:\n${info}`)
  const healthy = seen.filter(
    ({ flags, connected }) => connected && flags.every((flag) => HEALTHY_FLAGS.has(flag)),
  )
  if (healthy.length !== 2 * MASTERS) throw new Error(`nodes are missing, ${where}: ${JSON.stringify(seen)}`)
  const masters = healthy.filter(({ flags, slots }) => flags.includes('master') && slots.length > 0)
  for (const { id } of masters) {
    if (healthy.filter(({ masterId }) => masterId === id).length !== 1)
      throw new Error(`no replica of ${id}, ${where}`)
  }
  if (masters.length !== MASTERS) throw new Error(`${masters.length} masters, ${where}`)
  const replication = String(await askRedis(node, 'INFO', 'replication'))
  if (!/state=online|master_link_status:up/.test(replication))
    throw new Error(`out of sync, ${where}:\n${replication}`)
}

/** Flags of a node without a fault. */
const HEALTHY_FLAGS = new Set(['myself', 'master', 'slave'])

/** <https://redis.io/docs/latest/commands/cluster-nodes/> */
function parse(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', , flags = '', masterId = '', , , , link, ...slots] = line.split(' ')
      return { id, flags: flags.split(','), masterId, connected: link === 'connected', slots }
    })
}

/** Whether a slot is in a range of slots, in the notation of `CLUSTER NODES` (`0-5460` or `7`). */
function has(range: string, slot: number): boolean {
  const [first, last = first] = range.split('-').map(Number)
  return first !== undefined && last !== undefined && first <= slot && slot <= last
}

function firstSlot(index: number): number {
  return Math.ceil((SLOTS * index) / MASTERS)
}

function withId(server: RedisServer, id: string): RedisNode {
  return {
    ...server,
    id,
    get pid() {
      return server.pid
    },
  }
}

function found<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new Error(otherwise)
  return value
}
