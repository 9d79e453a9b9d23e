import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis, type ClusterOptions } from 'ioredis'
import { Cluster as Cluster6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { slotOf } from '../../adapters/redis/slot.ts'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedisCluster, type RedisCluster, type RedisNode } from '../support/redis-cluster.ts'
import { required } from '../support/required.ts'
import { commandsOf } from './redis-commands.ts'
import { elapse } from './real-time.ts'
import { unavailable } from './unavailable.ts'

const durability = { replicas: 1, timeoutMs: 500 }
/** A timeout that is long enough for a busy machine. */
const longTimeout = { replicas: 1, timeoutMs: 5000 }

/** The settings that docs/redis.md recommends. */
const RECOMMENDED: ClusterOptions = {
  enableOfflineQueue: false,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: (attempt) => Math.min(attempt * 50, 500),
  redisOptions: { maxRetriesPerRequest: 0, connectTimeout: 1000 },
}

const CLIENTS = [
  ['ioredis 5', Cluster, {}],
  ['ioredis 5 with enableAutoPipelining', Cluster, { enableAutoPipelining: true }],
  ['ioredis 6', Cluster6 as unknown as typeof Cluster, {}],
] as const

describeWithRedis('the Redis store on a cluster', () => {
  let cluster: RedisCluster
  const cleanups: (() => unknown)[] = []

  function open(AnyCluster: typeof Cluster = Cluster, options: ClusterOptions = {}) {
    const client = new AnyCluster([...cluster.addresses], options)
    client.on('error', () => {})
    const store = redisStore(client, { durability })
    cleanups.push(
      () => client.disconnect(),
      () => store.close(),
    )
    return { client, store, durable: store.durable ?? store }
  }

  beforeAll(async () => {
    cluster = await startRedisCluster({ nodeTimeoutMs: 1000 })
  })
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
  })
  afterAll(() => cluster.stop())

  it('slotOf() finds the slot of a key as Redis does', async () => {
    const [node] = cluster.nodes as [RedisNode]
    const keys = [
      '',
      'a',
      'gatehouse:grant:é',
      '{a}b',
      'b{a}',
      '{}a',
      'a{}{b}',
      '{a',
      'a}',
      '{{a}}',
      'x{😀}y',
      '123456789',
    ]
    const slots = await Promise.all(keys.map((key) => askRedis(node, 'CLUSTER', 'KEYSLOT', key)))
    expect(keys.map(slotOf)).toEqual(slots)
  })

  describe('the store contract on a cluster', () => {
    const clients: Cluster[] = []
    beforeAll(() => {
      for (const [, AnyCluster, options] of CLIENTS) {
        const client = new AnyCluster([...cluster.addresses], options)
        client.setMaxListeners(0)
        client.on('+node', (node: Redis) => node.setMaxListeners(0))
        clients.push(client)
      }
    })
    afterAll(() => {
      for (const client of clients) client.disconnect()
    })

    const contract = (number: number, isDurable: boolean, keyPrefix?: string) =>
      storeContract({
        createStore() {
          const store = redisStore(required(clients[number]), { keyPrefix, durability: longTimeout })
          return isDurable ? required(store.durable) : store
        },
        elapse,
      })
    const contracts = [contract(0, false), contract(2, true, 'a{tag}:'), contract(1, false, '}*{b')]
    describe.concurrent('', () => {
      // The contract runs on all three clients at the same time, so that the tests wait only once for each
      // expiry.
      for (const [position, { name }] of required(contracts[0]).entries()) {
        it(name, () => Promise.all(contracts.map((cases) => required(cases[position]).run())))
      }
    })
  })

  it('the Redis store sends a cluster no command that lists, deletes or migrates keys of other programs, and no blocking command except WAIT', async () => {
    for (const node of cluster.nodes) {
      const forbidden = (await commandsOf(node)).filter((name) =>
        /^(keys|.*scan|flush.*|b[lrz].*|sort|migrate)$/.test(name),
      )
      expect(forbidden).toEqual([])
    }
    expect((await Promise.all(cluster.nodes.map(commandsOf))).flat()).toContain('wait')
  })

  it('if the client of a Redis store is connected to a single cluster node, calls of the store reject, and the error names the client to use instead', async () => {
    const client = new Redis(required(cluster.nodes[0]).port)
    const store = redisStore(client, { durability })
    cleanups.push(
      () => client.disconnect(),
      () => store.close(),
    )
    const names = Array.from({ length: 50 }, (_, number) => `key ${number}`)
    const wrongClient = { ...unavailable, message: expect.stringContaining('use Redis.Cluster') }
    await expect(store.getMany(names)).rejects.toMatchObject(wrongClient)
    await expect(
      Promise.all(names.map((name) => required(store.durable).set(name, name, 1))),
    ).rejects.toMatchObject(wrongClient)
  })

  describe.each(CLIENTS)('the Redis store on a cluster with %s', (title, AnyCluster, options) => {
    it('no write is lost or repeated while a slot migrates to another node and back', async () => {
      const { client, store, durable } = open(AnyCluster, options)
      await vi.waitFor(() => store.set('{move}counter', '0'), { timeout: 5000 })
      const home = await cluster.masterOf('gatehouse:{move}')
      const away = required((await cluster.masters()).find((node) => node !== home))
      const slot = slotOf('{move}')
      const neighbour = required(
        Array.from({ length: 200 }, (_none, number) => `neighbour ${number}`).find(
          (name) => Math.abs(slotOf(`gatehouse:${name}`) - slot) < 500,
        ),
      )
      let done = false
      let replaced = 0
      // A repeated test finds the keys of its first attempt.
      const run = `${title} ${Math.random()}`
      const failures: string[] = []
      const counting = Array.from({ length: 8 }, async (_none, worker) => {
        const writing = worker % 2 === 0 ? store : durable
        for (let number = 0; !done; number += 1) {
          try {
            const [isNew, text = '', isDeleted] = await Promise.all([
              // During the migration, a new key is created at the new node. The counter may be at the old or
              // the new node.
              writing.create(`{move}${run} ${worker} ${number}`, '1', 100),
              store.get('{move}counter'),
              // These writes find nothing to change, at neither node.
              writing.delete('{move}absent'),
              writing.remove('{move}absent index', 'absent'),
              // This write is pipelined with the two calls above, but its slot does not migrate.
              store.set(neighbour, '1', 100),
            ])
            if (!isNew) failures.push('created twice')
            if (isDeleted) failures.push('deleted an absent key')
            if (await writing.replace('{move}counter', text, String(Number(text) + 1))) replaced += 1
          } catch (error) {
            // On a slow machine a connection may come too late. Then the write is not lost: it was not sent.
            if (!String(error).includes('was not sent')) failures.push(String(error))
          }
        }
      })
      await migrate(slot, home, away)
      await migrate(slot, away, home)
      done = true
      await Promise.all(counting)
      expect(failures).toEqual([])
      expect(Number(await store.get('{move}counter'))).toBe(replaced)
      expect(replaced).toBeGreaterThan(10)
      expect(client.status).toBe('ready')
    })
  })

  describe('failover in a cluster', () => {
    /** Creates one key after the other until `stop()` is called. Records the outcome of each call. */
    function createAll(name: string, store: Store) {
      const outcome = {
        created: [] as string[],
        taken: 0,
        failures: [] as unknown[],
        last: Promise.resolve(),
      }
      let done = false
      outcome.last = (async () => {
        for (let number = 0; !done; number += 1) {
          try {
            if (await store.create(`{move}${name} ${number}`, '1', 100))
              outcome.created.push(`{move}${name} ${number}`)
            else outcome.taken += 1
          } catch (error) {
            outcome.failures.push(error)
          }
          await delay(10)
        }
      })()
      return { outcome, stop: () => ((done = true), outcome.last) }
    }

    const openAll = () =>
      CLIENTS.flatMap(([title, AnyCluster, options]) => {
        const { store, durable } = open(AnyCluster, { ...RECOMMENDED, ...options })
        return [
          { name: `${title} plain`, store, isDurable: false },
          { name: `${title} durable`, store: durable, isDurable: true },
        ]
      })
    const ready = (stores: readonly { store: Store }[]) =>
      vi.waitFor(() => Promise.all(stores.map(({ store }) => store.set('{move}probe', '1'))), {
        timeout: 5000,
      })

    function requireUnavailable(failures: readonly unknown[]): void {
      for (const failure of failures) expect(failure).toMatchObject(unavailable)
    }

    it('during a manual failover, calls succeed or fail with 503, and no write is lost', async () => {
      const stores = openAll()
      await ready(stores)
      const creating = stores.map(({ name, store }) => createAll(`graceful ${name}`, store))
      const old = await cluster.masterOf('gatehouse:{move}')
      await askRedis(await cluster.replicaOf(old), 'CLUSTER', 'FAILOVER')
      await vi.waitFor(async () => expect(await cluster.masterOf('gatehouse:{move}')).not.toBe(old), {
        timeout: 5000,
      })
      await cluster.ready()
      await ready(stores)
      for (const { outcome, stop } of creating) {
        await stop()
        requireUnavailable(outcome.failures)
        expect(outcome.taken).toBe(0)
        const kept = await required(stores[0]).store.getMany(outcome.created)
        expect(kept.filter((value) => value === undefined)).toEqual([])
      }
    })

    it('after a master was killed, calls fail with 503, confirmed writes are kept, and subscribers learn that they may have missed messages', async () => {
      const stores = openAll()
      await ready(stores)
      const victim = await cluster.masterOf('gatehouse:{move}')
      const received: string[] = []
      const missed = vi.fn<() => void>()
      const plain = stores.filter(({ isDurable }) => !isDurable)
      const subscriber = required(plain[0]).store
      const other = required(plain[2]).store
      await subscribeAt(victim, () =>
        subscriber.subscribe('news', (message) => received.push(message), missed),
      )

      const creating = stores.map(({ name, store }) => createAll(`killed ${name}`, store))
      await delay(100)
      await victim.kill()
      let isDead = true
      // If this test fails, it runs again, and needs all nodes.
      cleanups.push(async () => {
        if (isDead) await victim.restart()
        await cluster.ready()
      })
      // Only stores without durable writes work now, because no replica is left that could confirm a write.
      // On a busy machine the first elections can fail. The replica begins one every four seconds.
      await vi.waitFor(() => Promise.all(plain.map(({ store }) => store.set('{move}probe', '2'))), {
        timeout: 25_000,
      })
      expect(await cluster.masters()).not.toContain(victim)
      await vi.waitFor(() => expect(missed).toHaveBeenCalled(), { timeout: 5000 })
      await vi.waitFor(
        async () => {
          await other.publish('news', 'again')
          expect(received).toContain('again')
        },
        { timeout: 5000, interval: 50 },
      )

      await victim.restart()
      isDead = false
      await cluster.ready()
      await ready(stores)
      for (const [position, { outcome, stop }] of creating.entries()) {
        await stop()
        requireUnavailable(outcome.failures)
        expect(outcome.failures).not.toEqual([])
        expect(outcome.created.length).toBeGreaterThan(5)
        const lost = (await subscriber.getMany(outcome.created)).filter((value) => value === undefined)
        // Redis may lose writes that it has not confirmed with WAIT. Durable writes are always confirmed.
        if (stores[position]?.isDurable) expect(lost).toEqual([])
      }
    })
  })
})

/**
 * Subscribes at the given node. ioredis picks the node of a subscription at random, so this function
 * subscribes again until the connection is at that node.
 */
async function subscribeAt(node: RedisNode, subscribe: () => Promise<() => Promise<void>>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const leave = await subscribe()
    if (String(await askRedis(node, 'CLIENT', 'LIST', 'TYPE', 'PUBSUB')).includes('id=')) return
    await leave()
  }
  throw new Error('no subscription at that node')
}

/** Migrates a slot with all its keys slowly, as `redis-cli --cluster reshard` does. */
async function migrate(slot: number, from: RedisNode, to: RedisNode): Promise<void> {
  await askRedis(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
  await askRedis(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
  await delay(50)
  for (;;) {
    const keys = (await askRedis(from, 'CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[]
    if (keys.length === 0) break
    await askRedis(from, 'MIGRATE', '127.0.0.1', to.port, '', 0, 1000, 'KEYS', ...keys)
  }
  await delay(50)
  await askRedis(to, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
  await askRedis(from, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
}
