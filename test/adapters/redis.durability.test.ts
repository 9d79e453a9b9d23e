import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { required } from '../support/required.ts'
import { waitSinceRedis72 } from '../support/wait-since-redis-7-2.ts'
import { elapse } from './real-time.ts'
import { unavailable } from './unavailable.ts'

const durability = { replicas: 1, timeoutMs: 200 }
const unconfirmed = (timeoutMs = durability.timeoutMs) => ({
  ...unavailable,
  message: expect.stringMatching(
    new RegExp(`^0 of 1 replicas have a write after ${timeoutMs} ms; .*may have been applied$`),
  ),
})

/** One call of each method that writes. In this order, each call changes the data. */
const WRITES: Record<string, (store: Store) => Promise<unknown>> = {
  set: (store) => store.set('a', '1'),
  create: (store) => store.create('b', '1', 100),
  replace: (store) => store.replace('a', '1', '2', 100),
  delete: (store) => store.delete('a'),
  add: (store) => store.add('index', 'a', 100),
  remove: (store) => store.remove('index', 'a'),
}

async function durationOf<T>(call: Promise<T>): Promise<number> {
  const start = performance.now()
  await call
  return performance.now() - start
}

/** Writes that find nothing to change when they are repeated. */
const REPEATABLE: Record<string, (store: Store) => Promise<unknown>> = {
  delete: (store) => store.delete('a'),
  remove: (store) => store.remove('index', 'old'),
  'remove of the last member': (store) => store.remove('single', 'old'),
  add: (store) => store.add('index', 'new'),
  'add with a short life': (store) => store.add('expiring', 'new', 100),
}

