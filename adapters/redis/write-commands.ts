import type { RedisCommand } from './client.ts'
import { compareAndSwap } from './compare-and-swap.ts'
import { isNoScript } from './errors.ts'
import { createScript } from './lua-script.ts'

/** A write of the store, as a Redis command. */
export interface Write {
  readonly key: string
  readonly command: RedisCommand
  /** The command for a server that does not have the script. */
  readonly withText?: RedisCommand | undefined
  /** Whether the write was done. Always true for a write without a condition. */
  isDone(reply: unknown): boolean
  /** True if Redis may answer "not done" because an earlier, unconfirmed attempt has done the write. */
  readonly isIdempotentNo?: boolean | undefined
}

/**
 * Adds a member to an index, and never shortens the time to live of the index. PTTL is -2 for a new index,
 * and -1 for a permanent one.
 */
const addScript = createScript(`
local life = redis.call('PTTL', KEYS[1])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
if not ARGV[2] then
  redis.call('PERSIST', KEYS[1])
elseif life == -2 or (life >= 0 and life < ARGV[2] * 1000) then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 1`)

/** The writes of the store. Each uses a single key, so that it works on a cluster. */
export const writes = {
  set: (key: string, value: string, ttl?: number): Write => ({
    key,
    command: ['set', key, value, ...expiry(ttl)],
    isDone: always,
  }),
  create: (key: string, value: string, ttl?: number): Write => ({
    key,
    command: ['set', key, value, ...expiry(ttl), 'NX'],
    isDone: (reply) => reply === 'OK',
  }),
  replace: (key: string, expected: string, value: string, ttl?: number): Write => ({
    key,
    ...compareAndSwap(key, expected, value, ...(ttl === undefined ? [] : [ttl])),
    isDone: isOne,
  }),
  delete: (key: string): Write => ({ key, command: ['del', key], isDone: isOne, isIdempotentNo: true }),
  add: (key: string, member: string, ttl?: number): Write => ({
    key,
    ...addScript(key, member, ...(ttl === undefined ? [] : [ttl])),
    isDone: always,
  }),
  remove: (key: string, member: string): Write => ({ key, command: ['zrem', key, member], isDone: always }),
}

/**
 * Sends a write. If the server does not have the script of the write, the text of the script is sent.
 *
 * @throws what `send` throws
 */
export async function execute<T>(
  { command, withText }: Write,
  send: (command: RedisCommand) => Promise<T>,
): Promise<T> {
  try {
    return await send(command)
  } catch (error) {
    if (withText === undefined || !isNoScript(error)) throw error
    return send(withText)
  }
}

function expiry(ttl: number | undefined): (string | number)[] {
  return ttl === undefined ? [] : ['EX', ttl]
}

function always(): boolean {
  return true
}

/** Whether a reply is 1. A client with `stringNumbers` answers numbers as text. */
function isOne(reply: unknown): boolean {
  return Number(reply) === 1
}
