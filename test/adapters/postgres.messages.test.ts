import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  migratePostgres,
  postgresStore,
  type PostgresPool,
  type PostgresStatement,
} from 'koa-gatehouse/adapters/postgres'
import type { Store } from '../../src/store/contract.ts'
import { describeWithPostgres } from '../support/describe-with-postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'

describeWithPostgres('messages of the PostgreSQL store', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
    const pool = new Pool({ connectionString: server.url })
    await migratePostgres({ pool })
    await pool.end()
  })
  afterAll(() => server.stop())

  /** A pool that records its statements. As a pooler in transaction mode it delivers no message. */
  function watchedPool(isPooler: boolean, config: PoolConfig = {}) {
    const pool = new Pool({ connectionString: server.url, ...config })
    const statements: PostgresStatement[] = []
    const watched = {
      options: pool.options,
      on: () => {},
      off: () => {},
      async connect() {
        const client = await pool.connect()
        return {
          query: (statement: PostgresStatement) => {
            statements.push(statement)
            return client.query(statement)
          },
          on: (event: 'error', listener: () => void) =>
            isPooler && (event as string) === 'notification' ? undefined : client.on(event, listener),
          release: (destroy?: boolean) => client.release(destroy),
        }
      },
    } as unknown as PostgresPool
    return { pool: watched, statements, end: () => pool.end() }
  }

  const messagesOf = async (store: Store) =>
    (await store.inspect!()).checks.find(({ name }) => name === 'messages')

  it('behind a pooler that delivers no messages, all listeners are told each second that messages may be missed', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { pool, statements, end } = watchedPool(true)
    const store = postgresStore({ pool })
    const missed = [vi.fn<() => void>(), vi.fn<() => void>()]
    try {
      expect(await messagesOf(store)).toMatchObject({ status: 'pass' })
      await store.subscribe('a', () => {}, missed[0])
      await store.subscribe('b', () => {}, missed[1])
      expect(missed[0]).not.toHaveBeenCalled()
      for (const each of missed) await vi.waitFor(() => expect(each).toHaveBeenCalledTimes(2), 6000)
      expect(await messagesOf(store)).toMatchObject({
        status: 'warn',
        remedy: expect.stringContaining('session pooling') as string,
      })
      expect(warned).toHaveBeenCalledOnce()
      expect(warned).toHaveBeenCalledWith(expect.stringContaining('polls every second'), {
        code: 'GATEHOUSE_POSTGRES_POLLING',
      })
      // A session behind the pooler would not know a prepared statement.
      expect(statements.filter(({ name }) => name !== undefined)).toEqual([])
    } finally {
      warned.mockRestore()
      await store.close()
      await end()
    }
  })

  it('where messages are delivered, nothing polls, and statements are prepared', async () => {
    const { pool, statements, end } = watchedPool(false)
    const store = postgresStore({ pool })
    const missed = vi.fn<() => void>()
    await store.subscribe('a', () => {}, missed)
    await vi.waitFor(async () => expect(await messagesOf(store)).toMatchObject({ status: 'pass' }))
    await store.set('a', '1', 1)
    expect(statements.at(-1)?.name).toBe('gatehouse.set')
    await new Promise((resolve) => setTimeout(resolve, 3200))
    expect(missed).not.toHaveBeenCalled()
    await store.close()
    await end()
  })

  it('services with different schemas share neither data nor messages', async () => {
    const { pool, end } = watchedPool(false, { max: 6 })
    await migratePostgres({ pool, schema: 'shop' })
    const [one, other] = [postgresStore({ pool }), postgresStore({ pool, schema: 'shop' })]
    const received: string[] = []
    await one.subscribe('a', () => received.push('gatehouse'))
    await other.subscribe('a', () => received.push('shop'))
    await one.set('shared', '1', 1)
    expect(await other.get('shared')).toBeUndefined()
    await other.publish('a', 'hello')
    await vi.waitFor(() => expect(received).toEqual(['shop']))
    await Promise.all([one.close(), other.close()])
    await end()
  })
})

it('a store that is closed while a subscription begins does not listen afterwards', async () => {
  const usable = { unlogged: null, missingRights: null, synchronousCommit: 'on', isolation: 'read committed' }
  const listen = vi.fn(async () => async () => {})
  const store = postgresStore({ query: async () => ({ rows: [usable] }), listen })
  const subscribing = store.subscribe('a', () => {})
  await store.close()
  await Promise.allSettled([subscribing])
  expect(listen).not.toHaveBeenCalled()
})
