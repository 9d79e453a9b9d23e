import { Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import { checkDatabase, type DatabaseState, type OwnState } from '../../adapters/postgres/inspect.ts'
import { isDiskFull } from '../../adapters/postgres/errors.ts'
import { describeWithPostgres } from '../support/describe-with-postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'

const HEALTHY: DatabaseState = {
  time: 0,
  version: 15,
  isStandby: false,
  isCrashSafe: true,
  synchronousCommit: 'on',
  isolation: 'read committed',
  namesStandby: false,
  unlogged: null,
  missingRights: null,
  sweptSecondsAgo: 60,
  standbys: 0,
  hiddenStandbys: 0,
  confirmingStandbys: 0,
  lagSeconds: 0,
  connections: 10,
  maxConnections: 97,
}
const OWN: OwnState = { isListening: true, areDelivered: true, wasDiskFull: false }

const problemsOf = (state: Partial<DatabaseState>, own: Partial<OwnState> = {}) =>
  checkDatabase({ ...HEALTHY, ...state }, { ...OWN, ...own }).filter(({ status }) => status !== 'pass')

it('a healthy database passes every check', () => {
  expect(problemsOf({})).toEqual([])
  const names = checkDatabase(HEALTHY, OWN).map(({ name }) => name)
  expect(names.join(' ')).toBe('writes rights persistence replicas sweep connections messages version')
})

it.each<[string, string, Partial<DatabaseState>, Partial<OwnState>?]>([
  ['writes', 'fail', { isStandby: true }],
  ['writes', 'fail', {}, { wasDiskFull: true }],
  ['rights', 'fail', { missingRights: 'delete' }],
  ['persistence', 'fail', { synchronousCommit: 'off' }],
  ['persistence', 'fail', { synchronousCommit: 'local', namesStandby: true, confirmingStandbys: 1 }],
  ['persistence', 'fail', { unlogged: 'value' }],
  ['persistence', 'warn', { isCrashSafe: false }],
  ['persistence', 'fail', { isolation: 'repeatable read' }],
  ['replicas', 'fail', { namesStandby: true, standbys: 1 }],
  ['replicas', 'warn', { standbys: 1, lagSeconds: 60 }],
  ['replicas', 'unknown', { standbys: 1, hiddenStandbys: 1 }],
  ['sweep', 'warn', { sweptSecondsAgo: 3600 }],
  ['connections', 'warn', { connections: 96 }],
  ['messages', 'warn', {}, { areDelivered: false }],
  ['version', 'warn', { version: 13 }],
])('the check %s is %s, with a remedy, for %o %o', (name, status, state, own) => {
  expect(problemsOf(state, own)).toEqual([
    { name, status, message: expect.any(String) as string, remedy: expect.any(String) as string },
  ])
})

describeWithPostgres('inspect() of the PostgreSQL store', () => {
  let server: PostgresServer
  const pools: Pool[] = []
  const open = (config: PoolConfig = {}) => {
    const pool = new Pool({ connectionString: server.url, connectionTimeoutMillis: 1000, ...config })
    pools.push(pool)
    return pool
  }
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } })
    await migratePostgres({ pool: open() })
  })
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())))
  afterAll(() => server.stop())

  it('a new database with the default settings passes, and its clock is reported in milliseconds', async () => {
    const store = postgresStore({ pool: open() })
    const { time = 0, checks } = await store.inspect!()
    expect(checks.filter(({ status }) => status !== 'pass')).toEqual([])
    expect(Math.abs(time - Date.now())).toBeLessThan(5000)
    await store.close()
  })

  it('a standby that is connected and named is reported, also to a user who may not see its state', async () => {
    const standby = await server.startStandby()
    await server.ask(`create role plain login; grant usage on schema gatehouse to plain;
      grant select, insert, update, delete on all tables in schema gatehouse to plain`)
    await server.ask(`alter system set synchronous_standby_names = 'standby'`)
    await server.ask('select pg_reload_conf()')
    const store = postgresStore({ pool: open() })
    const plain = postgresStore({
      pool: open({ connectionString: server.url.replace('postgres@', 'plain@') }),
    })
    const replicasOf = async ({ inspect }: typeof store) =>
      (await inspect!()).checks.find(({ name }) => name === 'replicas')
    try {
      await vi.waitFor(async () =>
        expect(await replicasOf(store)).toMatchObject({
          status: 'pass',
          message: 'connected standbys: 1; commits wait for those that are named',
        }),
      )
      expect(await replicasOf(plain)).toMatchObject({
        status: 'unknown',
        remedy: expect.stringContaining('pg_monitor') as string,
      })
    } finally {
      await server.ask('alter system reset synchronous_standby_names')
      await server.ask('select pg_reload_conf()')
      await Promise.all([store.close(), plain.close()])
      await standby.stop()
    }
  })
})

it('a full disk is recognized by its SQLSTATE', () => {
  expect(isDiskFull(Object.assign(new Error('could not extend file'), { code: '53100' }))).toBe(true)
  expect(isDiskFull(new Error('another'))).toBe(false)
})
