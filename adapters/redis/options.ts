import { GatehouseError } from '../../src/errors.ts'
import {
  checkInput,
  exactObjectOf,
  must,
  optional,
  stringRule,
  type Fields,
} from '../../src/validation/rules.ts'
import { isCount } from '../../src/validation/predicates.ts'
import type { RedisClient } from './client.ts'

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of all keys and channels. Services with different prefixes share no data. @default 'gatehouse:' */
  readonly keyPrefix?: string | undefined
  /**
   * If set, the writes that must not be lost wait for replicas.
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

export const KEY_PREFIX = 'gatehouse:'

const atLeastOne = must('a whole number, at least 1', (value) => isCount(value) && value > 0)

const OPTIONS: Fields = {
  keyPrefix: optional(stringRule),
  durability: optional(exactObjectOf({ replicas: atLeastOne, timeoutMs: atLeastOne })),
}

/** Checks the arguments of `redisStore`. */
export function requireOptions(client: RedisClient, options: RedisStoreOptions): void {
  requireClient(client)
  checkInput('the options of redisStore are not valid', options, OPTIONS, 'ERR_OPTIONS')
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

function invalidOptions(message: string): GatehouseError {
  return new GatehouseError('ERR_OPTIONS', message)
}
