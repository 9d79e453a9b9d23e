import { afterEach, expect, it, vi } from 'vitest'
import { sqliteStore } from 'koa-gatehouse/adapters/sqlite'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'

describeWithSqlite('the sweep of the SQLite store', () => {
  const files = sqliteFiles()
  afterEach(() => void vi.useRealTimers())

  it('expired values, indexes and messages are deleted in steps, and all others are kept', async () => {
    const file = files.newFile()
    const database = files.open(file)
    const store = sqliteStore(database)
    const numbers = Array.from({ length: 450 }, (_, number) => number)
    await Promise.all([
      ...numbers.flatMap((number) => [
        store.set(`short ${number}`, 'x', 1),
        store.add('old', `${number}`, 1),
      ]),
      store.publish('channel', 'message'),
      store.set('long', '1', 3600),
      store.set('permanent', '1'),
      store.add('index', 'member'),
    ])
    database.exec(`update gatehouse_value set expires_at = 1 where cast(key as text) like 'short %';
      update gatehouse_index set expires_at = 1 where cast(name as text) = 'old';
      update gatehouse_message set expires_at = 1`)
    // An index that is used again after its expiry has only its new members.
    await store.add('old', 'new')
    expect(await store.range('old', { limit: 1000 })).toEqual(['new'])
    const rowsOf = (table: string) => database.prepare(`select 1 from gatehouse_${table}`).all().length
    expect(['value', 'member', 'message'].map(rowsOf)).toEqual([452, 452, 1])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const sweeping = sqliteStore(files.open(file))
    await vi.advanceTimersByTimeAsync(60_000)
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(100)
      expect(['value', 'index', 'member', 'message'].map(rowsOf)).toEqual([2, 2, 2, 0])
    })
    expect(await store.getMany(['short 0', 'long', 'permanent'])).toEqual([undefined, '1', '1'])
    await Promise.all([store.close(), sweeping.close()])
  })
})
