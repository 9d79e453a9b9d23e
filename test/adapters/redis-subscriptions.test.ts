import { Cluster, Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

/** Publishes until the message is heard: what is sent while the connection is away is lost, as promised. */
async function hearsAgain(publisher: Store, channel: string, heard: string[]): Promise<void> {
  let number = 0
  await vi.waitFor(
    async () => {
      await publisher.publish(channel, `again ${(number += 1)}`)
      expect(heard.some((message) => message.startsWith('again'))).toBe(true)
    },
    { timeout: 5000, interval: 50 },
  )
}

describeWithRedis('subscriptions of the Redis store', () => {
  let server: RedisServer
  let admin: Redis
  let client: Redis
  let store: Store
  const consoleError = vi.spyOn(console, 'error')

  const listeners = async () =>
    String(await admin.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'))
      .split('\n')
      .filter(Boolean)

  beforeAll(async () => {
    server = await startRedis()
    admin = new Redis(server.port, { retryStrategy: () => 50 })
    admin.on('error', () => {})
  })
  beforeEach(() => {
    // Settings that would suit no connection that listens: its first command comes before it is connected.
    client = new Redis(server.port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
    })
    client.on('error', () => {})
    store = redisStore(client)
    consoleError.mockClear()
  })
  afterEach(async () => {
    await store.close()
    client.disconnect()
    // ioredis writes there about error events that nobody listens to.
    expect(consoleError).not.toHaveBeenCalled()
  })
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  test('end their connection with the last listener, so that it keeps no process alive', async () => {
    await vi.waitFor(() => store.ping())
    const leaveFirst = await store.subscribe('one', () => {})
    const leaveSecond = await store.subscribe('two', () => {})
    await leaveFirst()
    expect(await listeners()).toHaveLength(1)
    await leaveSecond()
    await vi.waitFor(async () => expect(await listeners()).toHaveLength(0))

    const heard: string[] = []
    await store.subscribe('three', (message) => heard.push(message))
    await hearsAgain(store, 'three', heard)
  })

  test('open one connection, when the first one listens, and close ends it and leaves the client alone', async () => {
    await vi.waitFor(() => store.ping())
    await store.publish('a', 'hello')
    expect(await listeners()).toHaveLength(0)
    await Promise.all([
      store.subscribe('a', () => {}),
      store.subscribe('b', () => {}),
      store.subscribe('a', () => {}),
    ])
    expect(await listeners()).toHaveLength(1)
    await store.close()
    await vi.waitFor(async () => expect(await listeners()).toHaveLength(0))
    expect(await client.ping()).toBe('PONG')
    await expect(store.subscribe('a', () => {})).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(await listeners()).toHaveLength(0)
  })

  test('tell Redis when the last listener of a channel has left', async () => {
    const ends = [await store.subscribe('a', () => {}), await store.subscribe('a', () => {})]
    expect(await admin.pubsub('CHANNELS')).toEqual(['0:gatehouse:a'])
    await ends[0]!()
    expect(await admin.pubsub('NUMSUB', '0:gatehouse:a')).toEqual(['0:gatehouse:a', 1])
    await ends[1]!()
    await vi.waitFor(async () => expect(await admin.pubsub('CHANNELS')).toEqual([]))
  })

  test('go on by themselves after their connection was killed', async () => {
    const heard = { a: [] as string[], b: [] as string[], left: [] as string[] }
    await store.subscribe('a', (message) => heard.a.push(message))
    await store.subscribe('b', (message) => heard.b.push(message))
    const leave = await store.subscribe('left', (message) => heard.left.push(message))
    await leave()
    for (let round = 0; round < 3; round += 1) {
      expect(await admin.client('KILL', 'TYPE', 'pubsub')).toBe(1)
      heard.a.length = 0
      heard.b.length = 0
      await hearsAgain(store, 'a', heard.a)
      await hearsAgain(store, 'b', heard.b)
    }
    expect((await admin.pubsub('CHANNELS')) as string[]).toHaveLength(2)
    expect(heard.left).toEqual([])
    expect(await listeners()).toHaveLength(1)
  })

  test('tell each listener when messages may have been missed, and only then', async () => {
    const missed = { a: vi.fn(), b: vi.fn(), broken: vi.fn(), left: vi.fn() }
    missed.broken.mockImplementation(() => {
      throw new Error('this one is broken')
    })
    await store.subscribe('a', () => {}, missed.broken)
    await store.subscribe('a', () => {}, missed.a)
    await store.subscribe('b', () => {}, missed.b)
    const leave = await store.subscribe('b', () => {}, missed.left)
    await leave()
    for (let round = 1; round <= 2; round += 1) {
      await admin.client('KILL', 'TYPE', 'pubsub')
      await vi.waitFor(() => expect(missed.b).toHaveBeenCalledTimes(round))
      expect(missed.a).toHaveBeenCalledTimes(round)
      expect(missed.broken).toHaveBeenCalledTimes(round)
    }
    const heard: string[] = []
    await store.subscribe('c', (message) => heard.push(message), missed.left)
    await store.publish('c', 'heard')
    await vi.waitFor(() => expect(heard).toEqual(['heard']))
    expect(missed.left).not.toHaveBeenCalled()
    expect(missed.b).toHaveBeenCalledTimes(2)
  })

  test('go on by themselves after Redis was restarted', async () => {
    const heard: string[] = []
    await store.subscribe('a', (message) => heard.push(message))
    await server.restart()
    await hearsAgain(store, 'a', heard)
  })

  test('that begin while Redis is gone are rejected soon, and nothing of them stays', async () => {
    await store.subscribe('a', () => {})
    await server.kill()
    const heard: string[] = []
    const start = performance.now()
    await expect(store.subscribe('b', (message) => heard.push(message))).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
    })
    expect(performance.now() - start).toBeLessThan(2000)
    await server.restart()

    const heardNow: string[] = []
    await vi.waitFor(() => store.subscribe('b', (message) => heardNow.push(message)), { timeout: 5000 })
    await hearsAgain(store, 'b', heardNow)
    expect(heard).toEqual([])
  })

  test('of a store that is closed while Redis is gone leave nothing that would keep trying', async () => {
    await store.subscribe('a', () => {})
    await server.kill()
    await store.close()
    await server.restart()
    await vi.waitFor(() => store.ping().catch(() => admin.ping()))
    expect(await listeners()).toHaveLength(0)
  })
})

describeWithRedis('subscriptions of the Redis store on a cluster', () => {
  test('go on by themselves after their connection was killed', async () => {
    const cluster = await startRedisCluster()
    const nodes = cluster.nodes.map(({ port }) => new Redis(port))
    const client = new Cluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }])
    const store = redisStore(client)
    const heard: string[] = []
    await store.subscribe('a', (message) => heard.push(message))
    await store.publish('a', 'hello')
    await vi.waitFor(() => expect(heard).toEqual(['hello']))
    const killed = await Promise.all(nodes.map((node) => node.client('KILL', 'TYPE', 'pubsub')))
    expect(killed.map(Number).toSorted((a, b) => a - b)).toEqual([...nodes.slice(1).map(() => 0), 1])
    await hearsAgain(store, 'a', heard)

    await store.close()
    expect(await client.ping()).toBe('PONG')
    for (const opened of [client, ...nodes]) opened.disconnect()
    await cluster.stop()
  })
})
