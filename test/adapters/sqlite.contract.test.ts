import { describe, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { sqliteStore, type SqliteDatabase } from 'koa-gatehouse/adapters/sqlite'
import { storeContract } from '../../src/testing/store-contract.ts'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { sqliteDrivers } from '../support/sqlite.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'
import { elapse } from './real-time.ts'

/** A connection that the test can cut: then it fails as a disk that fails. */
interface Cuttable {
  readonly database: SqliteDatabase
  isCut: boolean
}

function cuttable(inner: SqliteDatabase): Cuttable {
  const requireDisk = () => {
    if (connection.isCut) throw new Error('disk I/O error')
  }
  const database: SqliteDatabase = {
    exec(sql) {
      requireDisk()
      return inner.exec(sql)
    },
    prepare(sql) {
      requireDisk()
      const statement = inner.prepare(sql)
      return {
        run(...values) {
          requireDisk()
          return statement.run(...values)
        },
        all(...values) {
          requireDisk()
          return statement.all(...values)
        },
      }
    },
  }
  const connection: Cuttable = { database, isCut: false }
  return connection
}

describeWithSqlite('the store contract on SQLite', () => {
  describe.each(sqliteDrivers())('$name', (driver) => {
    const files = sqliteFiles(driver)
    const file = files.newFile()
    const connections = new WeakMap<Store, Cuttable>()

    function createStore(): Store {
      const connection = cuttable(files.open(file))
      const store = sqliteStore(connection.database)
      connections.set(store, connection)
      return store
    }

    function breakConnection(store: Store) {
      const connection = connections.get(store)!
      connection.isCut = true
      return () => void (connection.isCut = false)
    }

    describe.concurrent('', () => {
      for (const { name, run } of storeContract({ createStore, elapse, breakConnection })) it(name, run)
    })

    it('the contract suite leaves no unexpired data in the file', () => {
      const database = files.open(file)
      const live = 'expires_at > unixepoch() * 1000'
      for (const [table, isLive] of [
        ['value', live],
        ['index', `${live} and name is not null`],
      ]) {
        const rows = database.prepare(`select 1 from gatehouse_${table} where ${isLive} limit 1`).all()
        expect(rows, table).toEqual([])
      }
    })
  })
})
