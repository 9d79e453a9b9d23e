import { storeUnavailable } from '../../src/errors.ts'
import type { RedisClient, RedisConnection, RedisNode, RedisServerClient } from './client.ts'
import { split } from './redirection.ts'

/** ioredis does not reconnect a lost connection: the adapter opens a new one, which asks for the current servers. */
const CONNECTION_SETTINGS = {
  lazyConnect: false,
  readOnly: false,
  retryStrategy: () => null,
  reconnectOnError: null,
  // With `maxRetriesPerRequest: 0`, a command whose answer was lost fails. Otherwise it would never settle.
  autoResendUnfulfilledCommands: true,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: true,
  enableAutoPipelining: false,
  // Milliseconds. `keepAlive` notices a lost server; `disconnectTimeout` ends a connection whose server is silent.
  keepAlive: 10_000,
  disconnectTimeout: 200,
}

const NODE_CHECK_INTERVAL_MS = 25
const MAX_NODE_CHECKS = 40

const FIRST_CONNECTION_MS = 500

/** Throws `ERR_STORE_UNAVAILABLE` if the client of a cluster knows no node within a second. */
export async function connect(
  client: RedisClient,
  options: { readonly address?: string | undefined; readonly commandTimeout?: number | undefined } = {},
): Promise<RedisConnection> {
  const { address, ...own } = options
  const settings = { ...CONNECTION_SETTINGS, ...own }
  if (!client.isCluster) return client.duplicate(settings)
  const node = await anyNode(client)
  const target = address === undefined ? {} : split(address)
  return node.duplicate({ ...settings, keyPrefix: client.options?.keyPrefix ?? '', ...target })
}

/**
 * Without an offline queue, ioredis rejects every command before the first connection, so a healthy start would look
 * like a failure. By default, callers get an error after a second, and no write must be sent after that.
 */
export function firstConnection(client: RedisClient): Promise<void> {
  if (client.status !== 'connecting' && client.status !== 'connect') return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      client.off('ready', settle)
      client.off('close', settle)
      resolve()
    }
    const timer = setTimeout(settle, FIRST_CONNECTION_MS).unref()
    client.on('ready', settle)
    client.on('close', settle)
  })
}

export function addressOf({ options }: Pick<RedisServerClient, 'options'>): string {
  return `${options?.host ?? '127.0.0.1'}:${options?.port ?? 6379}`
}

/** Connects to servers and nodes of a cluster. Waits up to a second, because a new client knows no nodes yet. */
export async function anyNode(client: RedisClient): Promise<RedisNode> {
  for (let checks = 0; checks < MAX_NODE_CHECKS; checks += 1) {
    const nodes = client.nodes?.() ?? []
    const node = nodes[Math.floor(Math.random() * nodes.length)]
    if (node) return node
    // PING makes a client with `lazyConnect` connect, because such a client connects with its first command.
    if (checks === 0) client.call('ping').catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, NODE_CHECK_INTERVAL_MS))
  }
  throw storeUnavailable('Redis cannot be reached: no node of the cluster is known')
}