describe.each([
  ['ioredis 5', Redis, () => {}, true],
  ['ioredis 6', Redis6 as unknown as typeof Redis, () => {}, false],
  ['ioredis 5, with the WAIT of Redis 7.2', Redis, waitSinceRedis72, false],
] as const)('%s', (_, AnyRedis, prepare, isFirst) => {
  describeWithRedis('durable writes of the Redis store', () => {
    let master: RedisServer
    let replica: RedisServer
    let store: Store
    let durable: Store
    const cleanups: (() => unknown)[] = []

    function open(port = master.port, options: RedisOptions = {}, wanted = durability) {
      const client = new AnyRedis(port, '127.0.0.1', options)
      client.on('error', () => {})
      prepare(client)
      const opened = redisStore(client, { durability: wanted })
      cleanups.push(
        () => client.disconnect(),
        () => opened.close(),
      )
      return { client, opened, durable: required(opened.durable) }
    }

    /** Waits until the replica confirms writes. A replica may report itself online before it can confirm. */
    const inSync = async () => {
      const probe = redisStore(open().client, { durability, keyPrefix: 'probe:' }).durable
      await vi.waitFor(() => required(probe).set('probe', '1'), { timeout: 10_000 })
    }
    const connections = async () =>
      String(await askRedis(master, 'CLIENT', 'LIST', 'TYPE', 'NORMAL'))
        .split('\n')
        // The connection that sends this CLIENT LIST command is left out.
        .filter((line) => line !== '' && !line.includes(' cmd=client|list '))

    /** All keys of a server, each with its remaining minutes and its content. */
    const stateOf = async (server: RedisServer) => {
      const keys = (await askRedis(server, 'KEYS', '*')) as string[]
      return Promise.all(
        keys.toSorted().map(async (key) => {
          const isIndex = (await askRedis(server, 'TYPE', key)) === 'zset'
          const [ttl, content] = await Promise.all([
            askRedis(server, 'TTL', key),
            isIndex ? askRedis(server, 'ZRANGE', key, 0, -1) : askRedis(server, 'GET', key),
          ])
          return { key, minutes: Math.ceil(Number(ttl) / 60), content }
        }),
      )
    }

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
      for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
    })
    afterAll(async () => {
      await Promise.all([master.stop(), replica.stop()])
    })

    it('durable writes are on the replica when they settle', async () => {
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

    it('an unconfirmed durable write rejects even if Redis has applied the write, and a create or replace that changes nothing resolves', async () => {
      await store.set('taken', '1')
      const { durable: impatient } = open(master.port, {}, { ...durability, timeoutMs: 50 })
      await vi.waitFor(() => impatient.set('first', '1'))
      replica.pause()
      try {
        for (const [name, write] of Object.entries(WRITES)) {
          await expect(write(impatient), name).rejects.toMatchObject(unconfirmed(50))
        }
        expect(await impatient.create('taken', '2')).toBe(false)
        expect(await impatient.replace('taken', 'another', '2')).toBe(false)
        // The master no longer has `a`, because it applied the earlier delete, although that call rejected.
        // The replica may still have `a`, so this delete waits for the replica.
        await expect(impatient.delete('a')).rejects.toMatchObject(unconfirmed(50))
        // The master has applied all rejected writes.
        expect(await store.getMany(['a', 'b', 'taken'])).toEqual([undefined, '1', '1'])
      } finally {
        replica.resume()
      }
      await inSync()
      expect(await durable.delete('a')).toBe(false)
      expect(await askRedis(replica, 'EXISTS', 'gatehouse:a')).toBe(0)
      await durable.set('a', '1')
    })

    it('a durable write that finds nothing to change rejects while no replica has an earlier write of another connection', async () => {
      await durable.set('a', '1')
      for (const index of ['index', 'single', 'expiring']) await durable.add(index, 'old', 1000)
      replica.pause()
      try {
        for (const [name, write] of Object.entries(REPEATABLE)) {
          await expect(write(durable), name).rejects.toMatchObject(unconfirmed())
        }
        const repeats = Object.entries(REPEATABLE).map(async ([name, write]) => {
          const { durable: another } = open()
          await expect(write(another), name).rejects.toMatchObject(unconfirmed())
          // The WAIT of the first repeat has timed out, so the second repeat opens a connection.
          await expect(write(another), name).rejects.toMatchObject(unconfirmed())
        })
        await Promise.all(repeats)
      } finally {
        replica.resume()
      }
      await inSync()
      for (const write of Object.values(REPEATABLE)) await write(durable)
      const state = await stateOf(master)
      expect(state.map(({ key }) => key)).toEqual(['gatehouse:expiring', 'gatehouse:index', 'probe:probe'])
      expect(await stateOf(replica)).toEqual(state)
    })

    it('the connection for durable writes closes with the client, so that the connection keeps no process alive', async () => {
      const { client, durable: closing } = open(master.port, { connectionName: 'closing' })
      const own = async () => (await connections()).filter((line) => line.includes(' name=closing '))
      await closing.set('a', '1')
      expect(await own()).toHaveLength(2)
      await client.quit()
      await vi.waitFor(async () => expect(await own()).toEqual([]))
      await expect(closing.set('a', '2')).rejects.toMatchObject(unavailable)
      expect(await own()).toEqual([])
      // When the client connects again, the connection for durable writes also opens again.
      await client.connect()
      await closing.set('a', '3')
      expect(await store.get('a')).toBe('3')
    })

    it('durable writes are sent together with WAIT in one round trip, on a separate connection', async () => {
      // The first write without `durable` also checks the rights of the user.
      await Promise.all([durable.set('a', '0'), store.set('d', '0')])
      const observer = new Redis(master.port)
      await observer.ping()
      const monitor = await observer.monitor()
      cleanups.push(
        () => observer.disconnect(),
        () => monitor.disconnect(),
      )
      const seen: string[] = []
      monitor.on('monitor', (_time: string, [name = '', key = '']: string[], source: string) => {
        if (name !== 'multi' && name !== 'info')
          seen.push(`${source} ${name.toLowerCase()} ${key.replace('gatehouse:', '')}`)
      })
      // The first write is sent immediately, with its own WAIT. The other two writes are made in the same turn
      // of the event loop, so they share one WAIT.
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

    it('durable writes whose answer is lost are rejected and not sent again, and later writes work', async () => {
      const proxy = await startTcpProxy(master.port)
      cleanups.push(() => proxy.close())
      const behindProxy = open(proxy.port).durable
      await behindProxy.set('counted', '1')
      // Redis has the scripts of these writes from now on, so that no answer is NOSCRIPT.
      await behindProxy.replace('counted', '1', '1')
      await behindProxy.delete('absent')
      for (const write of [
        () => behindProxy.create('code', 'used'),
        () => behindProxy.replace('counted', '1', '2'),
        () => behindProxy.delete('counted'),
      ]) {
        proxy.loseNextAnswer()
        await expect(write()).rejects.toMatchObject(unavailable)
        expect(await behindProxy.create('code', 'again')).toBe(false)
      }
      expect(await store.getMany(['code', 'counted'])).toEqual(['used', undefined])
    })

    it('durable writes resume after Redis was restarted, and after Redis was a replica for a while', async () => {
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

    it('when Redis does not answer a durable write in time, the connection is closed, and later writes work', async () => {
      await durable.set('a', '1')
      master.pause()
      try {
        expect(
          await durationOf(expect(durable.set('a', '2')).rejects.toMatchObject(unavailable)),
        ).toBeLessThan(2500)
        await expect(durable.set('a', '3')).rejects.toMatchObject(unavailable)
      } finally {
        master.resume()
      }
      await vi.waitFor(() => durable.set('a', '4'), { timeout: 10_000 })
      expect(await store.get('a')).toBe('4')
    })

    // What does not depend on the client is tested with one client.
    if (!isFirst) return

    it('a durable write that changes nothing leaves everything as it was, on the replica too', async () => {
      await store.add('index', 'a')
      await store.add('expiring', 'b', 1000)
      const before = await stateOf(master)
      expect(await durable.delete('absent')).toBe(false)
      await durable.remove('absent index', 'a')
      await durable.remove('index', 'absent')
      await durable.add('index', 'a')
      await durable.add('index', 'a', 100)
      await durable.add('expiring', 'b', 100)
      expect(await stateOf(master)).toEqual(before)
      expect(await stateOf(replica)).toEqual(before)
      expect(await askRedis(master, 'ZSCORE', 'gatehouse:index', 'a')).toBe('0')
    })

    it('a write without `durability` that changes nothing replicates nothing, and a durable one replicates', async () => {
      const changes = async () =>
        /^rdb_changes_since_last_save:(\d+)/m.exec(String(await askRedis(master, 'INFO', 'persistence')))?.[1]
      await store.add('index', 'present')
      for (const write of [
        (to: Store) => to.delete('absent'),
        (to: Store) => to.remove('index', 'absent'),
        (to: Store) => to.add('index', 'present'),
      ]) {
        const before = await changes()
        await write(store)
        expect(await changes()).toBe(before)
        await write(durable)
        expect(await changes()).not.toBe(before)
      }
    })

    it('on a full Redis, durable deletes and removes still work, and durable writes that find nothing to change are not confirmed', async () => {
      for (const key of ['a', 'b']) await durable.set(key, '1')
      for (const member of ['a', 'b']) await durable.add('index', member)
      const full = {
        ...unavailable,
        message: expect.stringMatching(/^Redis rejected a command: OOM, .*maxmemory/),
      }
      await askRedis(master, 'CONFIG', 'SET', 'maxmemory', '1')
      try {
        expect(await durable.delete('a')).toBe(true)
        await durable.remove('index', 'a')
        expect(await askRedis(replica, 'EXISTS', 'gatehouse:a')).toBe(0)
        await expect(durable.delete('a')).rejects.toMatchObject(full)
        await expect(durable.remove('index', 'a')).rejects.toMatchObject(full)
        await expect(durable.add('index', 'b')).rejects.toMatchObject(full)
        // Without `durability`, a full Redis deletes as before.
        expect(await store.delete('a')).toBe(false)
        await store.remove('index', 'a')
        expect(await store.delete('b')).toBe(true)
        await store.remove('index', 'b')
      } finally {
        await askRedis(master, 'CONFIG', 'SET', 'maxmemory', '0')
      }
      expect(await durable.delete('a')).toBe(false)
    })

    it('the case of the store contract for writes without replicas passes on Redis', async () => {
      const cases = storeContract({
        createStore: () => open(master.port, {}, { ...durability, timeoutMs: 100 }).opened,
        elapse,
        stopReplication() {
          replica.pause()
          return () => replica.resume()
        },
      }).filter(({ name }) => name.startsWith('without its replicas'))
      expect(cases).toHaveLength(1)
      await required(cases[0]).run()
    })

    it('pending durable writes delay no reads and no plain writes, and all durable writes settle within twice their timeout', async () => {
      await durable.set('a', '1')
      replica.pause()
      try {
        const first = durable.set('first', '1')
        const writes = Array.from({ length: 200 }, (_, number) => durable.set(`key ${number}`, '1'))
        let isPending = true
        const settled = Promise.allSettled([first, ...writes])
        void Promise.race([first, ...writes]).catch(() => (isPending = false))
        await Promise.all([store.get('a'), durable.get('a'), store.set('a', '2')])
        expect(isPending).toBe(true)

        const tooLate = delay(2 * durability.timeoutMs + 300).then(() => [])
        const outcomes = await Promise.race([settled, tooLate])
        expect(outcomes).toHaveLength(201)
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
        }
      } finally {
        replica.resume()
      }
      await inSync()
    })

    it('durable writes that time out in the queue are never sent', async () => {
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

    it('durable writes work after SCRIPT FLUSH', async () => {
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

    it('all calls of the Redis store need only the rights that docs/redis.md lists', async () => {
      const [, list = ''] =
        /^## Access control list$[^]*?^```sh\n([^]*?)^```$/m.exec(
          readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8'),
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
      cleanups.push(() => askRedis(master, 'ACL', 'DELUSER', 'limited'))
      const limited = open(master.port, { username: 'limited', password: 'any' })
      await askRedis(master, 'SCRIPT', 'FLUSH')
      for (const store of [limited.opened, limited.durable]) {
        for (const write of Object.values(WRITES)) await write(store)
        await store.delete('b')
        expect(await store.getMany(['a', 'b'])).toEqual([undefined, undefined])
        expect(await store.range('index', { limit: 1 })).toEqual([])
        await store.ping()
        const received: string[] = []
        const leave = await store.subscribe('news', (message) => received.push(message))
        await store.publish('news', 'hello')
        await vi.waitFor(() => expect(received).toEqual(['hello']))
        await leave()
        expect((await store.inspect?.())?.time).toBeDefined()
      }
      // This rejection proves that Redis limits the user to the rights that docs/redis.md lists.
      await expect(limited.client.keys('*')).rejects.toThrow('NOPERM')
    })

    it('the timeout of WAIT is added to the commandTimeout of the client', async () => {
      const { durable: impatient } = open(master.port, { commandTimeout: 100 })
      await impatient.set('a', '1')
      replica.pause()
      try {
        await expect(impatient.set('a', '2')).rejects.toMatchObject(unconfirmed())
      } finally {
        replica.resume()
      }
      await inSync()
    })

    it('the connection for durable writes opens with the first write, and closes with the store', async () => {
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

    it("durable writes use the client's database, connection name and key prefix", async () => {
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
  })
})

describeWithRedis('the option durability', () => {
  it('durable writes to a Redis without WAIT are rejected with an error that names WAIT', async () => {
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

  it('a store has durable writes only with the option durability', () => {
    const client = new Redis({ lazyConnect: true })
    expect(redisStore(client).durable).toBeUndefined()
    expect(redisStore(client, { durability }).durable).toBeDefined()
  })
})

it('a durable write is rejected if WAIT answers something other than a number', async () => {
  for (const answer of ['many', null, '', 1.5]) {
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
      message: expect.stringContaining('answers WAIT with something other than a number'),
    })
  }
})

const INVALID: readonly (readonly [options: unknown, problem: string])[] = [
  [
    { durability: { replicas: 0, timeoutMs: 500 } },
    'durability.replicas: must be a whole number, at least 1',
  ],
  [{ durability: { replicas: 1.5, timeoutMs: 500 } }, 'durability.replicas: must be a whole number'],
  [{ durability: { replicas: '1', timeoutMs: 500 } }, 'durability.replicas: must be a whole number'],
  [{ durability: { replicas: 1, timeoutMs: 0 } }, 'durability.timeoutMs: must be a whole number'],
  [{ durability: { replicas: 1 } }, 'durability.timeoutMs: must be a whole number'],
  [
    { durability: { replicas: 1, timeout: 500 } },
    'durability.timeout: is unknown here; expected one of replicas, timeoutMs',
  ],
  [{ durability: 1 }, 'durability: must be an object'],
  [{ prefix: 'a:' }, 'prefix: is unknown here; expected one of keyPrefix, durability'],
  [{ keyPrefix: 7 }, 'keyPrefix: must be a text'],
  ['a:', 'the options of redisStore are not valid: expected an object'],
]

it('redisStore() rejects invalid options, and says what is valid', () => {
  const client = new Redis({ lazyConnect: true })
  for (const [options, message] of INVALID) {
    expect(() => redisStore(client, options as never), message).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS', message: expect.stringContaining(message) }) as Error,
    )
  }
})
