import { describe, expect, it } from 'vitest'
import { checkServer } from '../../adapters/redis/inspect/server-checks.ts'
import type { ServerAnswers } from '../../adapters/redis/inspect/server-answers.ts'

/** What a healthy server answers to INFO. */
const INFO = {
  redis_version: '7.0.15',
  role: 'master',
  loading: '0',
  connected_slaves: '0',
  maxmemory: '0',
  used_memory: '1000',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
  aof_last_write_status: 'ok',
  rdb_last_bgsave_status: 'ok',
  cluster_enabled: '0',
}

/** Checks a server that is healthy except for the given fields of INFO. An undefined field is left out. */
function checksFor(
  info: Record<string, string | undefined>,
  {
    settings = {},
    replicas,
    ...rest
  }: Partial<Omit<ServerAnswers, 'settings'>> & {
    settings?: Record<string, string>
    replicas?: number
  } = {},
) {
  const fields = Object.entries({ ...INFO, ...info }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const checks = checkServer(
    {
      info: new Map(fields),
      settings: new Map(Object.entries(settings)),
      cluster: undefined,
      time: 1,
      ...rest,
    },
    replicas,
  )
  return Object.fromEntries(checks.map(({ name, ...check }) => [name, check]))
}

it('every check of a healthy server passes without a remedy', () => {
  const checks = Object.values(checksFor({}, { settings: { appendfsync: 'everysec', save: '' } }))
  expect(checks.map(({ status, remedy }) => [status, remedy])).toEqual(checks.map(() => ['pass', undefined]))
})

describe('the check of writes', () => {
  const failed = { rdb_last_bgsave_status: 'err' }
  it.each([
    ['a server that is loading its data', { loading: '1' }, {}, 'fail'],
    ['an append-only file that cannot be written', { aof_last_write_status: 'err' }, {}, 'fail'],
    [
      'an append error without an append-only file',
      { aof_last_write_status: 'err', aof_enabled: '0' },
      {},
      'pass',
    ],
    ['a failed snapshot', failed, { save: '60 1', 'stop-writes-on-bgsave-error': 'yes' }, 'fail'],
    [
      'a failed snapshot that stops no writes',
      failed,
      { save: '60 1', 'stop-writes-on-bgsave-error': 'no' },
      'warn',
    ],
    ['a failed snapshot with unknown settings', failed, {}, 'warn'],
    ['a failed snapshot without configured snapshots', failed, { save: '' }, 'pass'],
    ['used up memory', { maxmemory: '1000', used_memory: '1001' }, {}, 'fail'],
    [
      'memory used up by replication buffers',
      { maxmemory: '1000', used_memory: '1001', mem_not_counted_for_evict: '500' },
      {},
      'pass',
    ],
    ['used up memory with eviction', { maxmemory: '10', maxmemory_policy: 'allkeys-lru' }, {}, 'pass'],
  ])('the check of writes reports the right status for %s', (_, info, settings, status) => {
    const { writes } = checksFor(info, { settings })
    expect(writes).toMatchObject({ status })
    expect(writes?.remedy === undefined).toBe(status === 'pass')
  })
})

describe('checks with missing answers', () => {
  it.each([
    ['eviction', { maxmemory_policy: undefined }],
    ['replicas', { connected_slaves: undefined }],
    ['version', { redis_version: undefined }],
    ['version', { redis_version: 'unstable' }],
    ['persistence', { aof_enabled: undefined }],
    ['persistence', { aof_enabled: '0' }],
  ])('the check of %s is unknown if INFO of a healthy server is changed by %o', (name, info) => {
    expect(checksFor(info)[name]).toMatchObject({ status: 'unknown', remedy: expect.any(String) })
  })

  it('if the settings cannot be read, the check of persistence sees in INFO that snapshots were written', () => {
    expect(checksFor({ aof_enabled: '0', rdb_saves: '3' })['persistence']).toMatchObject({ status: 'warn' })
  })

  it('if the settings cannot be read, the check of persistence says that appendfsync is unknown', () => {
    const { persistence } = checksFor({})
    expect(persistence).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('cannot be read'),
    })
  })
})

describe('the check of replicas', () => {
  const slave = (lag: number, state = 'online') => `ip=127.0.0.1,port=1,state=${state},offset=1,lag=${lag}`
  it.each([
    ['an up-to-date replica', [slave(0)], 'pass', 'with one replica less'],
    ['a silent replica', [slave(11)], 'fail', '0 of them keep up'],
    [
      'a replica that is still loading its data',
      [slave(0, 'wait_bgsave')],
      'fail',
      '0 replicas are connected',
    ],
    ['one replica more than required', [slave(0), slave(1)], 'pass', '2 replicas are connected'],
  ])('the check of replicas reports the right status and count for %s', (_, slaves, status, message) => {
    const info = {
      connected_slaves: String(slaves.length),
      ...Object.fromEntries(slaves.map((text, index) => [`slave${index}`, text])),
    }
    expect(checksFor(info, { replicas: 1 })['replicas']).toMatchObject({
      status,
      message: expect.stringContaining(message),
    })
    expect(checksFor(info)['replicas']).toMatchObject({ status: 'pass' })
  })
})

it('the check of the version warns of a Redis before version 6', () => {
  expect(checksFor({ redis_version: '5.0.14' })['version']).toMatchObject({ status: 'warn' })
})

it('the check of a cluster that is down fails, although all slots are served', () => {
  const cluster = new Map([
    ['cluster_state', 'fail'],
    ['cluster_slots_ok', '16384'],
  ])
  expect(checksFor({}, { cluster })['cluster']).toMatchObject({ status: 'fail' })
})
