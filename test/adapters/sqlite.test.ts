import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { sqliteStore, type SqliteDatabase } from 'koa-gatehouse/adapters/sqlite'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'

/** Records the statements that begin and end transactions. */
function watchTransactions(inner: SqliteDatabase) {
  const statements: string[] = []
  const database: SqliteDatabase = {
    exec(sql) {
      if (/^(?:begin|commit|rollback)/.test(sql)) statements.push(sql)
      return inner.exec(sql)
    },
    prepare: (sql) => inner.prepare(sql),
  }
  return { database, statements }
}

const ONE_TRANSACTION = ['begin immediate', 'commit']

it('sqliteStore() called with something other than a database throws an error that names the accepted argument', () => {
  for (const database of ['gatehouse.db', undefined, {}]) {
    expect(() => sqliteStore(database as never)).toThrow('sqliteStore takes an open database')
  }
})

describeWithSqlite('the SQLite store', () => {
  const files = sqliteFiles()
  const stores: Store[] = []
  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())))

  function open(database: SqliteDatabase): Store {
    const store = sqliteStore(database)
    stores.push(store)
    return store
  }

  function one(database: SqliteDatabase, sql: string): unknown {
    return Object.values(database.prepare(sql).all()[0] as object)[0]
  }

  it('a database in memory is rejected, because another process cannot open it', () => {
    for (const file of [':memory:', '']) {
      expect(() => sqliteStore(files.open(file))).toThrow(
        expect.objectContaining({ code: 'ERR_OPTIONS' }) as Error,
      )
    }
  })

  it('the store lets commits wait for the disk, and the driver never wait for a busy file', async () => {
    const database = files.open(files.newFile())
    database.exec('pragma busy_timeout = 5000; pragma synchronous = off')
    await open(database).set('a', '1')
    expect(one(database, 'pragma journal_mode')).toBe('wal')
    expect(one(database, 'pragma synchronous')).toBe(2)
    expect(one(database, 'pragma busy_timeout')).toBe(0)
  })

  it('the writes of one turn share one transaction, and reads need none', async () => {
    const { database, statements } = watchTransactions(files.open(files.newFile()))
    const store = open(database)
    await store.set('a', '1')
    statements.splice(0)
    await Promise.all([store.set('b', '2'), store.create('c', '3'), store.add('index', 'd')])
    expect(statements).toEqual(ONE_TRANSACTION)
    await Promise.all([store.get('b'), store.getMany(['b', 'c']), store.range('index', { limit: 10 })])
    expect(statements).toEqual(ONE_TRANSACTION)
  })

  it('a call that fails does not affect the other calls of its transaction', async () => {
    const store = open(files.open(files.newFile()))
    const outcomes = await Promise.allSettled([
      store.set('a', '1'),
      store.set('b', undefined as never),
      store.create('a', '2'),
      store.create('c', '3'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { code: 'ERR_STORE_UNAVAILABLE' } })
    expect(outcomes[2]).toMatchObject({ value: false })
    expect(await store.getMany(['a', 'b', 'c'])).toEqual(['1', undefined, '3'])
  })

  it('the tables of the host stay in the file, and so does its user_version', async () => {
    const file = files.newFile()
    const host = files.open(file)
    host.exec('create table invoices (id integer); pragma user_version = 7')
    await open(files.open(file)).set('a', '1')
    expect(one(host, 'pragma user_version')).toBe(7)
    expect(one(host, 'select count(*) from invoices')).toBe(0)
  })

  it('another store on the file receives a message within a second', async () => {
    const file = files.newFile()
    const [store, other] = [open(files.open(file)), open(files.open(file))]
    const received: string[] = []
    await store.subscribe('a', (message) => received.push(message))
    const sentAt = performance.now()
    await other.publish('a', 'hello')
    await vi.waitFor(() => expect(received).toEqual(['hello']), { timeout: 1000, interval: 5 })
    console.info(`the message arrived after ${Math.round(performance.now() - sentAt)} ms`)
  })

  it('a store reads messages only while it has subscribers', async () => {
    const inner = files.open(files.newFile())
    let reads = 0
    const database: SqliteDatabase = {
      exec: (sql) => inner.exec(sql),
      prepare(sql) {
        const statement = inner.prepare(sql)
        if (!sql.includes('from gatehouse_message where id')) return statement
        return {
          run: (...values) => statement.run(...values),
          all(...values) {
            reads += 1
            return statement.all(...values)
          },
        }
      },
    }
    const store = open(database)
    const end = await store.subscribe('a', () => {})
    const first = reads
    await vi.waitFor(() => expect(reads).toBeGreaterThan(first + 1))
    await end()
    const last = reads
    await delay(250)
    expect(reads).toBe(last)
  })

  it('closing the store leaves the database of the host open', async () => {
    const database = files.open(files.newFile())
    const store = open(database)
    await store.set('a', '1')
    await store.close()
    expect(one(database, 'select count(*) from gatehouse_value')).toBe(1)
    await expect(store.get('a')).rejects.toMatchObject({ code: 'ERR_CLOSED', status: 503 })
    await expect(store.subscribe('a', () => {})).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  it('a file of a later version is rejected, and stays unchanged', async () => {
    const file = files.newFile()
    const database = files.open(file)
    await open(database).set('a', '1')
    database.exec('update gatehouse_schema set version = 2')
    await expect(open(files.open(file)).set('a', '2')).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
      message: expect.stringContaining('a later version of koa-gatehouse') as string,
    })
    expect(one(database, 'select cast(value as text) from gatehouse_value')).toBe('1')
  })
})
