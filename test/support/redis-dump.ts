import { Redis } from 'ioredis'
import type { RedisServer } from './redis-server.ts'

/** One key of Redis with its content. */
export interface DumpedKey {
  readonly key: string
  /** `string`, `zset`, … */
  readonly type: string
  /** Seconds until the key expires; -1 if it has no expiry. */
  readonly ttl: number
  /** The value of a string, or the fields or members of another type. */
  readonly values: readonly string[]
}

/** Reads the keys of all databases of a Redis. The keys of each database are sorted by name. */
export async function dumpRedis(server: RedisServer): Promise<DumpedKey[]> {
  const client = new Redis(server.url)
  const keys: DumpedKey[] = []
  try {
    const [, count] = (await client.config('GET', 'databases')) as [string, string]
    for (let database = 0; database < Number(count); database += 1) {
      await client.select(database)
      for (const key of (await client.keys('*')).toSorted()) keys.push(await dumpKey(client, key))
    }
  } finally {
    client.disconnect()
  }
  return keys
}

async function dumpKey(client: Redis, key: string): Promise<DumpedKey> {
  const type = await client.type(key)
  return { key, type, ttl: await client.ttl(key), values: await valuesOf(client, key, type) }
}

async function valuesOf(client: Redis, key: string, type: string): Promise<string[]> {
  if (type === 'string') return [(await client.get(key)) ?? '']
  if (type === 'zset') return client.zrange(key, 0, -1, 'WITHSCORES')
  if (type === 'set') return client.smembers(key)
  if (type === 'list') return client.lrange(key, 0, -1)
  if (type === 'hash') return Object.entries(await client.hgetall(key)).flat()
  throw new Error(`cannot dump a ${type}: ${key}`)
}
