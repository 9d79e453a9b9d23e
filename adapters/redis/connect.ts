import { GatehouseError } from '../../src/errors.ts'
import type { RedisClient, RedisConnection, RedisNode, RedisServerClient } from './client.ts'
import { split } from './redirection.ts'

/**
 * What all connections of the adapter's own have in common, whatever the host's client is set to. They are never
 * connected again: the one who has lost one opens another, which asks Sentinels and cluster anew who is there.
 */
const OWN = {
  lazyConnect: false,
  readOnly: false,
  retryStrategy: () => null,
  reconnectOnError: null,
  // A command whose answer was lost fails. Without the first, ioredis never settles its promise.
  autoResendUnfulfilledCommands: true,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: true,
  enableAutoPipelining: false,
  // A connection that seldom sends would not notice that the other side is gone, nor end if that does not answer.
  keepAlive: 10_000,
  disconnectTimeout: 200,
}

/** Milliseconds between two looks at the nodes that a client knows, while it knows none. */
const LOOK_AGAIN = 25
const LOOKS = 40

/**
 * Opens a connection of the adapter's own to the same Redis as `client` and with its settings: user, password,
 * TLS, database, Sentinels, name.
 *
 * @param options.address `host:port` of the node of a cluster; any node if left out
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` if the client of a cluster knows no node within a second
 */
export async function connect(
  client: RedisClient,
  {
    address,
    ...settings
  }: { readonly address?: string | undefined } & Readonly<Record<string, unknown>> = {},
): Promise<RedisConnection> {
  if (!client.isCluster) return client.duplicate({ ...OWN, ...settings })
  const node = await anyNode(client)
  const place = address === undefined ? {} : split(address)
  return node.duplicate({ ...OWN, keyPrefix: client.options?.keyPrefix ?? '', ...place, ...settings })
}

/** `host:port` of a node of a cluster. */
export function addressOf({ options }: Pick<RedisServerClient, 'options'>): string {
  return `${options?.host ?? '127.0.0.1'}:${options?.port ?? 6379}`
}

/** One of the nodes, by chance; a client that has just been made does not know any yet. */
export async function anyNode(client: RedisClient): Promise<RedisNode> {
  for (let look = 0; look < LOOKS; look += 1) {
    const nodes = client.nodes?.() ?? []
    const node = nodes[Math.floor(Math.random() * nodes.length)]
    if (node) return node
    // One that was told to connect when it is needed does so now.
    if (look === 0) client.call('ping').catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN))
  }
  throw new GatehouseError(
    'ERR_STORE_UNAVAILABLE',
    'Redis cannot be reached: no node of the cluster is known',
  )
}
