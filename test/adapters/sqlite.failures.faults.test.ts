import { rmSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Store, StoreCheck } from 'koa-gatehouse'
import { sqliteStore, type SqliteDatabase } from 'koa-gatehouse/adapters/sqlite'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { compileHostProgram, type HostProgram } from '../support/host-process.ts'
import { FOREIGN } from '../support/sqlite.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'
import type { SqliteProcessOptions } from '../support/sqlite-process-main.ts'
import { until } from '../support/until.ts'

const unavailable = (text: string) => ({
  name: 'GatehouseError',
  code: 'ERR_STORE_UNAVAILABLE',
  status: 503,
  message: expect.stringContaining(text) as string,
})

describeWithSqlite('a file of SQLite that cannot be used', () => {
  const files = sqliteFiles()
  const stores: Store[] = []
  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())))

  function open(database: SqliteDatabase): Store {
    const store = sqliteStore(database)
    stores.push(store)
    return store
  }

  async function check(store: Store, name: string): Promise<StoreCheck | undefined> {
    return (await store.inspect?.())?.checks.find((each) => each.name === name)
  }

  it('a write waits until another process has ended its transaction, without holding the event loop, and reads do not wait', async () => {
    const file = files.newFile()
    const store = open(files.open(file))
    await store.set('a', '1')
    const other = files.open(file)
    other.exec('begin immediate')
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    let isWritten = false
    const writing = store.set('a', '2').then(() => (isWritten = true))
    await delay(300)
    expect(isWritten).toBe(false)
    expect(await store.get('a')).toBe('1')
    other.exec('commit')
    await writing
    delays.disable()
    expect(await store.get('a')).toBe('2')
    expect(delays.max / 1e6).toBeLessThan(200)
  })

  it('a write rejects if another process locks the file for more than a second, and the store works again afterwards', async () => {
    const file = files.newFile()
    const store = open(files.open(file))
    await store.set('a', '1')
    const other = files.open(file)
    other.exec('begin immediate')
    await expect(store.set('a', '2')).rejects.toMatchObject(unavailable('another process has locked'))
    expect(await check(store, 'writes')).toMatchObject({ status: 'pass' })
    other.exec('rollback')
    await store.set('a', '3')
    expect(await store.get('a')).toBe('3')
  })

  it('if the disk is full, writes reject and reads work, and the store works again by itself', async () => {
    const database = files.open(files.newFile())
    const store = open(database)
    await store.set('a', '1')
    // SQLite reports this limit as a full disk.
    database.exec('pragma max_page_count = 20')
    const big = 'x'.repeat(200_000)
    const outcomes = await Promise.allSettled([store.set('big', big), store.set('b', '2')])
    expect(outcomes[0]).toMatchObject({ reason: unavailable('the disk of the SQLite file is full') })
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled' })
    await expect(store.set('big', big)).rejects.toMatchObject(unavailable('Free space'))
    expect(await store.getMany(['a', 'b', 'big'])).toEqual(['1', '2', undefined])
    database.exec('pragma max_page_count = 100000')
    await store.set('big', big)
    expect(await check(store, 'writes')).toMatchObject({
      status: 'fail',
      remedy: expect.any(String) as string,
    })
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000)
    expect(await check(store, 'writes')).toMatchObject({ status: 'pass' })
    clock.mockRestore()
  })

  it('a read-only file rejects writes with the remedy', async () => {
    const file = files.newFile()
    await open(files.open(file)).set('a', '1')
    const store = open(files.open(file, { readOnly: true }))
    await expect(store.set('a', '2')).rejects.toMatchObject(unavailable('read-only'))
  })

  it('a corrupt file and a file of another program reject every call, and name the remedy', async () => {
    const file = files.newFile()
    writeFileSync(file, 'this is no database\n'.repeat(500))
    const store = open(files.open(file))
    await expect(store.get('a')).rejects.toMatchObject(unavailable('Restore a backup'))
    await expect(store.set('a', '1')).rejects.toMatchObject(unavailable('Restore a backup'))
    await expect(store.ping()).rejects.toMatchObject(unavailable('corrupt'))
  })

  it('a transaction of the host on the connection of the store is neither joined nor rolled back', async () => {
    const database = files.open(files.newFile())
    const store = open(database)
    await store.set('a', '1')
    database.exec('create table host (id integer); begin; insert into host values (1)')
    await expect(store.set('a', '2')).rejects.toMatchObject(unavailable('Give the store one of its own'))
    database.exec('commit')
    expect(database.prepare('select * from host').all()).toHaveLength(1)
    await store.set('a', '3')
    expect(await store.get('a')).toBe('3')
  })

  it('if the host has closed the database, every call rejects', async () => {
    const database = files.open(files.newFile())
    const store = open(database)
    await store.set('a', '1')
    database.close()
    await expect(store.get('a')).rejects.toMatchObject(unavailable('the host has closed the database'))
    await expect(store.set('a', '2')).rejects.toMatchObject(unavailable('Close the store before'))
  })

  it('the checks of a healthy file pass, and name neither keys nor values', async () => {
    const store = open(files.open(files.newFile()))
    await store.set('a key', 'a value')
    const { time = 0, checks } = (await store.inspect?.()) ?? { checks: [] }
    expect(Math.abs(time - Date.now())).toBeLessThan(1000)
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'writes pass',
      'persistence pass',
      'space pass',
      'sweep pass',
      'version pass',
    ])
    expect(JSON.stringify(checks)).not.toContain('a key')
  })

  it('the checks notice commits that do not wait, a deleted file, and expired data that stays', async () => {
    const file = files.newFile()
    const database = files.open(file)
    const store = open(database)
    await store.set('a', '1', 1)
    database.exec('pragma synchronous = off; update gatehouse_value set expires_at = 7200000')
    expect(await check(store, 'persistence')).toMatchObject({ status: 'fail' })
    expect(await check(store, 'sweep')).toMatchObject({ status: 'warn' })
    rmSync(file)
    expect(await check(store, 'space')).toMatchObject({ status: 'fail' })
  })
})

