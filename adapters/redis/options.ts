import { GatehouseError } from '../../src/errors.ts'
import type { RedisClient } from './client.ts'

/** What `redisStore` takes beside the client. */
export interface RedisStoreOptions {
  /** What all keys and channels begin with; services with different ones do not see each other. @default 'gatehouse:' */
  readonly keyPrefix?: string | undefined
  /** Lets the writes that must not be lost wait for replicas. @default they count as done when the master has them */
  readonly durability?: Durability | undefined
}

/** How safe a write must be before it counts as done. */
export interface Durability {
  /** Replicas that must have it, at least 1. */
  readonly replicas: number
  /** Milliseconds that they may take, at least 1; shorter than `storeTimeoutMs`, which applies besides. */
  readonly timeoutMs: number
}

/**
 * Checks what `redisStore` was handed.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` that names what is wrong and what would be right
 */
export function requireOptions(client: RedisClient, options: RedisStoreOptions): void {
  requireClient(client)
  requireKeys('redisStore', options, ['keyPrefix', 'durability'])
  const { keyPrefix, durability } = options
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') {
    throw refused("keyPrefix of redisStore must be a text, as in { keyPrefix: 'gatehouse:' }")
  }
  if (durability === undefined) return
  requireKeys('durability of redisStore', durability, ['replicas', 'timeoutMs'])
  for (const name of ['replicas', 'timeoutMs'] as const) {
    if (Number.isSafeInteger(durability[name]) && durability[name] >= 1) continue
    throw refused(
      `durability.${name} of redisStore must be a whole number, at least 1, as in { replicas: 1, timeoutMs: 500 }`,
    )
  }
}

function requireClient(client: RedisClient): void {
  const handed: unknown = client
  if (typeof handed !== 'object' || handed === null || !('duplicate' in handed) || !('pipeline' in handed)) {
    throw refused('redisStore takes a client of ioredis: redisStore(new Redis(url))')
  }
  const { scaleReads = 'master', role = 'master' } = client.options ?? {}
  if (client.isCluster && scaleReads !== 'master') {
    throw refused(
      "redisStore must read from masters, because replicas lag: leave scaleReads out of the client's options, or give redisStore a client of its own",
    )
  }
  if (!client.isCluster && role !== 'master') {
    throw refused("redisStore must be connected to the master: leave role out of the client's options")
  }
}

function requireKeys(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refused(`${where} must be an object with ${known.join(', ')}`)
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw refused(`${where} does not know ${unknown.join(', ')}; it takes ${known.join(', ')}`)
}

function refused(message: string): GatehouseError {
  return new GatehouseError('ERR_OPTIONS', message)
}
