import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { silentLogger } from '../../src/host/logger.ts'
import { createRevocationFollower } from '../../src/revocation/revocation-follower.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

const UNTIL = Math.floor(Date.now() / 1000) + 3600

describeWithRedis('the revocation follower of a store (Redis)', () => {
  let server: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await server.stop()
  })

  function connect(): Redis {
    const client = new Redis(server.url)
    client.on('error', () => {})
    clients.push(client)
    return client
  }

  /** Starts a follower that polls so rarely that only messages can deliver the revocations of a test. */
  async function startFollower() {
    const follower = createRevocationFollower({
      source: createRevocationLog(redisStore(connect())),
      policy: { pollIntervalSeconds: 600, whenStale: 'serve', maxStalenessSeconds: 600 },
      logger: silentLogger,
    })
    await follower.start()
    const isRevoked = (tokenId: string) =>
      follower.isTokenRevoked({
        tokenId,
        clientId: 'c1',
        scopes: [],
        keyId: 'k1',
        expiresAt: 2_000_000_000,
        claims: {},
      })
    return { follower, isRevoked }
  }

  it('another process receives a revocation at once', async () => {
    const { follower, isRevoked } = await startFollower()
    await createRevocationLog(redisStore(connect())).add([{ of: 'token', id: 'a', until: UNTIL }])
    await expect.poll(() => isRevoked('a'), { interval: 1, timeout: 2000 }).toBe(true)
    await follower.close()
  })

  it('revocations made while the subscription is lost are known as soon as the subscription is restored', async () => {
    const { follower, isRevoked } = await startFollower()
    const other = connect()
    const log = createRevocationLog(redisStore(other))
    for (const id of ['b', 'c', 'd']) {
      // The message is sent before the process can subscribe again, so the process misses the message.
      await Promise.all([
        other.client('KILL', 'TYPE', 'pubsub'),
        log.add([{ of: 'token', id, until: UNTIL }]),
      ])
      await expect.poll(() => isRevoked(id), { interval: 5, timeout: 5000 }).toBe(true)
    }
    await follower.close()
    await log.add([{ of: 'token', id: 'e', until: UNTIL }])
    expect(isRevoked('e')).toBe(false)
    await expect
      .poll(() => other.pubsub('NUMSUB', '0:gatehouse:revocations'))
      .toEqual(['0:gatehouse:revocations', 0])
  })
})
