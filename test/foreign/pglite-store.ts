import { PGlite, types } from '@electric-sql/pglite'
import { afterAll, beforeAll } from 'vitest'
import type { Store } from '../../src/index.ts'
import { migratePostgres, postgresStore, type PostgresClient } from '../../adapters/postgres.ts'

/**
 * PostgreSQL, compiled to run within this process. It has one connection, so concurrent calls run one after
 * the other.
 */
export let database: PGlite
beforeAll(async () => {
  database = await PGlite.create({
    // The serializers of PGlite are replaced, because they take a second for a megabyte.
    serializers: { [types.BYTEA]: (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}` },
    parsers: { [types.BYTEA]: (value) => Buffer.from(value.slice(2), 'hex') },
  })
  await migratePostgres({ query: (...call) => database.query(...call) })
})
afterAll(() => database.close())

/** The connection of each store, which `breakConnection` cuts. */
const connections = new WeakMap<Store, { cut: boolean; resumed: () => void }>()

/** Opens a store whose connection `breakConnection` can cut. */
export function createStore(): Store {
  const connection = { cut: false, resumed: () => {} }
  const requireConnection = () => {
    if (connection.cut) throw new Error('the connection has ended')
  }
  const client: PostgresClient = {
    query: async (...call) => {
      requireConnection()
      return database.query(...call)
    },
    listen: async (channel, receive, resumed) => {
      requireConnection()
      connection.resumed = resumed
      return database.listen(channel, (payload) => (connection.cut ? undefined : receive(payload)))
    },
  }
  const store = postgresStore(client)
  connections.set(store, connection)
  return store
}

/** Cuts the connection of a store. The returned function restores it. */
export function breakConnection(store: Store) {
  const connection = connections.get(store)!
  connection.cut = true
  return () => {
    connection.cut = false
    connection.resumed()
  }
}
