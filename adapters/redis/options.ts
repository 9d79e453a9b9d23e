import { GatehouseError } from '../../src/errors.ts'
import type { RedisClient } from './client.ts'

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /**
   * The prefix of all keys and channels. Services with different prefixes share no data. @default
   * 'gatehouse:'
   */
  readonly keyPrefix?: string | undefined
  /**
   * Makes the writes that must not be lost wait for replicas.
   * @default a write is done when the master has applied it
   */
  readonly durability?: Durability | undefined
}

/** When a write that must not be lost counts as done. */
export interface Durability {
  /** The number of replicas that must have the write, at least 1. */
  readonly replicas: number
  /**
   * Milliseconds to wait for the replicas, at least 1. Must be shorter than `storeTimeoutMs`, which limits
   * the whole call.
   */
  readonly timeoutMs: number
}

/**
 * Checks the arguments of `redisStore`.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` that names the problem and the valid values
 */
export function requireOptions(client: RedisClient, options: RedisStoreOptions): void {
  requireClient(client)
  requireKeys('redisStore', options, ['keyPrefix', 'durability'])
  const { keyPrefix, durability } = options
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string') {
    throw invalidOptions("keyPrefix of redisStore must be a text, as in { keyPrefix: 'gatehouse:' }")
  }
  if (durability === undefined) return
  requireKeys('durability of redisStore', durability, ['replicas', 'timeoutMs'])
  for (const name of ['replicas', 'timeoutMs'] as const) {
    if (Number.isSafeInteger(durability[name]) && durability[name] >= 1) continue
    throw invalidOptions(
      `durability.${name} of redisStore must be a whole number, at least 1, as in { replicas: 1, timeoutMs: 500 }`,
    )
  }
}

function requireClient(client: RedisClient): void {
  const value: unknown = client
  if (typeof value !== 'object' || value === null || !('duplicate' in value) || !('pipeline' in value)) {
    throw invalidOptions('redisStore takes a client of ioredis: redisStore(new Redis(url))')
  }
  const { scaleReads = 'master', role = 'master' } = client.options ?? {}
  if (client.isCluster && scaleReads !== 'master') {
    throw invalidOptions(
      "redisStore must read from masters, because replicas lag: leave scaleReads out of the client's options, or give redisStore a client of its own",
    )
  }
  if (!client.isCluster && role !== 'master') {
    throw invalidOptions("redisStore must be connected to the master: leave role out of the client's options")
  }
}

function requireKeys(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalidOptions(`${where} must be an object with ${known.join(', ')}`)
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw invalidOptions(`${where} does not know ${unknown.join(', ')}; it takes ${known.join(', ')}`)
}

function invalidOptions(message: string): GatehouseError {
  return new GatehouseError('ERR_OPTIONS', message)
}