describeWithSqlite('two processes on one file of SQLite', () => {
  const files = sqliteFiles()
  let program: HostProgram<SqliteProcessOptions>
  beforeAll(async () => {
    program = await compileHostProgram<SqliteProcessOptions>('sqlite-process-main')
  })
  afterAll(() => program?.remove())

  // `sqlite.processes.long.test.ts` compares how many writes each gets, which on a busy machine depends on who has the processor.
  it('two processes that write all the time both come to an end, and no write fails', async () => {
    const file = files.newFile()
    const both = await Promise.all([0, 1].map(() => program.start({ file, foreign: FOREIGN })))
    expect(await Promise.all(both.map((each) => each.ask('write-count 500')))).toEqual([500, 500])
    const database = files.open(file)
    const [row] = database.prepare('select count(*) as rows from gatehouse_value').all()
    expect(row).toEqual({ rows: 1000 })
    await Promise.all(both.map((each) => each.stop()))
  })

  it('every write that has resolved is in the file after its process was killed', async () => {
    const file = files.newFile()
    const writer = await program.start({ file, foreign: FOREIGN })
    void writer.ask('write-for-ever')
    await until(() => expect(writer.events.length).toBeGreaterThan(100))
    await writer.stop()
    const store = sqliteStore(files.open(file))
    const members: string[] = []
    for (;;) {
      const page = await store.range('index', { after: members.at(-1), limit: 1000 })
      if (page.length === 0) break
      members.push(...page)
    }
    const keys = writer.events.map((number) => `value ${number}`)
    for (const number of writer.events) expect(members).toContain(number.padStart(9, '0'))
    const values: (string | undefined)[] = []
    for (let at = 0; at < keys.length; at += 1000)
      values.push(...(await store.getMany(keys.slice(at, at + 1000))))
    expect(values).toEqual(writer.events)
    await store.set('after', '1')
    await store.close()
  })
})
