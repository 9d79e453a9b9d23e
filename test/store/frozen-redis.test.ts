import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

/** Milliseconds. */
const DEADLINE = 300

const CLIENTS: [name: string, options: RedisOptions][] = [
  ['the default settings of ioredis', {}],
  ['the recommended settings', { enableOfflineQueue: false, maxRetriesPerRequest: 0 }],
  ['automatic pipelines', { enableAutoPipelining: true }],
]

describeWithRedis('a Redis that is frozen under load', () => {
  let redis: RedisServer
  let client: Redis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(() => {
    redis.resume()
    client.disconnect()
  })
  afterAll(() => redis?.stop())

  test.each(CLIENTS)(
    'with %s: calls fail at once, nothing piles up, and it is back by itself',
    async (_, options) => {
      client = new Redis(redis.port, options)
      client.on('error', () => {})
      await new Promise((resolve) => client.once('ready', resolve))
      const sent = vi.spyOn(client, 'sendCommand')
      const { store, stop } = createResilientStore(redisStore(client), DEADLINE, silentLogger)
      await store.set('a', '1')

      const call = () => store.get('a').then(String, (error: unknown) => error)
      redis.pause()
      sent.mockClear()
      const start = performance.now()
      const first = await Promise.all(Array.from({ length: 1000 }, call))
      expect(performance.now() - start).toBeLessThan(DEADLINE + 500)
      for (const error of first) expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })

      const late: number[] = []
      for (let round = 0; round < 30; round += 1) {
        await delay(50)
        const asked = performance.now()
        const errors = await Promise.all(Array.from({ length: 100 }, call))
        late.push(performance.now() - asked)
        for (const error of errors) expect(error).toBeInstanceOf(CircuitOpenError)
      }
      // For a hundred of them.
      expect(late.toSorted((one, other) => one - other)[15]).toBeLessThan(50)
      // Of 4,000 calls the first 1,000 were handed over; the rest are probes, one at a time.
      const probes = Math.ceil((performance.now() - start) / (DEADLINE + 250)) + 1
      expect(sent.mock.calls.length).toBeLessThanOrEqual(1000 + probes)

      redis.resume()
      const resumed = performance.now()
      while ((await call()) !== '1') {
        expect(performance.now() - resumed).toBeLessThan(1000)
        await delay(20)
      }
      expect(await Promise.all(Array.from({ length: 100 }, call))).toEqual(
        Array.from({ length: 100 }, () => '1'),
      )
      stop()
    },
  )
})
