import type { RedisCommand } from './client.ts'
import { isNoScript } from './errors.ts'
import * as scripts from './write-scripts.ts'

export interface Write {
  readonly key: string
  readonly command: RedisCommand
  /** The command for a server that does not have the script. */
  readonly withText?: RedisCommand | undefined
  /** Whether the write was done. @default a write without a condition is always done */
  isDone?(reply: unknown): boolean
  /** For a write that may find nothing to change: replicas have to confirm it nevertheless. */
  readonly durable?: scripts.ScriptCall | undefined
}

/** The commands of each write of the store. Each uses a single key, so that it works on a cluster. */
export const writes = {
  set: (key: string, value: string, ttl?: number): Write => ({
    key,
    command: ['set', key, value, ...expiry(ttl)],
  }),
  create: (key: string, value: string, ttl?: number): Write => ({
    key,
    command: ['set', key, value, ...expiry(ttl), 'NX'],
    isDone: (reply) => reply === 'OK',
  }),
  replace: (key: string, expected: string, value: string, ttl?: number): Write => ({
    key,
    ...scripts.compareAndSwap(key, expected, value, ...(ttl === undefined ? [] : [ttl])),
    isDone: isOne,
  }),
  delete: (key: string): Write => ({
    key,
    command: ['del', key],
    durable: scripts.durable.delete(key),
    isDone: isOne,
  }),
  add(key: string, member: string, ttl?: number): Write {
    const life = ttl === undefined ? [] : [ttl]
    return {
      key,
      ...scripts.add(key, member, ...life),
      durable: scripts.durable.add(key, member, ...life),
    }
  },
  remove: (key: string, member: string): Write => ({
    key,
    command: ['zrem', key, member],
    durable: scripts.durable.remove(key, member),
  }),
}

export async function execute<T>(
  { command, withText }: Pick<Write, 'command' | 'withText'>,
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

/** A client with `stringNumbers` answers numbers as text. */
function isOne(reply: unknown): boolean {
  return Number(reply) === 1
}
