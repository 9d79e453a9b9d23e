import { readFileSync } from 'node:fs'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { migratePostgres, postgresStore, type PostgresPool } from 'koa-gatehouse/adapters/postgres'
import { STATEMENTS } from '../../adapters/postgres/statements.ts'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { describeWithPostgres } from '../support/describe-with-postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { elapse } from './real-time.ts'

describeWithPostgres('the store contract on PostgreSQL', () => {
  let server: PostgresServer
  const pools: Pool[] = []
  const proxies: TcpProxy[] = []
  const open = (config: PoolConfig) => {
    const pool = new Pool({ connectionString: server.url, connectionTimeoutMillis: 20_000, ...config })
    pools.push(pool)
    return pool
  }
  beforeAll(async () => {
    server = await startPostgres()
    await migratePostgres({ pool: open({}) })
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await server.stop()
  })

  /** Stores with pools of their own, whose connections can be cut. */
  const links = new WeakMap<Store, TcpProxy>()
  async function createStore(): Promise<Store> {
    const proxy = await startTcpProxy(server.port)
    proxies.push(proxy)
    const connectionString = server.url.replace(String(server.port), String(proxy.port))
    // Few connections, because PostgreSQL starts a process for each. Those of closed stores end soon.
    const store = postgresStore({
      pool: open({ connectionString, max: 3, idleTimeoutMillis: 1000 }),
      timeoutMs: 20_000,
    })
    links.set(store, proxy)
    return store
  }

  const breakConnection = (store: Store) => links.get(store)!.cut()
  const cases = storeContract({ createStore, elapse, breakConnection })
  describe.concurrent('', () => {
    for (const { name, run } of cases) it(name, run)
  })

  it('the contract suite leaves no unexpired data in PostgreSQL', async () => {
    const left =
      await server.ask(`select convert_from(key, 'UTF8') from gatehouse.value where expires_at > now()
      union all select convert_from(name, 'UTF8') from gatehouse.index where expires_at > now()`)
    expect(left).toEqual([])
  })

  it('two processes that migrate at the same time create the tables once, and a repeated migration changes nothing', async () => {
    const pool = open({})
    await Promise.all(Array.from({ length: 5 }, () => migratePostgres({ pool, schema: 'twice' })))
    const tables = () =>
      server.ask(
        `select relname, oid::text from pg_class where relnamespace = 'twice'::regnamespace order by oid`,
      )
    const before = await tables()
    expect(before.length).toBeGreaterThan(6)
    await migratePostgres({ pool, schema: 'twice' })
    expect(await tables()).toEqual(before)
  })

  it('the SQL file of the package creates the same tables as migratePostgres', async () => {
    const shapeOf = (schema: string) =>
      server.ask(`select relname, relkind, relpersistence,
        (select array_agg(attname || ' ' || atttypid::regtype || ' ' || attnotnull order by attnum) from pg_attribute
          where attrelid = pg_class.oid and attnum > 0) as columns
        from pg_class where relnamespace = '${schema}'::regnamespace order by relname`)
    const file = readFileSync(new URL('../../adapters/postgres/1.sql', import.meta.url), 'utf8')
    await server.ask(file.replaceAll('gatehouse.', 'by_hand.').replace('exists gatehouse', 'exists by_hand'))
    expect(await shapeOf('by_hand')).toEqual(await shapeOf('gatehouse'))
    await migratePostgres({ pool: open({}), schema: 'by_hand' })
    expect(await postgresStore({ pool: open({}), schema: 'by_hand' }).create('a', '1', 1)).toBe(true)
  })

  it('a page of a large index is read in the order of its B-tree, without sorting its other members', async () => {
    await server.ask(`insert into gatehouse.index (name, expires_at) values ('large', 'infinity');
      insert into gatehouse.member select id, convert_to('member ' || number, 'UTF8')
        from gatehouse.index, generate_series(1, 20000) as number where name = 'large';
      analyze gatehouse.member`)
    const plan = await server.ask(
      `explain ${STATEMENTS.range.replaceAll('$1', `'large'::bytea`).replaceAll('$2', `'member 5'`).replace('$3', '100')}`,
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain('Index Scan using member_index_id')
    expect(text).not.toContain('Seq Scan on member')
    await server.ask(`delete from gatehouse.index where name = 'large'`)
  })

  it('one process after another sweeps: expired rows are deleted in steps of a thousand, and no others', async () => {
    const schema = 'swept'
    await migratePostgres({ pool: open({}), schema })
    await server.ask(`
      insert into swept.value select convert_to(number::text, 'UTF8'), 'x', now() - interval '1 second'
        from generate_series(1, 2500) as number;
      insert into swept.value values ('live', 'x', now() + interval '1 hour'), ('kept', 'x', 'infinity');
      insert into swept.index (name, expires_at) values ('old', now() - interval '1 second'), ('new', 'infinity');
      insert into swept.member select id, convert_to(number::text, 'UTF8') from swept.index, generate_series(1, 1500) as number;
      insert into swept.counter values ('old', 1, '{1}', now() - interval '1 second');
      insert into swept.message (message, expires_at) values ('old', now() - interval '1 second');
      update swept.state set swept_at = now() - interval '1 hour'`)
    const sweep = async () => (await server.ask('select swept.sweep() as more'))[0]?.['more']
    expect([await sweep(), await sweep(), await sweep(), await sweep()]).toEqual([true, true, false, false])
    const [left] = await server.ask(`select (select count(*) from swept.value) as values,
      (select count(*) from swept.index) as indexes, (select count(*) from swept.member) as members,
      (select count(*) from swept.counter) + (select count(*) from swept.message) as others,
      (select now() - swept_at < interval '10 seconds' from swept.state) as "isNoted"`)
    expect(left).toEqual({ values: '2', indexes: '1', members: '1500', others: '0', isNoted: true })
  })
})

it('a Pool of pg fits the type that the adapter takes', () => {
  expectTypeOf<Pool>().toExtend<PostgresPool>()
})

it.each([
  ['no options', undefined, 'expected an object'],
  ['an address', 'postgres://localhost', 'expected an object'],
  ['no pool', {}, 'pool: must be a Pool of pg'],
  ['a pool of one connection', { pool: new Pool({ max: 1 }) }, 'pool: must have two connections at least'],
  ['a schema that must be quoted', { pool: new Pool(), schema: 'a"b' }, 'schema: must be a name'],
  ['an unknown option', { pool: new Pool(), keyPrefix: 'a' }, 'keyPrefix: is unknown'],
  ['a query without listen', { query: () => {} }, 'listen: must be a function'],
])('postgresStore() rejects %s, and the error names what is accepted', (_, options, message) => {
  expect(() => postgresStore(options as never)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS', message: expect.stringContaining(message) }) as Error,
  )
})
