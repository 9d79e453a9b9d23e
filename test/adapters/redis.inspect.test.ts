import { Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { redisStore, type RedisStoreOptions } from 'koa-gatehouse/adapters/redis'
import type { StoreInspection } from 'koa-gatehouse'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedisCluster, type RedisCluster } from '../support/redis-cluster.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

const opened: { disconnect(): void }[] = []
const servers: { stop(): Promise<void> }[] = []

function tracked<T extends { disconnect(): void; on(event: 'error', listener: () => void): unknown }>(
  client: T,
): T {
  client.on('error', () => {})
  opened.push(client)
  return client
}

afterEach(() => {
  for (const client of opened.splice(0)) client.disconnect()
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

async function inspect(
  client: Parameters<typeof redisStore>[0],
  options?: RedisStoreOptions,
): Promise<StoreInspection> {
  const store = redisStore(client, options)
  try {
    const { inspect } = store
    if (!inspect) throw new Error('the store has no inspect')
    return await inspect()
  } finally {
    await store.close()
  }
}

const checkOf = ({ checks }: StoreInspection, name: string) => {
  const found = checks.filter((check) => check.name === name)
  expect(found.length).toBeLessThan(2)
  return found[0]
}

describeWithRedis('inspect() of the Redis store', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
    servers.push(server)
  })

  const open = (options: RedisOptions = {}) => tracked(new Redis(server.port, options))

  /** Inspects Redis with the given settings, and restores the previous settings afterwards. */
  async function withSettings(settings: Record<string, string>, options?: RedisStoreOptions) {
    const admin = open()
    const before: [string, string][] = []
    for (const [name, value] of Object.entries(settings)) {
      const [, old = ''] = (await admin.config('GET', name)) as string[]
      before.unshift([name, old])
      await admin.config('SET', name, value)
    }
    try {
      return await inspect(open(), options)
    } finally {
      for (const [name, old] of before) await admin.config('SET', name, old)
    }
  }

  it.each([
    ['ioredis 5', () => open()],
    [
      'ioredis 5 with stringNumbers and auto pipelining',
      () => open({ stringNumbers: true, enableAutoPipelining: true, keyPrefix: 'host:' }),
    ],
    ['ioredis 6', () => tracked(new Redis6(server.port))],
    [
      'ioredis 6 with maps as objects',
      () => tracked(new Redis6(server.port, { protocol: 3, replyMapping: 'resp3' })),
    ],
  ])(
    'inspect() with %s reports fail for the persistence of a Redis without persistence, and pass for every other check',
    async (_, client) => {
      const from = Date.now()
      const found = await inspect(client())
      expect(found.time).toBeGreaterThan(from - 50)
      expect(found.time).toBeLessThan(Date.now() + 50)
      expect(found.checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
        'writes pass',
        'eviction pass',
        'persistence fail',
        'replicas pass',
        'version pass',
      ])
      expect(checkOf(found, 'persistence')).toEqual({
        name: 'persistence',
        status: 'fail',
        message: expect.stringContaining('a restart loses the signing keys'),
        remedy: expect.stringContaining('CONFIG SET appendonly yes'),
      })
      expect(checkOf(found, 'eviction')?.remedy).toBeUndefined()
    },
  )

  it.each([
    [{ appendonly: 'yes' }, 'pass', 'appendfsync everysec'],
    [{ appendonly: 'yes', appendfsync: 'always' }, 'pass', 'appendfsync always'],
    [{ appendonly: 'yes', appendfsync: 'no' }, 'warn', 'the last writes are lost'],
    [{ save: '3600 1 300 100' }, 'warn', 'revocations are lost'],
  ])('with the settings %j, inspect() reports %s for the persistence', async (settings, status, message) => {
    const found = checkOf(await withSettings(settings), 'persistence')
    expect(found).toMatchObject({ status, message: expect.stringContaining(message) })
    expect(found?.remedy === undefined).toBe(status === 'pass')
  })

  it.each([
    ['allkeys-lru', 'signing keys'],
    ['volatile-ttl', 'refresh tokens'],
  ])(
    'for the eviction policy %s, inspect() reports fail with a memory limit, and pass without a memory limit',
    async (policy, dropped) => {
      const limited = await withSettings({ maxmemory: '500mb', 'maxmemory-policy': policy })
      expect(checkOf(limited, 'eviction')).toEqual({
        name: 'eviction',
        status: 'fail',
        message: expect.stringMatching(new RegExp(`${policy}.*${dropped}`)),
        remedy: expect.stringContaining('CONFIG SET maxmemory-policy noeviction'),
      })
      const unlimited = checkOf(await withSettings({ 'maxmemory-policy': policy }), 'eviction')
      expect(unlimited).toMatchObject({ status: 'pass', message: expect.stringContaining(policy) })
      const noEviction = await withSettings({ maxmemory: '500mb', 'maxmemory-policy': 'noeviction' })
      expect(checkOf(noEviction, 'eviction')).toMatchObject({ status: 'pass' })
      expect(checkOf(noEviction, 'memory')).toMatchObject({ status: 'pass' })
    },
  )

  it('inspect() reports warn if the memory is nearly used up, and fail if the memory is used up', async () => {
    const used = Number(/used_memory:(\d+)/.exec(await open().info('memory'))?.[1])
    const near = await withSettings({ maxmemory: String(Math.round(used * 1.1)) })
    expect(checkOf(near, 'memory')).toMatchObject({ status: 'warn', remedy: expect.any(String) })
    expect(checkOf(near, 'writes')).toMatchObject({ status: 'pass' })
    expect(near.usedShare).toBeGreaterThan(0.8)
    expect(near.usedShare).toBeLessThan(1)
    expect((await inspect(open())).usedShare).toBeUndefined()
    const full = await withSettings({ maxmemory: String(Math.round(used / 2)) })
    expect(checkOf(full, 'memory')).toMatchObject({ status: 'fail' })
    expect(checkOf(full, 'writes')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('rejects writes'),
    })
  })

  it('inspect() reports fail if Redis has fewer replicas than the option durability requires, and if Redis is a read-only replica', async () => {
    const durability = { replicas: 1, timeoutMs: 100 }
    const none = checkOf(await inspect(open(), { durability }), 'replicas')
    expect(none).toMatchObject({ status: 'fail', message: expect.stringContaining('waits for 1') })
    const replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${server.port}`] })
    servers.push(replica)
    await vi.waitFor(
      async () => {
        const one = checkOf(await inspect(open(), { durability }), 'replicas')
        expect(one).toMatchObject({ status: 'pass', message: expect.stringContaining('1 replica is') })
      },
      { timeout: 15_000, interval: 100 },
    )
    const two = checkOf(await inspect(open(), { durability: { replicas: 2, timeoutMs: 100 } }), 'replicas')
    expect(two).toMatchObject({ status: 'fail' })
    const atReplica = await inspect(tracked(new Redis(replica.port)))
    expect(checkOf(atReplica, 'writes')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('replica'),
      remedy: expect.stringContaining('Sentinel'),
    })
    expect(checkOf(atReplica, 'replicas')).toBeUndefined()
    await replica.stop()
  })

  it.each([
    ['INFO', '-info', ['writes', 'eviction', 'persistence', 'replicas']],
    ['CONFIG', '-config', ['persistence']],
    ['TIME', '-time', ['clock']],
    [
      'INFO, CONFIG and TIME',
      '-info -config -time',
      ['writes', 'eviction', 'persistence', 'replicas', 'clock'],
    ],
  ])(
    'inspect() by a Redis user without the right to %s reports each check that needs this right as unknown, with a remedy',
    async (_, rights, names) => {
      await open().call(
        'ACL',
        'SETUSER',
        'limited',
        'reset',
        'on',
        '>pass-of-a-test',
        '~*',
        '&*',
        '+@all',
        ...rights.split(' '),
      )
      const client = open({ username: 'limited', password: 'pass-of-a-test', enableReadyCheck: false })
      const found = await inspect(client)
      const unknown = found.checks.filter(({ status }) => status === 'unknown')
      expect(unknown.map(({ name }) => name)).toEqual(names)
      for (const { remedy } of unknown) expect(remedy).toMatch(/ACL SETUSER|CONFIG GET/)
      expect(found.time === undefined).toBe(names.includes('clock'))
      expect(found.usedShare).toBeUndefined()
      expect(JSON.stringify(found)).not.toContain('pass-of-a-test')
    },
  )

  it('inspect() rejects for a user who is not authenticated, and for an unreachable server', async () => {
    const admin = open()
    await admin.call('ACL', 'SETUSER', 'unauthenticated', 'reset', 'on', '>pass-of-a-test', '+@all')
    const client = open({
      username: 'unauthenticated',
      password: 'wrong',
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
    })
    await expect(inspect(client)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    const unreachable = tracked(
      new Redis(server.busPort, { maxRetriesPerRequest: 0, enableOfflineQueue: false }),
    )
    await expect(inspect(unreachable)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
  })

  describe('inspect() of a cluster', () => {
    let cluster: RedisCluster
    beforeAll(async () => {
      cluster = await startRedisCluster()
      servers.push(cluster)
    })

    const openCluster = () => tracked(new Redis.Cluster([...cluster.addresses]))

    it.each([
      ['ioredis 5', openCluster],
      ['ioredis 6', () => tracked(new Redis6.Cluster([...cluster.addresses]))],
    ])(
      'inspect() of a cluster with %s checks every master, and combines equal results of several masters into one',
      async (_, client) => {
        const found = await inspect(client(), { durability: { replicas: 1, timeoutMs: 100 } })
        expect(found.checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
          'writes pass',
          'eviction pass',
          'persistence fail',
          'replicas pass',
          'version pass',
          'cluster pass',
        ])
        expect(checkOf(found, 'persistence')?.message).toMatch(
          /^127\.0\.0\.1:\d+ and 2 more: the data is not persisted/,
        )
        expect(Math.abs((found.time ?? 0) - Date.now())).toBeLessThan(1000)
      },
    )

    it('inspect() of a cluster names the master whose setting differs from the other masters', async () => {
      const [, second] = await cluster.masters()
      if (!second) throw new Error('there is no second master')
      const admin = tracked(new Redis(second.port))
      await admin.config('SET', 'maxmemory', '500mb')
      await admin.config('SET', 'maxmemory-policy', 'volatile-lru')
      const found = checkOf(await inspect(openCluster()), 'eviction')
      await admin.config('SET', 'maxmemory', '0')
      await admin.config('SET', 'maxmemory-policy', 'noeviction')
      expect(found).toMatchObject({
        status: 'fail',
        message: expect.stringMatching(
          new RegExp(`^127\\.0\\.0\\.1:${second.port}: maxmemory-policy is volatile-lru`),
        ),
      })
    })

    it('inspect() of a cluster reports the used share of memory of its fullest master', async () => {
      const limits = ['500mb', '4mb', '0']
      const masters = (await cluster.masters()).map(({ port }) => tracked(new Redis(port)))
      for (const [index, admin] of masters.entries())
        await admin.config('SET', 'maxmemory', limits[index] ?? '0')
      const { usedShare = 0 } = await inspect(openCluster())
      for (const admin of masters) await admin.config('SET', 'maxmemory', '0')
      expect(usedShare).toBeGreaterThan(0.2)
      expect(await inspect(openCluster())).toMatchObject({ usedShare: undefined })
    })

    it('inspect() by a client of a single cluster node names the client to use instead', async () => {
      const [first] = cluster.nodes
      const found = checkOf(await inspect(tracked(new Redis(first?.port ?? 0))), 'cluster')
      expect(found).toMatchObject({ status: 'fail', remedy: expect.stringContaining('Redis.Cluster') })
    })

    it('inspect() of a cluster names a master that hangs, and still checks the other masters', async () => {
      const client = openCluster()
      await inspect(client)
      const [first] = await cluster.masters()
      if (!first) throw new Error('there is no master')
      first.pause()
      const from = performance.now()
      const found = await inspect(client).finally(() => first.resume())
      expect(performance.now() - from).toBeLessThan(950)
      expect(checkOf(found, 'cluster')).toMatchObject({
        status: 'fail',
        message: `127.0.0.1:${first.port}: this master does not answer`,
      })
      expect(checkOf(found, 'persistence')?.message).toContain('and 1 more: ')
      await cluster.ready()
    })

    it('inspect() of a cluster counts slots that are not served', async () => {
      const [first] = await cluster.masters()
      const admin = tracked(new Redis(first?.port ?? 0))
      await admin.call('CLUSTER', 'DELSLOTS', '0', '1')
      const found = checkOf(await inspect(openCluster()), 'cluster')
      await admin.call('CLUSTER', 'ADDSLOTS', '0', '1')
      expect(found).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('2 of 16384 slots are not served'),
      })
    })
  })
})
