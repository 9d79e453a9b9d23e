import { readFileSync } from 'node:fs'
import { Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { required } from '../support/required.ts'
import { unavailable } from './unavailable.ts'

const durability = { replicas: 1, timeoutMs: 200 }
const lacking = (timeoutMs = durability.timeoutMs) => ({
  ...unavailable,
  message: expect.stringMatching(
    new RegExp(`^0 of 1 replicas have a write after ${timeoutMs} ms; .*may have been applied$`),
  ),
})

/** Every write, each of which has something to do, in this order. */
const WRITES: Record<string, (store: Store) => Promise<unknown>> = {
  set: (store) => store.set('a', '1'),
  create: (store) => store.create('b', '1', 100),
  replace: (store) => store.replace('a', '1', '2', 100),
  delete: (store) => store.delete('a'),
  add: (store) => store.add('index', 'a', 100),
  remove: (store) => store.remove('index', 'a'),
}

async function inTime<T>(call: Promise<T>): Promise<number> {
  const start = performance.now()
  await call
  return performance.now() - start
}

describe.each([
  ['5', Redis],
  ['6', Redis6 as unknown as typeof Redis],
] as const)('ioredis %s', (_, AnyRedis) => {
  describeWithRedis('durable writes of the Redis store', () => {
    let master: RedisServer
    let replica: RedisServer
    let store: Store
    let durable: Store
    const ends: (() => unknown)[] = []

    function open(port = master.port, options: RedisOptions = {}, waitFor = durability) {
      const client = new AnyRedis(port, '127.0.0.1', options)
      client.on('error', () => {})
      const opened = redisStore(client, { durability: waitFor })
      ends.push(
        () => client.disconnect(),
        () => opened.close(),
      )
      return { client, opened, durable: required(opened.durable) }
    }

    /** Until the replica confirms what is written; it may call itself online before that. */
    const inSync = async () => {
      const probe = redisStore(open().client, { durability, keyPrefix: 'probe:' }).durable
      await vi.waitFor(() => required(probe).set('probe', '1'), { timeout: 10_000 })
    }
    const connections = async () =>
      String(await askRedis(master, 'CLIENT', 'LIST', 'TYPE', 'NORMAL'))
        .split('\n')
        // Without the one that asks.
        .filter((line) => line !== '' && !line.includes(' cmd=client|list '))

    beforeAll(async () => {
      master = await startRedis({
        args: ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'],
      })
      replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${master.port}`] })
      await inSync()
    })
    beforeEach(async () => {
      await askRedis(master, 'FLUSHALL')
      ;({ opened: store, durable } = open())
      await store.ping()
    })
    afterEach(async () => {
      for (const end of ends.splice(0).toReversed()) await end()
    })
    afterAll(async () => {
      await Promise.all([master.stop(), replica.stop()])
    })

    test('are on the replica when they settle', async () => {
      await durable.set('a', '1', 100)
      expect(await askRedis(replica, 'GET', 'gatehouse:a')).toBe('1')
      expect(await durable.create('b', '1')).toBe(true)
      expect(await askRedis(replica, 'GET', 'gatehouse:b')).toBe('1')
      expect(await durable.replace('a', '1', '2')).toBe(true)
      expect(await askRedis(replica, 'GET', 'gatehouse:a')).toBe('2')
      expect(await durable.delete('a')).toBe(true)
      expect(await askRedis(replica, 'EXISTS', 'gatehouse:a')).toBe(0)
      await durable.add('index', 'member')
      expect(await askRedis(replica, 'ZRANGE', 'gatehouse:index', 0, -1)).toEqual(['member'])
      await durable.remove('index', 'member')
      expect(await askRedis(replica, 'EXISTS', 'gatehouse:index')).toBe(0)
    })

    test('are rejected if no replica confirms them, and may have been applied; what changed nothing is not', async () => {
      await store.set('taken', '1')
      const { durable: hasty } = open(master.port, {}, { ...durability, timeoutMs: 50 })
      await vi.waitFor(() => hasty.set('first', '1'))
      replica.pause()
      try {
        for (const [name, write] of Object.entries(WRITES)) {
          await expect(write(hasty), name).rejects.toMatchObject(lacking(50))
        }
        expect(await hasty.create('taken', '2')).toBe(false)
        expect(await hasty.replace('taken', 'another', '2')).toBe(false)
        // What is gone already may be so by one that was rejected: that it is must be as safe.
        await expect(hasty.delete('a')).rejects.toMatchObject(lacking(50))
        // All were applied by the master.
        expect(await store.getMany(['a', 'b', 'taken'])).toEqual([undefined, '1', '1'])
      } finally {
        replica.resume()
      }
      await inSync()
      expect(await durable.delete('a')).toBe(false)
      expect(await askRedis(replica, 'EXISTS', 'gatehouse:a')).toBe(0)
      await durable.set('a', '1')
    })

    test("end their connection with the client's, which would keep the process alive", async () => {
      const { client, durable: leaving } = open(master.port, { connectionName: 'leaving' })
      const own = async () => (await connections()).filter((line) => line.includes(' name=leaving '))
      await leaving.set('a', '1')
      expect(await own()).toHaveLength(2)
      await client.quit()
      await vi.waitFor(async () => expect(await own()).toEqual([]))
      await expect(leaving.set('a', '2')).rejects.toMatchObject(unavailable)
      expect(await own()).toEqual([])
      // One that is opened again goes on.
      await client.connect()
      await leaving.set('a', '3')
      expect(await store.get('a')).toBe('3')
    })

    test('that wait hold up neither reads nor other writes, nor each other for longer than twice', async () => {
      await durable.set('a', '1')
      replica.pause()
      try {
        const first = durable.set('first', '1')
        const writes = Array.from({ length: 200 }, (_, number) => durable.set(`key ${number}`, '1'))
        const settled = Promise.allSettled([first, ...writes])
        expect(await inTime(store.get('a'))).toBeLessThan(100)
        expect(await inTime(durable.get('a'))).toBeLessThan(100)
        expect(await inTime(store.set('a', '2'))).toBeLessThan(100)

        expect(await inTime(settled)).toBeLessThan(2 * durability.timeoutMs + 300)
        for (const outcome of await settled) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
        }
      } finally {
        replica.resume()
      }
      await inSync()
    })

    test('that have waited too long to be sent are never sent', async () => {
      await durable.set('a', '1')
      master.pause()
      const sent = durable.set('sent', '1')
      const rejected = durable.set('waiting', '1')
      await expect(rejected).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringMatching(/^a write was not sent/),
      })
      master.resume()
      await sent.catch(() => {})
      await inSync()
      expect(await store.get('waiting')).toBeUndefined()
    })

    test('go out with their WAIT, in one round trip, on a connection that others do not use', async () => {
      await durable.set('a', '0')
      const watcher = new Redis(master.port)
      await watcher.ping()
      const monitor = await watcher.monitor()
      ends.push(
        () => watcher.disconnect(),
        () => monitor.disconnect(),
      )
      const seen: string[] = []
      monitor.on('monitor', (_time: string, [name = '', key = '']: string[], source: string) => {
        if (name !== 'multi') seen.push(`${source} ${name.toLowerCase()} ${key.replace('gatehouse:', '')}`)
      })
      // What follows in one turn goes out together, with one WAIT; the first one goes ahead.
      await Promise.all(['a', 'b', 'c'].map((name) => durable.set(name, '1')))
      await store.set('d', '1')
      await vi.waitFor(() => expect(seen).toHaveLength(6))
      const [own = '', other = ''] = [seen[0], seen[5]].map((line) => line?.split(' ')[0])
      expect(seen).toEqual([
        ...['set a', 'wait 1', 'set b', 'set c', 'wait 1'].map((command) => `${own} ${command}`),
        `${other} set d`,
      ])
      expect(other).not.toBe(own)
    })

    test('go on after the scripts were flushed', async () => {
      await durable.set('a', '1')
      expect(await durable.replace('a', '1', '2')).toBe(true)
      await askRedis(master, 'SCRIPT', 'FLUSH')
      expect(await Promise.all([durable.replace('a', '2', '3'), durable.replace('a', '2', '3')])).toEqual([
        true,
        false,
      ])
      await askRedis(master, 'SCRIPT', 'FLUSH')
      await durable.add('index', 'a', 10)
      expect(await durable.range('index', { limit: 10 })).toEqual(['a'])
    })

    test('whose answer is lost are rejected, sent once, and the next one is good', async () => {
      const proxy = await startTcpProxy(master.port)
      ends.push(() => proxy.close())
      const behind = open(proxy.port).durable
      await behind.set('counted', '1')
      for (const write of [
        () => behind.create('code', 'used'),
        () => behind.replace('counted', '1', '2'),
        () => behind.delete('counted'),
      ]) {
        proxy.loseNextAnswer()
        await expect(write()).rejects.toMatchObject(unavailable)
        expect(await behind.create('code', 'again')).toBe(false)
      }
      expect(await store.getMany(['code', 'counted'])).toEqual(['used', undefined])
    })

    test('come back by themselves after Redis was restarted, and after it was a replica for a while', async () => {
      await durable.set('a', '1')
      await master.restart()
      await vi.waitFor(() => durable.set('a', '1'), { timeout: 10_000 })

      await askRedis(master, 'REPLICAOF', '127.0.0.1', await freePort())
      await expect(durable.set('a', '2')).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('READONLY'),
      })
      await askRedis(master, 'REPLICAOF', 'NO', 'ONE')
      await vi.waitFor(() => durable.set('a', '2'), { timeout: 10_000 })
      expect(await askRedis(replica, 'GET', 'gatehouse:a')).toBe('2')
    })

    test('that Redis does not answer in time give up their connection, and come back by themselves', async () => {
      await durable.set('a', '1')
      master.pause()
      try {
        expect(await inTime(expect(durable.set('a', '2')).rejects.toMatchObject(unavailable))).toBeLessThan(
          2500,
        )
        await expect(durable.set('a', '3')).rejects.toMatchObject(unavailable)
      } finally {
        master.resume()
      }
      await vi.waitFor(() => durable.set('a', '4'), { timeout: 10_000 })
      expect(await store.get('a')).toBe('4')
    })

    test("keep to the client's database, name and own prefix", async () => {
      const { durable: elsewhere } = open(master.port, {
        db: 2,
        keyPrefix: 'tenant:',
        connectionName: 'host',
      })
      await elsewhere.set('a', '1')
      expect(await elsewhere.replace('a', '1', '2')).toBe(true)
      expect(await elsewhere.get('a')).toBe('2')
      expect(await store.get('a')).toBeUndefined()
      const own = (await connections()).filter((line) => / db=2 .*cmd=wait/.test(line))
      expect(own).toEqual([expect.stringContaining(' name=host ')])
    })

    test('and all else need no more of the access list than the README names', async () => {
      const [, list = ''] =
        /^### Access list\n\n([^]*?)\n\n/m.exec(
          readFileSync(new URL('../../README.md', import.meta.url), 'utf8'),
        ) ?? []
      const rights = [...list.matchAll(/\+[\w|]+/g)].map(([right]) => right)
      expect(rights).toContain('+wait')
      await askRedis(
        master,
        'ACL',
        'SETUSER',
        'limited',
        'on',
        'nopass',
        '~gatehouse:*',
        '&0:gatehouse:*',
        ...rights,
      )
      ends.push(() => askRedis(master, 'ACL', 'DELUSER', 'limited'))
      const limited = open(master.port, { username: 'limited', password: 'any' })
      await askRedis(master, 'SCRIPT', 'FLUSH')
      for (const store of [limited.opened, limited.durable]) {
        for (const write of Object.values(WRITES)) await write(store)
        await store.delete('b')
        expect(await store.getMany(['a', 'b'])).toEqual([undefined, undefined])
        expect(await store.range('index', { limit: 1 })).toEqual([])
        await store.ping()
        const heard: string[] = []
        const leave = await store.subscribe('news', (message) => heard.push(message))
        await store.publish('news', 'hello')
        await vi.waitFor(() => expect(heard).toEqual(['hello']))
        await leave()
        expect((await store.inspect?.())?.time).toBeDefined()
      }
      // The negative: what it does not name is rejected.
      await expect(limited.client.keys('*')).rejects.toThrow('NOPERM')
    })

    test('of a client with commandTimeout have the time of WAIT besides', async () => {
      const { durable: hasty } = open(master.port, { commandTimeout: 100 })
      await hasty.set('a', '1')
      replica.pause()
      try {
        await expect(hasty.set('a', '2')).rejects.toMatchObject(lacking())
      } finally {
        replica.resume()
      }
      await inSync()
    })

    test('open their connection when it is first needed, and close with the store', async () => {
      const before = (await connections()).length
      const { opened, durable: lazy, client } = open()
      await client.ping()
      expect(await connections()).toHaveLength(before + 1)
      await lazy.get('a')
      expect(await connections()).toHaveLength(before + 1)
      await lazy.set('a', '1')
      await lazy.set('a', '2')
      expect(await connections()).toHaveLength(before + 2)
      await lazy.close()
      await vi.waitFor(async () => expect(await connections()).toHaveLength(before + 1))
      for (const closed of [opened, lazy]) {
        await expect(closed.set('a', '1')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
        await expect(closed.get('a')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
      }
      expect(await client.ping()).toBe('PONG')
    })
  })
})

describeWithRedis('durable writes', () => {
  test('of a Redis that does not know WAIT are rejected, and say so', async () => {
    const server = await startRedis({ args: ['--rename-command', 'WAIT', 'RENAMED'] })
    const client = new Redis(server.port)
    const store = redisStore(client, { durability })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(store.durable?.set('a', '1')).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringMatching(/does not know WAIT; leave durability out.*may have been applied$/),
      })
    }
    await store.close()
    client.disconnect()
    await server.stop()
  })

  test('there are none unless they are asked for', () => {
    const client = new Redis({ lazyConnect: true })
    expect(redisStore(client).durable).toBeUndefined()
    expect(redisStore(client, { durability }).durable).toBeDefined()
  })
})

test.each([
  ['text', 'many'],
  ['nothing', null],
  ['an empty text', ''],
  ['half a replica', 1.5],
])('a WAIT that answers %s makes no write safe', async (_, answer) => {
  const connection = {
    status: 'ready',
    on: () => {},
    disconnect: () => {},
    pipeline: () => ({
      exec: async () => [
        [null, 'OK'],
        [null, answer],
      ],
    }),
  }
  const client = {
    on: () => {},
    off: () => {},
    call: () => {},
    pipeline: () => {},
    duplicate: () => connection,
  }
  const store = redisStore(client as never, { durability })
  await expect(store.durable?.set('a', '1')).rejects.toMatchObject({
    ...unavailable,
    message: expect.stringContaining('answers WAIT with something that is no number'),
  })
})

test.each([
  [
    { durability: { replicas: 0, timeoutMs: 500 } },
    'durability.replicas of redisStore must be a whole number',
  ],
  [
    { durability: { replicas: 1.5, timeoutMs: 500 } },
    'durability.replicas of redisStore must be a whole number',
  ],
  [
    { durability: { replicas: '1', timeoutMs: 500 } },
    'durability.replicas of redisStore must be a whole number',
  ],
  [
    { durability: { replicas: 1, timeoutMs: 0 } },
    'durability.timeoutMs of redisStore must be a whole number',
  ],
  [{ durability: { replicas: 1 } }, 'durability.timeoutMs of redisStore must be a whole number'],
  [{ durability: { replicas: 1, timeout: 500 } }, 'does not know timeout; it takes replicas, timeoutMs'],
  [{ durability: 1 }, 'durability of redisStore must be an object with replicas, timeoutMs'],
  [{ prefix: 'a:' }, 'redisStore does not know prefix; it takes keyPrefix, durability'],
  [{ keyPrefix: 7 }, 'keyPrefix of redisStore must be a text'],
  ['a:', 'redisStore must be an object'],
])('options %j are rejected, with what would be right', (options, message) => {
  const client = new Redis({ lazyConnect: true })
  expect(() => redisStore(client, options as never)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS', message: expect.stringContaining(message) }) as Error,
  )
})
