import { setTimeout as delay } from 'node:timers/promises'
import { PGlite, types } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { storeContract } from 'koa-gatehouse/testing'
import type { Store } from 'koa-gatehouse'
import { connect, startHost } from '../support/host.ts'
import { SCHEMA } from './sql-schema.ts'
import { sqlStore, type SqlClient } from './sql-store.ts'
import { elapse } from './real-time.ts'

/** PostgreSQL, compiled to run within this process. It knows one connection, so what is concurrent takes turns. */
let database: PGlite
beforeAll(async () => {
  database = await PGlite.create({
    // Its own take a second for a megabyte.
    serializers: { [types.BYTEA]: (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}` },
    parsers: { [types.BYTEA]: (value) => Buffer.from(value.slice(2), 'hex') },
  })
  await database.exec(SCHEMA)
})
afterAll(() => database.close())

/** What each store reaches the database through, so that it can be cut. */
const lines = new WeakMap<Store, { cut: boolean; again: () => void }>()

function createStore(): Store {
  const line = { cut: false, again: () => {} }
  const reach = () => {
    if (line.cut) throw new Error('the connection has ended')
  }
  const client: SqlClient = {
    query: async (...call) => {
      reach()
      return database.query(...call)
    },
    listen: async (channel, hear, again) => {
      reach()
      line.again = again
      return database.listen(channel, (payload) => (line.cut ? undefined : hear(payload)))
    },
  }
  const store = sqlStore(client)
  lines.set(store, line)
  return store
}

function breakConnection(store: Store) {
  const line = lines.get(store)!
  line.cut = true
  return () => {
    line.cut = false
    line.again()
  }
}

describe('an adapter for PostgreSQL, written by the contract alone', () => {
  describe.concurrent('keeps it', () => {
    for (const { name, run } of storeContract({ createStore, elapse, breakConnection })) test(name, run)
  })

  test('and the suite leaves nothing behind', async () => {
    for (const table of ['value', 'index', 'member']) {
      const living = table === 'member' ? 'true' : 'expires_at > clock_timestamp()'
      const { rows } = await database.query(`select * from gatehouse_${table} where ${living} limit 1`)
      expect(rows, table).toEqual([])
    }
  })

  test('tells who listens that messages may have been missed', async () => {
    const store = createStore()
    let missed = 0
    await store.subscribe(
      'a',
      () => {},
      () => (missed += 1),
    )
    const mend = breakConnection(store)
    await delay(0)
    expect(missed).toBe(0)
    mend()
    await delay(0)
    expect(missed).toBe(1)
    await store.close()
  })

  test('says that this database keeps nothing on disk, and what to do about it', async () => {
    const store = createStore()
    const { checks = [] } = (await store.inspect?.()) ?? {}
    expect(checks).toEqual([
      {
        name: 'persistence',
        status: 'fail',
        message: 'a commit is answered before it is on disk',
        remedy: 'set fsync and synchronous_commit to on',
      },
    ])
    await store.close()
  })

  test('deletes what has expired, and keeps what has not', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const store = createStore()
    try {
      await store.set('sweep: over', '1', 1)
      await store.set('sweep: living', '1', 1000)
      await elapse(1)
      await vi.advanceTimersByTimeAsync(600_000)
      const { rows } = await database.query<{ key: Uint8Array }>('select key from gatehouse_value')
      const keys = rows.map(({ key }) => Buffer.from(key).toString())
      expect(keys.filter((key) => key.startsWith('sweep:'))).toEqual(['sweep: living'])
    } finally {
      await store.delete('sweep: living')
      await store.close()
      vi.useRealTimers()
    }
  })

  test('carries direct and delegated access, and rejects what was revoked', async () => {
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

      // Used for the second time: the whole family ends.
      const again = await refresh(tokens.refresh_token)
      expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant'])
      expect((await refresh(String(refreshed.body['refresh_token']))).status).toBe(400)
      expect(host.reached).toHaveLength(2)
    } finally {
      await host.close()
    }
  })
})
