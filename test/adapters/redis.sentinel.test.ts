import { Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedisSentinel, type RedisSentinel } from '../support/redis-sentinel.ts'
import { required } from '../support/required.ts'
import { elapse } from './real-time.ts'
import { unavailable } from './unavailable.ts'

const durability = { replicas: 1, timeoutMs: 500 }
/** A timeout that is long enough for a busy machine. */
const longTimeout = { replicas: 1, timeoutMs: 5000 }

/** The settings that docs/redis.md recommends. */
const RECOMMENDED: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  failoverDetector: true,
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  connectTimeout: 1000,
}

const CLIENTS = [
  ['ioredis 5', Redis],
  ['ioredis 6', Redis6 as unknown as typeof Redis],
] as const

describeWithRedis('the Redis store with Sentinels', () => {
  let group: RedisSentinel
  const cleanups: (() => unknown)[] = []

  function open(AnyRedis: typeof Redis, options: RedisOptions = {}) {
    const client = new AnyRedis({ ...options, sentinels: [...group.addresses], name: group.name })
    client.on('error', () => {})
    client.setMaxListeners(0)
    const store = redisStore(client, { durability })
    cleanups.push(
      () => client.disconnect(),
      () => store.close(),
    )
    return { client, store, durable: required(store.durable) }
  }

  beforeAll(async () => {
    group = await startRedisSentinel()
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  })
  afterAll(() => group.stop())

  describe('the store contract with Sentinels', () => {
    const clients: Redis[] = []
    beforeAll(() => {
      for (const [, AnyRedis] of CLIENTS) {
        const client = new AnyRedis({ sentinels: [...group.addresses], name: group.name })
        client.setMaxListeners(0)
        clients.push(client)
      }
    })
    afterAll(() => {
      for (const client of clients) client.disconnect()
    })
    const contract = (number: number, isDurable: boolean) =>
      storeContract({
        createStore() {
          const store = redisStore(required(clients[number]), { durability: longTimeout })
          return isDurable ? required(store.durable) : store
        },
        elapse,
      })
    const contracts = [contract(0, false), contract(1, true)]
    describe.concurrent('', () => {
      for (const [position, { name }] of required(contracts[0]).entries()) {
        it(name, () => Promise.all(contracts.map((cases) => required(cases[position]).run())))
      }
    })
  })

  describe.each(CLIENTS)('a client that asks the Sentinels for the master (%s)', (_name, AnyRedis) => {
    /** The part of a client that its failover detector uses. */
    const connectorOf = (client: Redis) =>
      (client as unknown as { connector: { disconnect(): void } }).connector

    async function connected() {
      const { client, store } = open(AnyRedis, RECOMMENDED)
      await vi.waitFor(() => store.set('a', '1'), { timeout: 5000 })
      const ended = new Promise<void>((resolve) => client.once('end', resolve))
      return { client, store, ended }
    }

    // Fixed bug: ioredis ended the client for good, and the process got no connection until it was restarted.
    it('connects again if its failover detector disconnects it at that moment', async () => {
      const { client, store, ended } = await connected()
      client.once('connecting', () => connectorOf(client).disconnect())
      client.disconnect(true)
      await ended
      await vi.waitFor(() => store.set('a', '2'), { timeout: 10_000 })
    })

    it('stays closed if the host closes it at that moment', async () => {
      const { client, ended } = await connected()
      client.once('connecting', () => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        client.disconnect()
      })
      client.disconnect(true)
      await ended
      await vi.advanceTimersByTimeAsync(60_000)
      expect(client.status).toBe('end')
    })

    it('stays closed if its retryStrategy gives up', async () => {
      const { client, ended } = await connected()
      client.options.retryStrategy = () => null
      client.disconnect(true)
      await ended
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      await vi.advanceTimersByTimeAsync(60_000)
      expect(client.status).toBe('end')
    })
  })

  describe('a failover with Sentinels', () => {
    let stores: { store: Store; durable: Store }[]
    const received: string[] = []
    const missed = vi.fn<() => void>()

    beforeEach(async () => {
      received.length = 0
      missed.mockClear()
      stores = CLIENTS.map(([, AnyRedis]) => open(AnyRedis, RECOMMENDED))
      await vi.waitFor(
        () =>
          Promise.all(stores.flatMap(({ store, durable }) => [store.set('a', '1'), durable.set('b', '1')])),
        {
          timeout: 5000,
        },
      )
      await required(stores[0]).store.subscribe('news', (message) => received.push(message), missed)
    })

    /** Repeats calls until all succeed. Asserts that every earlier failure is a 503. */
    async function waitUntilAvailable(): Promise<void> {
      const calls = stores.flatMap(({ store, durable }, number) => [
        () => store.set(`a ${number}`, '1'),
        () => durable.set(`b ${number}`, '1'),
        () => store.get('a'),
      ])
      await vi.waitFor(
        async () => {
          const outcomes = await Promise.allSettled(calls.map((call) => call()))
          const failures = outcomes.flatMap((outcome) =>
            outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
          )
          for (const failure of failures) expect(failure).toMatchObject(unavailable)
          expect(failures).toEqual([])
        },
        { timeout: 10_000 },
      )
      await vi.waitFor(
        async () => {
          await required(stores[1]).store.publish('news', 'again')
          expect(received).toContain('again')
        },
        { timeout: 5000, interval: 50 },
      )
      expect(missed).toHaveBeenCalled()
    }

    it('after a manual failover with Sentinels, stores and subscriptions recover by themselves', async () => {
      const master = await group.master()
      await askRedis(required(group.sentinels[0]), 'SENTINEL', 'FAILOVER', group.name)
      await vi.waitFor(async () => expect(await group.master()).not.toBe(master), { timeout: 10_000 })
      await waitUntilAvailable()
      expect(await required(stores[1]).store.get('b')).toBe('1')
    })

    it('after the master behind Sentinels was killed, stores and subscriptions recover with all confirmed writes', async () => {
      const master = await vi.waitFor(() => group.master(), { timeout: 10_000 })
      await master.kill()
      await waitUntilAvailable()
      expect(await group.master()).not.toBe(master)
      // The client may connect once more, when the Sentinels announce the new master.
      expect(await vi.waitFor(() => required(stores[0]).store.get('b'), { timeout: 5000 })).toBe('1')
    })
  })
})
