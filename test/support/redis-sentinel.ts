import { askRedis } from './ask-redis.ts'
import { startRedis, type RedisServer } from './redis-server.ts'
import { until } from './until.ts'

/** A Redis with two replicas on 127.0.0.1, and three Sentinels that watch it. */
export interface RedisSentinel {
  /** The Sentinels' name for the master. */
  readonly name: string
  /** The servers that hold data. The first server is the master at the start. */
  readonly nodes: readonly RedisServer[]
  readonly sentinels: readonly RedisServer[]
  /** For a client: `new Redis({ sentinels: sentinel.addresses, name: sentinel.name })`. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** Returns the master that at least two of the three Sentinels name. */
  master(): Promise<RedisServer>
  /**
   * Settles when all servers run, every Sentinel knows all servers and names the same master, and both
   * replicas are in sync. Call `ready()` after the start, and after a killed node has restarted.
   *
   * @throws an error that names the missing part, after `timeoutMs` (20,000)
   */
  ready(options?: { timeoutMs?: number }): Promise<void>
  stop(): Promise<void>
}

const NAME = 'gatehouse'
const QUORUM = 2

/**
 * Starts the three servers and the three Sentinels, and waits until they are ready.
 *
 * @param options.downAfterMs milliseconds without an answer after which a master counts as failed; about a
 *   second later a replica has taken its place. @default 1000
 * @param options.args further arguments of the servers that hold data
 */
export async function startRedisSentinel({
  downAfterMs = 1000,
  args = [],
}: { downAfterMs?: number; args?: readonly string[] } = {}): Promise<RedisSentinel> {
  const servers: RedisServer[] = []
  const track = async (starting: Promise<RedisServer>) => {
    const server = await starting
    servers.push(server)
    return server
  }
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  try {
    const first = await track(startNode(args))
    const replicas = [0, 1].map(() => track(startNode(['--replicaof', `127.0.0.1 ${first.port}`, ...args])))
    const nodes = [first, ...(await Promise.all(replicas))]
    const known = nodes.slice(1)
    const sentinels = await Promise.all([0, 1, 2].map(() => track(startSentinel(first, known, downAfterMs))))
    const group = { name: NAME, nodes, sentinels, ...groupQueries(nodes, sentinels), stop }
    await group.ready()
    return group
  } catch (error) {
    await stop()
    throw error
  }
}

function startNode(args: readonly string[]): Promise<RedisServer> {
  return startRedis({ args: ['--repl-diskless-sync-delay', '0', ...args] })
}

function startSentinel(
  master: RedisServer,
  replicas: readonly RedisServer[],
  downAfterMs: number,
): Promise<RedisServer> {
  return startRedis({
    args: ['--sentinel'],
    config: [
      `sentinel monitor ${NAME} 127.0.0.1 ${master.port} ${QUORUM}`,
      `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
      `sentinel failover-timeout ${NAME} 5000`,
      `sentinel parallel-syncs ${NAME} 2`,
      // Without these lines the Sentinels would find the replicas only after ten seconds.
      ...replicas.map(({ port }) => `sentinel known-replica ${NAME} 127.0.0.1 ${port}`),
    ],
  })
}

/** Creates the functions that ask the servers and their Sentinels. */
function groupQueries(
  nodes: readonly RedisServer[],
  sentinels: readonly RedisServer[],
): Pick<RedisSentinel, 'addresses' | 'master' | 'ready'> {
  async function master(): Promise<RedisServer> {
    const answers = await Promise.allSettled(
      sentinels.map((sentinel) => askRedis(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)),
    )
    const ports = answers.map((answer) =>
      answer.status === 'fulfilled' ? Number((answer.value as string[] | null)?.[1]) : undefined,
    )
    const named = nodes.find(({ port }) => ports.filter((it) => it === port).length >= QUORUM)
    if (!named) throw new Error(`the Sentinels do not agree on a master: ${ports.join(', ')}`)
    return named
  }

  return {
    addresses: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    master,
    async ready(options) {
      await until(async () => {
        const { port } = await master()
        await Promise.all(sentinels.map((sentinel) => requireKnowing(sentinel, port)))
        await Promise.all(nodes.map((node) => requireInSync(node, node.port === port)))
      }, options)
    },
  }
}

/**
 * Throws if a Sentinel does not know the whole group.
 * <https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/>
 */
async function requireKnowing(sentinel: RedisServer, masterPort: number): Promise<void> {
  const reply = (await askRedis(sentinel, 'SENTINEL', 'MASTER', NAME)) as string[]
  const field = (name: string) => reply[reply.indexOf(name) + 1]
  const seen = ['port', 'flags', 'num-slaves', 'num-other-sentinels'].map((name) => field(name)).join(' ')
  if (seen !== `${masterPort} master 2 2`)
    throw new Error(`the Sentinel on port ${sentinel.port} sees: ${seen}`)
}

async function requireInSync(node: RedisServer, master: boolean): Promise<void> {
  const replication = String(await askRedis(node, 'INFO', 'replication'))
  const replicas = replication.match(/state=online/g)?.length ?? 0
  if (master ? replicas === 2 : replication.includes('master_link_status:up')) return
  throw new Error(`the server on port ${node.port} is out of sync:\n${replication}`)
}
