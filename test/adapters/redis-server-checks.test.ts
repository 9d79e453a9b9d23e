import { describe, expect, test } from 'vitest'
import { checkServer } from '../../adapters/redis/inspect/server-checks.ts'
import type { ServerAnswers } from '../../adapters/redis/inspect/server-answers.ts'

/** A server with which all is well. */
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

/** What is found where the answers differ; undefined takes a field away. */
function found(
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

test('with all well, all is good, and nothing has a fix', () => {
  const checks = Object.values(found({}, { settings: { appendfsync: 'everysec', save: '' } }))
  expect(checks.map(({ status, remedy }) => [status, remedy])).toEqual(checks.map(() => ['pass', undefined]))
})

describe('writes', () => {
  const failed = { rdb_last_bgsave_status: 'err' }
  test.each([
    ['loading', { loading: '1' }, {}, 'fail'],
    ['a file that cannot be appended to', { aof_last_write_status: 'err' }, {}, 'fail'],
    ['the same where none is written', { aof_last_write_status: 'err', aof_enabled: '0' }, {}, 'pass'],
    ['a failed snapshot', failed, { save: '60 1', 'stop-writes-on-bgsave-error': 'yes' }, 'fail'],
    ['one that stops nothing', failed, { save: '60 1', 'stop-writes-on-bgsave-error': 'no' }, 'warn'],
    ['one of which nothing more is told', failed, {}, 'warn'],
    ['one where none are asked for', failed, { save: '' }, 'pass'],
    ['memory used up', { maxmemory: '1000', used_memory: '1001' }, {}, 'fail'],
    [
      'memory used up by the buffers of replicas',
      { maxmemory: '1000', used_memory: '1001', mem_not_counted_for_evict: '500' },
      {},
      'pass',
    ],
    [
      'memory used up where something is dropped',
      { maxmemory: '10', maxmemory_policy: 'allkeys-lru' },
      {},
      'pass',
    ],
  ])('%s', (_, info, settings, status) => {
    const { writes } = found(info, { settings })
    expect(writes).toMatchObject({ status })
    expect(writes?.remedy === undefined).toBe(status === 'pass')
  })
})

describe('what is not told is unknown, and never good', () => {
  test.each([
    ['eviction', { maxmemory_policy: undefined }],
    ['replicas', { connected_slaves: undefined }],
    ['version', { redis_version: undefined }],
    ['version', { redis_version: 'unstable' }],
    ['persistence', { aof_enabled: undefined }],
    ['persistence', { aof_enabled: '0' }],
  ])('%s %j', (name, info) => {
    expect(found(info)[name]).toMatchObject({ status: 'unknown', remedy: expect.any(String) })
  })

  test('snapshots that were written are told by INFO alone', () => {
    expect(found({ aof_enabled: '0', rdb_saves: '3' })['persistence']).toMatchObject({ status: 'warn' })
  })

  test('how often the file reaches the disk is not known, and said', () => {
    const { persistence } = found({})
    expect(persistence).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('cannot be looked at'),
    })
  })
})

describe('replicas', () => {
  const slave = (lag: number, state = 'online') => `ip=127.0.0.1,port=1,state=${state},offset=1,lag=${lag}`
  test.each([
    ['one that keeps up', [slave(0)], 'pass', 'with one less'],
    ['one that is silent', [slave(11)], 'fail', '0 of them keep up'],
    ['one that still gets all data', [slave(0, 'wait_bgsave')], 'fail', '0 replicas are connected'],
    ['one to spare', [slave(0), slave(1)], 'pass', '2 replicas are connected'],
  ])('%s', (_, slaves, status, message) => {
    const info = {
      connected_slaves: String(slaves.length),
      ...Object.fromEntries(slaves.map((text, index) => [`slave${index}`, text])),
    }
    expect(found(info, { replicas: 1 })['replicas']).toMatchObject({
      status,
      message: expect.stringContaining(message),
    })
    expect(found(info)['replicas']).toMatchObject({ status: 'pass' })
  })
})

test('a version before 6 is a warning', () => {
  expect(found({ redis_version: '5.0.14' })['version']).toMatchObject({ status: 'warn' })
})

test('a cluster that is down although all slots have a server is bad', () => {
  const cluster = new Map([
    ['cluster_state', 'fail'],
    ['cluster_slots_ok', '16384'],
  ])
  expect(found({}, { cluster })['cluster']).toMatchObject({ status: 'fail' })
})
