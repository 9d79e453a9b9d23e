import { setTimeout as delay } from 'node:timers/promises'
import { PGlite, types } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeContract } from '../../src/testing/index.ts'
import type { Store } from '../../src/index.ts'
import { connect, startHost } from '../support/host.ts'
import { migratePostgres, postgresStore, type PostgresClient } from '../../adapters/postgres.ts'
import { elapse } from '../adapters/real-time.ts'

/**
 * PostgreSQL, compiled to run within this process. It has one connection, so concurrent calls run one after
 * the other.
 */
let database: PGlite
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

function createStore(): Store {
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

function breakConnection(store: Store) {
  const connection = connections.get(store)!
  connection.cut = true
  return () => {
    connection.cut = false
    connection.resumed()
  }
}

describe('PostgreSQL in the process (PGlite)', () => {
  // One after the other: with one connection, a case would otherwise wait for all the others.
  describe('the store contract on PGlite', () => {
    for (const { name, run } of storeContract({ createStore, elapse, breakConnection })) it(name, run)
  })

  it('the contract suite leaves no unexpired data in PGlite', async () => {
    for (const table of ['value', 'index', 'member']) {
      const isLive = table === 'member' ? 'true' : 'expires_at > clock_timestamp()'
      const { rows } = await database.query(`select * from gatehouse.${table} where ${isLive} limit 1`)
      expect(rows, table).toEqual([])
    }
  })

  it('once a lost connection is restored, the store on PGlite notifies a listener that messages may have been missed', async () => {
    const store = createStore()
    let missed = 0
    await store.subscribe(
      'a',
      () => {},
      () => (missed += 1),
    )
    const restore = breakConnection(store)
    await delay(0)
    expect(missed).toBe(0)
    restore()
    await delay(0)
    expect(missed).toBe(1)
    await store.close()
  })

  it('inspect() on PGlite warns that it does not write through to the disk', async () => {
    const store = createStore()
    const { checks = [] } = (await store.inspect?.()) ?? {}
    expect(checks.filter(({ status }) => status !== 'pass')).toEqual([
      {
        name: 'persistence',
        status: 'warn',
        message: 'fsync or full_page_writes is off: a machine that fails loses data',
        remedy: 'Set fsync and full_page_writes to on in postgresql.conf',
      },
    ])
    await store.close()
  })

  it('a host on the store on PGlite issues direct and delegated tokens, and rejects revoked tokens', async () => {
    const host = await startHost({ store: createStore() })
    try {
      const apiKey = await host.createApiKey()
      const direct = await host.token({ ...apiKey, grant_type: 'client_credentials' })
      expect(direct.status).toBe(200)
      const call = (token: unknown) => host.call('GET /invoices/list', String(token))
      expect((await call(direct.body['access_token'])).status).toBe(200)
      expect(host.reached).toEqual(['GET /api/invoices/list'])

      const application = await host.createApplication()
      const tokens = await connect(host, application)
      const refresh = (token: string) =>
        host.token({ ...application, grant_type: 'refresh_token', refresh_token: token })
      const refreshed = await refresh(tokens.refresh_token)
      expect(refreshed.status).toBe(200)
      expect((await call(refreshed.body['access_token'])).status).toBe(200)
      expect(host.reached).toHaveLength(2)

      expect((await host.gatehouse.grants.list({ accountId: 'alice' })).items).toHaveLength(1)
      await host.gatehouse.apiKeys.delete(apiKey.client_id)
      const rejected = await call(direct.body['access_token'])
      expect(rejected.status).toBe(401)
      expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"')

      // The second use of a refresh token revokes its family.
      const again = await refresh(tokens.refresh_token)
      expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant'])
      expect((await refresh(String(refreshed.body['refresh_token']))).status).toBe(400)
      expect(host.reached).toHaveLength(2)
    } finally {
      await host.close()
    }
  })
})
