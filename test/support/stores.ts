import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from 'koa-gatehouse'
import { describeWithRedis } from './describe-with-redis.ts'
import { startRedis, type RedisServer } from './redis-server.ts'

/**
 * Makes a store. To be called in hooks and tests, not while tests are collected.
 *
 * @param data stores of one name hold the same data, as those of several processes do; empty if left out
 */
export type MakeStore = (data?: string) => Store

/** Runs a suite on the memory store, and on the Redis adapter with a Redis of its own. */
export function describeEachStore(name: string, suite: (makeStore: MakeStore) => void): void {
  describe(`${name} (memory)`, () => {
    const stores = new Map<string, Store>()
    suite((data = randomUUID()) => {
      const store = stores.get(data) ?? memoryStore()
      stores.set(data, store)
      return store
    })
  })

  describeWithRedis(`${name} (Redis)`, () => {
    let server: RedisServer
    const clients: Redis[] = []
    beforeAll(async () => {
      server = await startRedis()
    })
    afterAll(async () => {
      for (const client of clients) client.disconnect()
      await server.stop()
    })
    suite((data = randomUUID()) => {
      const client = new Redis(server.url)
      // What a broken connection means for a request is said by the request.
      client.on('error', () => {})
      clients.push(client)
      return redisStore(client, { keyPrefix: `${data}:` })
    })
  })
}

const WRITES = new Set(['set', 'create', 'replace', 'delete', 'add', 'remove', 'publish'])

/** A store that tells what was written to it: `set session:…`, one entry a call. */
export function watchWrites(store: Store): { store: Store; writes: string[] } {
  const writes: string[] = []
  const watched = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (WRITES.has(name)) writes.push(`${name} ${String(args[0])}`)
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { store: watched, writes }
}
