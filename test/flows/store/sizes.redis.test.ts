import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { bytesOf, keysInRedis, keysOfGrant, passTime, type KeyInRedis } from '../../support/keys-in-redis.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describeWithRedis('the size of the data in Redis', () => {
  let server: RedisServer
  let redis: Redis
  let host: Host

  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
    // With a grace period, the record of a refresh token family also contains the last exchange of a token.
    // So the record has its largest possible size.
    host = await startHost({ store: redisStore(redis), gatehouse: { refreshTokenGraceSeconds: 10 } })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  afterAll(async () => {
    await host.close()
    redis.disconnect()
    await server.stop()
  })

  it('a grant that is refreshed every hour for 30 days stays below 4 KiB with all its keys', async () => {
    const application = await host.createApplication()
    let tokens = await connect(host, application, { parameters: { scope: 'openid profile' } })
    const [{ grantId } = { grantId: '' }] = (await host.gatehouse.grants.list({ accountId: 'alice' })).items
    const storedKeys = async () => keysOfGrant(await keysInRedis(redis), grantId)
    const lengthOfRecords = async () => {
      const lengths = ['grant', 'refresh-family'].map((kind) => redis.strlen(`gatehouse:${kind}:${grantId}`))
      return (await Promise.all(lengths)).reduce((sum, length) => sum + length)
    }
    const first = await storedKeys()
    expect(first.map(({ kind }) => kind).toSorted()).toEqual([
      'grant',
      "list of an account's grants: a bucket",
      "list of an account's grants: its buckets",
      'refresh-family',
    ])

    // Redis stores a list with an entry of more than 64 bytes in a form that takes about 850 bytes more.
    const bucket = first.find(({ kind }) => kind.endsWith('a bucket'))?.name ?? ''
    expect(['listpack', 'ziplist']).toContain(await redis.object('ENCODING', `gatehouse:${bucket}`))

    vi.useFakeTimers({ toFake: ['Date'] })
    let afterADay: KeyInRedis[] = []
    let lengthAfterADay = 0
    for (let refreshes = 1; refreshes <= 720; refreshes += 1) {
      vi.setSystemTime(Date.now() + HOUR)
      await passTime(redis, HOUR)
      const { status, body } = await host.refresh(application, tokens.refresh_token)
      expect(status).toBe(200)
      tokens = body as unknown as typeof tokens
      if (refreshes !== 24) continue
      afterADay = await storedKeys()
      lengthAfterADay = await lengthOfRecords()
    }

    const afterAMonth = await storedKeys()
    expect(bytesOf(first)).toBeGreaterThan(500)
    expect(bytesOf(afterAMonth)).toBeLessThan(4096)
    // A grant may move to a later expiry bucket of the list. Until the earlier bucket expires, the grant is
    // in both buckets.
    expect(afterAMonth.length - afterADay.length).toBeLessThanOrEqual(1)
    // After 720 refreshes the records may be longer than after 24 refreshes only because the numbers in them
    // have more digits.
    expect((await lengthOfRecords()) - lengthAfterADay).toBeLessThanOrEqual(16)

    // A bucket expires after the grants in it, but at most 32 days later.
    const [grant] = afterAMonth.filter(({ kind }) => kind === 'grant')
    const lists = afterAMonth.filter(({ kind }) => kind.startsWith('list'))
    const longest = Math.max(...lists.map(({ ttl }) => ttl))
    expect(longest).toBeGreaterThanOrEqual(grant?.ttl ?? Infinity)
    expect(longest).toBeLessThan((grant?.ttl ?? 0) + 32 * DAY)
    await passTime(redis, longest)
    expect(await storedKeys()).toEqual([])
  }, 120_000)
})
