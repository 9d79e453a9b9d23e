import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

const TIMEOUT_MS = 300

const CLIENTS: [name: string, options: RedisOptions][] = [
  ['the default settings of ioredis', {}],
  ['the recommended settings', { enableOfflineQueue: false, maxRetriesPerRequest: 0 }],
  ['automatic pipelines', { enableAutoPipelining: true }],
]

describeWithRedis('a Redis that freezes under load', () => {
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

  it.each(CLIENTS)(
    'with %s, calls to a frozen Redis fail at once, no commands pile up, and the store recovers',
    async (_, options) => {
      client = new Redis(redis.port, options)
      client.on('error', () => {})
      await new Promise((resolve) => client.once('ready', resolve))
      const sent = vi.spyOn(client, 'sendCommand')
      const { store, stop } = createResilientStore(redisStore(client), TIMEOUT_MS, silentLogger)
      await store.set('a', '1')

      const call = () => store.get('a').then(String, (error: unknown) => error)
      redis.pause()
      sent.mockClear()
      const start = performance.now()
      const first = await Promise.all(Array.from({ length: 1000 }, call))
      // Without the deadline, the calls would wait as long as Redis is frozen.
      expect(performance.now() - start).toBeLessThan(TIMEOUT_MS + 5000)
      for (const error of first) expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })

      const durations: number[] = []
      for (let round = 0; round < 30; round += 1) {
        await delay(50)
        const asked = performance.now()
        const errors = await Promise.all(Array.from({ length: 100 }, call))
        durations.push(performance.now() - asked)
        for (const error of errors) expect(error).toBeInstanceOf(CircuitOpenError)
      }
      // Half of the rounds take less than 50 ms each, although each round makes a hundred calls.
      expect(durations.toSorted((one, other) => one - other)[15]).toBeLessThan(50)
      // Of 4,000 calls the first 1,000 reached the client. The other commands are probes, one at a time.
      const probes = Math.ceil((performance.now() - start) / (TIMEOUT_MS + 250)) + 1
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
