import { Cluster, type ClusterOptions } from 'ioredis'
import { Cluster as Cluster6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { slotOf } from '../../adapters/redis/slot.ts'
import type { Store } from '../../src/store/contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedisCluster, type RedisCluster, type RedisNode } from '../support/redis-cluster.ts'

const unavailable = { name: 'GatehouseError', code: 'ERR_STORE_UNAVAILABLE', status: 503 }
const durability = { replicas: 1, timeoutMs: 500 }

const CLIENTS = [
  ['ioredis 5', Cluster, {}],
  ['ioredis 5 with enableAutoPipelining', Cluster, { enableAutoPipelining: true }],
  ['ioredis 6', Cluster6 as unknown as typeof Cluster, {}],
] as const

describeWithRedis('the Redis store on a cluster', () => {
  let cluster: RedisCluster
  const ends: (() => unknown)[] = []

  function open(AnyCluster: typeof Cluster = Cluster, options: ClusterOptions = {}) {
    const client = new AnyCluster([...cluster.addresses], options)
    client.on('error', () => {})
    const store = redisStore(client, { durability })
    ends.push(
      () => client.disconnect(),
      () => store.close(),
    )
    return { client, store, durable: store.durable ?? store }
  }

  beforeAll(async () => {
    cluster = await startRedisCluster({ nodeTimeoutMs: 1000 })
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })
  afterAll(() => cluster.stop())

  test('finds the slot of a key as Redis does', async () => {
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

  describe.each(CLIENTS)('%s', (title, AnyCluster, options) => {
    test.each(['plain', 'durable'] as const)(
      'loses and repeats no %s write while a slot moves to and fro',
      async (kind) => {
        const { client, store, durable } = open(AnyCluster, options)
        const writing = kind === 'durable' ? durable : store
        await vi.waitFor(() => store.set('{move}counter', '0'), { timeout: 5000 })
        const home = await cluster.masterOf('gatehouse:{move}')
        const away = (await cluster.masters()).find((node) => node !== home) ?? home
        const slot = slotOf('{move}')
        const neighbour = required(
          Array.from({ length: 100 }, (_none, number) => `neighbour ${number}`).find(
            (name) => Math.abs(slotOf(`gatehouse:${name}`) - slot) < 500,
          ),
        )
        let done = false
        let replaced = 0
        const failures: unknown[] = []
        const counting = Array.from({ length: 8 }, async (_none, worker) => {
          for (let number = 0; !done; number += 1) {
            try {
              const [isNew, text = ''] = await Promise.all([
                // New keys are at the new home already, and an old one at one of the two.
                writing.create(`{move}${title} ${kind} ${worker} ${number}`, '1', 100),
                store.get('{move}counter'),
                // What is bundled with them stays where it is.
                store.set(neighbour, '1', 100),
              ])
              if (!isNew) throw new Error('created twice')
              if (await writing.replace('{move}counter', text, String(Number(text) + 1))) replaced += 1
            } catch (error) {
              failures.push(String(error))
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
      },
    )
  })
})

/** Moves a slot as `redis-cli --cluster reshard` does, with all keys that are in it, and takes its time. */
async function migrate(slot: number, from: RedisNode, to: RedisNode): Promise<void> {
  await askRedis(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
  await askRedis(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
  await new Promise((resolve) => setTimeout(resolve, 100))
  for (;;) {
    const keys = (await askRedis(from, 'CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[]
    if (keys.length === 0) break
    await askRedis(from, 'MIGRATE', '127.0.0.1', to.port, '', 0, 1000, 'KEYS', ...keys)
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  await askRedis(to, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
  await askRedis(from, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing')
  return value
}
