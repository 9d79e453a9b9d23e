import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { authorizationUrl } from '../../support/host.ts'
import { startRedis } from '../../support/redis-server.ts'
import { startSessionHost } from '../../support/session-host.ts'

const LOOPS = 150
const AT_ONCE = 10

describeWithRedis('one person in a loop', () => {
  it('cannot fill Redis with sessions and grants; other people sign in, and clients are made and revoked', async () => {
    const server = await startRedis()
    const redis = new Redis(server.url)
    const host = await startSessionHost({ store: redisStore(redis) })
    onTestFinished(async () => {
      await host.close()
      redis.disconnect()
      await server.stop()
    })
    const { client_id } = await host.createApplication({ firstParty: true })
    const key = await host.createApiKey()
    const token = String((await host.requestDirectToken(key)).body['access_token'])
    const silent = authorizationUrl(host, client_id, { prompt: 'none' })
    /** Authorizes as a client that forgets the cookies of gatehouse. */
    const authorizeAs = async (accountId: string) => {
      const browser = host.browser()
      host.signInAt(browser, { accountId })
      const { headers } = await browser.request(silent)
      return new URL(headers.get('location') ?? '').searchParams
    }
    const loop = async () => {
      for (let at = 0; at < LOOPS; at += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => authorizeAs('bob')))
      }
    }
    const countKeys = async (pattern: string) => (await redis.keys(`*${pattern}*`)).length
    await loop()
    const before = [
      await countKeys(':session:'),
      await countKeys(':session-uid:'),
      await countKeys(':grant:'),
    ]
    await loop()
    const after = [await countKeys(':session:'), await countKeys(':session-uid:'), await countKeys(':grant:')]
    expect(before).toEqual([50, 50, 60])
    expect(after).toEqual(before)

    expect((await authorizeAs('alice')).has('code')).toBe(true)
    await host.gatehouse.tokens.revoke(token)
    await host.gatehouse.apiKeys.disable(key.client_id)
    await host.createApiKey()
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
  })
})
