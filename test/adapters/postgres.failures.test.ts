import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import { areCredentialsRejected } from '../../src/errors.ts'
import type { Store } from '../../src/store/contract.ts'
import { withDeadline } from '../../src/store/resilient-store.ts'
import { describeWithPostgres } from '../support/describe-with-postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { unavailable } from './unavailable.ts'

/** The settings that docs/postgresql.md recommends. */
const RECOMMENDED: PoolConfig = { connectionTimeoutMillis: 1000, statement_timeout: 1000 }

/** Calls each method that sends a statement, and returns the promises of the calls. */
function everyCall(store: Store): Promise<unknown>[] {
  return [
    store.get('a'),
    store.getMany(['a', 'b']),
    store.set('a', '1'),
    store.create('b', '1', 10),
    store.replace('a', '1', '2'),
    store.delete('a'),
    store.add('index', 'a', 10),
    store.remove('index', 'a'),
    store.range('index', { limit: 10 }),
    store.count!('c', 1, { slotSeconds: 1, slots: 1, claim: 0, max: 0 }),
    store.publish('channel', 'hello'),
    store.ping(),
    store.inspect!(),
  ]
}

const failing = (message: string | RegExp) => ({
  ...unavailable,
  message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
})

/** A message of the server (PostgreSQL, 55.7 Message Formats): its type, its length with these four bytes, its content. */
function message(type: string, content: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')])
}

