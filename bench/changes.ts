/**
 * The writes and round trips of changes of a client, in memory and on a Redis that it starts. It runs for a few seconds:
 * `npm run build && node bench/changes.ts`, with Node 22.18 or later. On Node 20:
 * `npm run build && node build.mjs bench/rolldown.config.ts && node build/bench/changes.js`.
 */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { memoryStore } from '../adapters/memory.ts'
import { redisStore } from '../adapters/redis.ts'
import { countChanges } from '../test/support/count-changes.ts'
import { startRedis } from '../test/support/redis-server.ts'

const server = await startRedis()
const redis = new Redis(server.url).setMaxListeners(0)
const inMemory = await countChanges(memoryStore)
const onRedis = await countChanges(() => redisStore(redis, { keyPrefix: `${randomUUID()}:` }))
redis.disconnect()
await server.stop()

console.table(
  Object.fromEntries(
    [...inMemory].map(([name, { writes, roundTripsBeforeAnswer }]) => [
      name,
      {
        writes,
        'round trips before the answer': roundTripsBeforeAnswer,
        'writes, Redis': onRedis.get(name)?.writes,
        'round trips, Redis': onRedis.get(name)?.roundTripsBeforeAnswer,
      },
    ]),
  ),
)