it('a connection that ends as soon as the pool has lent it ends no process', async () => {
  const ended = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const isReady = [message('R', '\0\0\0\0'), message('Z', 'I')]
  const server = createServer((socket) => {
    // In one piece, so pg reads the error in the same turn in which it lends the connection.
    socket.once('data', () => socket.end(Buffer.concat([...isReady, ended])))
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const pool = new Pool({ host: '127.0.0.1', port, user: 'postgres', ...RECOMMENDED })
  const store = postgresStore({ pool })
  await expect(store.get('a')).rejects.toMatchObject(unavailable)
  await expect(store.subscribe('channel', () => {})).rejects.toMatchObject(unavailable)
  await store.close()
  await pool.end()
})

describeWithPostgres('the PostgreSQL store', () => {
  let server: PostgresServer
  const pools: Pool[] = []
  const stores: Store[] = []

  function open(config: PoolConfig = {}): Pool {
    const pool = new Pool({ connectionString: server.url, ...RECOMMENDED, ...config })
    pools.push(pool)
    return pool
  }
  function openStore(config: PoolConfig = {}, options: { schema?: string; timeoutMs?: number } = {}): Store {
    const store = postgresStore({ pool: open(config), ...options })
    stores.push(store)
    return store
  }
  const as = (user: string) => ({ connectionString: server.url.replace('postgres@', `${user}@`) })

  beforeAll(async () => {
    server = await startPostgres()
    await migratePostgres({ pool: open() })
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await Promise.all(pools.splice(0).map((pool) => pool.end()))
  })
  afterAll(() => server.stop())

  it('while PostgreSQL restarts, calls fail with 503, no confirmed write is lost, and the store works again by itself', async () => {
    const store = openStore()
    const missed = vi.fn<() => void>()
    const received: string[] = []
    await store.subscribe('channel', (message) => received.push(message), missed)
    const created: string[] = []
    const errors: unknown[] = []
    let isOver = false
    const writing = Array.from({ length: 4 }, async (_, writer) => {
      for (let number = 0; !isOver; number += 1) {
        const key = `restart ${writer} ${number}`
        try {
          if (await store.create(key, '1', 100)) created.push(key)
        } catch (error) {
          errors.push(error)
          await delay(10)
        }
      }
    })
    await vi.waitFor(() => expect(created.length).toBeGreaterThan(0), { timeout: 10_000 })
    await server.restart()
    await vi.waitFor(() => store.ping(), { timeout: 10_000 })
    await delay(200)
    isOver = true
    await Promise.all(writing)

    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toMatchObject(failing('PostgreSQL'))
    for (let from = 0; from < created.length; from += 1000) {
      expect(await store.getMany(created.slice(from, from + 1000))).not.toContain(undefined)
    }
    await vi.waitFor(() => expect(missed).toHaveBeenCalled(), { timeout: 10_000 })
    await store.publish('channel', 'after the restart')
    await vi.waitFor(() => expect(received).toEqual(['after the restart']))
  })

  it('while PostgreSQL is frozen every call fails in time, and all calls work again afterwards', async () => {
    const store = openStore()
    await store.set('frozen', '1', 100)
    server.pause()
    try {
      const startedAt = performance.now()
      const outcomes = await Promise.allSettled(everyCall(withDeadline(store, 1000)))
      expect(performance.now() - startedAt).toBeLessThan(2000)
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
    } finally {
      server.resume()
    }
    await vi.waitFor(() => store.ping(), { timeout: 10_000 })
    expect(await store.get('frozen')).toBe('1')
    expect(await store.create('after the freeze', '1', 10)).toBe(true)
  })

  it('a network that loses all data does not occupy the pool for ever', async () => {
    const proxy = await startTcpProxy(server.port)
    const store = openStore({
      connectionString: server.url.replace(String(server.port), String(proxy.port)),
      max: 3,
    })
    await store.set('lost', '1', 100)
    const end = proxy.drop('up')
    try {
      const outcomes = await Promise.allSettled(everyCall(store))
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
    } finally {
      end()
    }
    await vi.waitFor(() => store.ping(), { timeout: 10_000 })
    expect(await store.get('lost')).toBe('1')
    await store.close()
    await proxy.close()
  })

  it('if the answer to a write is lost, the write rejects and never answers false', async () => {
    const proxy = await startTcpProxy(server.port)
    const store = openStore({ connectionString: server.url.replace(String(server.port), String(proxy.port)) })
    for (const write of [
      () => store.create('unknown', '1', 100),
      () => store.replace('unknown', '1', '2', 100),
      () => store.delete('unknown'),
    ]) {
      await store.ping()
      proxy.loseNextAnswer()
      await expect(write()).rejects.toMatchObject(failing('PostgreSQL cannot be reached'))
    }
    // The server has executed all three.
    expect(await store.get('unknown')).toBeUndefined()
    await store.close()
    await proxy.close()
  })

  it('a write that waits for a lock is cancelled by statement_timeout, and is not applied later', async () => {
    const store = openStore({ statement_timeout: 200 })
    await store.ping()
    const [admin] = [await open().connect()]
    await admin.query('begin; lock table gatehouse.value in access exclusive mode')
    await expect(store.set('locked', '1')).rejects.toMatchObject(
      failing('57014, the statement was cancelled'),
    )
    await admin.query('rollback')
    admin.release()
    await delay(50)
    expect(await store.get('locked')).toBeUndefined()
  })

  it('a call that waits too long for a connection of the pool is not sent', async () => {
    const pool = open({ max: 2, connectionTimeoutMillis: 0 })
    const store = postgresStore({ pool, timeoutMs: 100 })
    const held = [await pool.connect(), await pool.connect()]
    const writing = store.set('late', '1')
    await delay(150)
    for (const connection of held) connection.release()
    await expect(writing).rejects.toMatchObject(failing('no connection of the pool was free within 100 ms'))
    await store.close()
    expect(await openStore().get('late')).toBeUndefined()
  })

  it('without the tables each call names what creates them', async () => {
    const store = openStore({}, { schema: 'absent' })
    for (const outcome of await Promise.allSettled(everyCall(store))) {
      const { reason } = outcome as PromiseRejectedResult
      expect(reason).toMatchObject(failing(/"absent" has not the tables .*: run migratePostgres/))
      expect(areCredentialsRejected(reason)).toBe(true)
    }
  })

  it('a user without rights is named as the cause, and works once the rights are granted', async () => {
    await server.ask(`create role limited login; grant usage on schema gatehouse to limited;
      grant select, insert, update on all tables in schema gatehouse to limited`)
    const store = openStore(as('limited'))
    const error: unknown = await store.get('a').catch((reason: unknown) => reason)
    expect(error).toMatchObject(failing('lacks rights on some tables: delete. Grant select'))
    expect(areCredentialsRejected(error)).toBe(true)
    await server.ask('create role stranger login')
    await expect(openStore(as('stranger')).get('a')).rejects.toMatchObject(
      failing('42501, its user lacks a right'),
    )
    await expect(openStore(as('unknown_user')).get('a')).rejects.toMatchObject(
      failing(/28000, .*the user or the password/),
    )

    await server.ask('grant delete on all tables in schema gatehouse to limited')
    expect(await store.create('limited', '1', 1)).toBe(true)
    await store.add('limited index', 'a', 1)
    expect(await store.range('limited index', { limit: 1 })).toEqual(['a'])
    await store.remove('limited index', 'a')
    expect(await store.delete('limited')).toBe(true)
    await server.ask('drop owned by limited; drop role limited; drop role stranger')
  })

  it('the user of a store that lacks the right to create a schema cannot migrate, and the error says so', async () => {
    await server.ask('create role plain login')
    const pool = open(as('plain'))
    await expect(migratePostgres({ pool, schema: 'new' })).rejects.toMatchObject(failing('42501'))
    await server.ask('drop role plain')
  })

  it.each([
    [
      'another isolation level',
      { options: '-c default_transaction_isolation=serializable' },
      'the isolation level is serializable',
    ],
    [
      'synchronous_commit = off',
      { options: '-c synchronous_commit=off' },
      'commits do not wait for the disk',
    ],
  ])('%s is rejected with the remedy', async (_, config, message) => {
    const store = openStore(config)
    const error = { message: expect.stringContaining(message) as string }
    await expect(store.get('a')).rejects.toMatchObject(error)
    await expect(store.set('a', '1')).rejects.toMatchObject(error)
  })

  it('synchronous_commit = local is accepted alone, and rejected where a standby is named', async () => {
    const local = { options: '-c synchronous_commit=local' }
    expect(await openStore(local).get('a')).toBeUndefined()
    await server.ask(`alter system set synchronous_standby_names = 'standby'`)
    await server.ask('select pg_reload_conf()')
    try {
      const error = {
        code: 'ERR_OPTIONS',
        message: expect.stringContaining('do not wait for the standby') as string,
      }
      await vi.waitFor(() => expect(openStore(local).get('a')).rejects.toMatchObject(error))
      const { checks } = await openStore().inspect!()
      expect(checks.find(({ name }) => name === 'replicas')).toMatchObject({ status: 'fail' })

      // The commit is confirmed, although the standby does not have it.
      const store = openStore({ application_name: 'cancelled', statement_timeout: 0 }, { timeoutMs: 10_000 })
      const error503 = failing('the standby has not confirmed the write')
      const writing = expect(store.create('cancelled', '1', 100)).rejects.toMatchObject(error503)
      const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = 'cancelled' and wait_event = 'SyncRep'`
      await vi.waitFor(async () => expect(await server.ask(cancel)).toHaveLength(1))
      await writing
    } finally {
      await server.ask('alter system reset synchronous_standby_names')
      await server.ask('select pg_reload_conf()')
    }
  })

  it('a write of a read-only transaction rejects, and the error names the cause', async () => {
    const store = openStore({ options: '-c default_transaction_read_only=on' })
    expect(await store.get('a')).toBeUndefined()
    await expect(store.set('a', '1')).rejects.toMatchObject(failing('25006, it accepts no writes'))
  })

  it('unlogged tables are rejected with the remedy', async () => {
    await migratePostgres({ pool: open(), schema: 'unlogged' })
    await server.ask('alter table unlogged.value set unlogged')
    const store = openStore({}, { schema: 'unlogged' })
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'ERR_OPTIONS',
      message: expect.stringMatching(/a crash empties unlogged tables: value.*SET LOGGED/) as string,
    })
    await server.ask('alter table unlogged.value set logged')
    expect(await store.get('a')).toBeUndefined()
  })

  it('a standby is rejected for reads too, because its data is outdated', async () => {
    const standby = await server.startStandby()
    try {
      const store = openStore({ connectionString: standby.url })
      await expect(store.get('a')).rejects.toMatchObject(failing('this server is a standby'))
      await expect(store.subscribe('a', () => {})).rejects.toMatchObject(failing('this server is a standby'))
      await standby.ask('select pg_promote()')
      await vi.waitFor(async () => expect(await store.get('a')).toBeUndefined(), { timeout: 10_000 })
      await store.close()
    } finally {
      await standby.stop()
    }
  })

  it('an error quotes neither key nor value', async () => {
    const store = openStore()
    await server.ask(`alter table gatehouse.value add constraint forbidden check (value <> 'private text')`)
    try {
      for (const write of [
        () => store.set('private key', 'private text'),
        () => store.create('private key', 'private text'),
      ]) {
        const error: unknown = await write().catch((reason: unknown) => reason)
        expect(error).toMatchObject(failing('PostgreSQL rejected a statement: 23514'))
        const printed = inspect(error, { depth: 10 })
        expect(printed).not.toContain('private')
        expect(printed).not.toContain(Buffer.from('private').toString('hex'))
      }
    } finally {
      await server.ask('alter table gatehouse.value drop constraint forbidden')
    }
  })

  it('a lost listening connection is replaced, and its listeners are notified that messages may be missed', async () => {
    const store = openStore({ application_name: 'listening' })
    const received: string[] = []
    const missed = vi.fn<() => void>()
    await store.subscribe('channel', (message) => received.push(message), missed)
    await vi.waitFor(async () => {
      const { checks } = await store.inspect!()
      expect(checks.find(({ name }) => name === 'messages')?.message).toBe('PostgreSQL delivers messages')
    })
    await server.ask(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'listening' and query like 'listen%'`)
    await vi.waitFor(() => expect(missed).toHaveBeenCalledOnce())
    await store.publish('channel', 'a'.repeat(9000))
    await store.publish('channel', 'b')
    await vi.waitFor(() => expect(new Set(received.map(([first]) => first))).toEqual(new Set(['a', 'b'])))
    expect(missed).toHaveBeenCalledOnce()
  })
})
