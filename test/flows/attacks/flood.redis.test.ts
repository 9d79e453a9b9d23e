import { Redis } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { startRedis } from '../../support/redis-server.ts'
import { watchWrites } from '../../support/stores.ts'

/** Sends one authorization request as a browser does, and does not follow redirects. */
const request = (host: Host, clientId: string) =>
  fetch(authorizationUrl(host, clientId), { redirect: 'manual', headers: { accept: 'text/html' } })

describeWithRedis('a Redis with nearly full memory', () => {
  async function nearlyFull({ rights = 'allcommands' } = {}) {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const admin = new Redis(server.url)
    await admin.call('ACL', 'SETUSER', 'us', 'on', '>pass', '~*', '&*', ...rights.split(' '))
    const redis = new Redis(server.url, { username: 'us', password: 'pass' })
    onTestFinished(() => {
      redis.disconnect()
      admin.disconnect()
    })
    const { store, writes } = watchWrites(redisStore(redis))
    const host = await startHost({ store, gatehouse: { storeTimeoutMs: 10_000 } })
    onTestFinished(host.close)
    const application = await host.createApplication()
    const key = await host.createApiKey()
    const tokens = await connect(host, application)
    const direct = String((await host.requestDirectToken(key)).body['access_token'])
    const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1])
    await admin.config('SET', 'maxmemory', Math.round(used / 0.93))
    return { host, application, key, tokens, direct, admin, writes, clientId: application.client_id }
  }
  /**
   * Repeats an authorization request until the response has the status. The first request is still accepted,
   * because it only starts the memory check in the background.
   */
  const untilStatus = (host: Host, clientId: string, status: number) =>
    vi.waitFor(async () => expect((await request(host, clientId)).status).toBe(status), {
      timeout: 10_000,
      interval: 200,
    })

  it('with nearly full memory, only authorization requests that need a page are rejected with 503, until memory is free', async () => {
    const { host, application, key, tokens, direct, admin, writes, clientId } = await nearlyFull()
    await untilStatus(host, clientId, 503)
    writes.splice(0)
    const answer = await request(host, clientId)
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('location')]).toEqual([
      503,
      '30',
      null,
    ])
    expect(await answer.text()).toContain('temporarily_unavailable')
    expect(writes).toEqual([])
    expect(host.errors).toEqual([])

    expect((await host.refresh(application, tokens.refresh_token)).status).toBe(200)
    expect((await host.requestDirectToken(key)).status).toBe(200)
    await host.gatehouse.tokens.revoke(direct)
    expect((await host.call('GET /invoices/list', direct)).status).toBe(401)
    await host.gatehouse.apiKeys.disable(key.client_id)

    await admin.config('SET', 'maxmemory', 0)
    await untilStatus(host, clientId, 303)
  })

  it('if Redis does not permit the command INFO, authorization requests are accepted despite nearly full memory', async () => {
    const { host, clientId } = await nearlyFull({ rights: '+@all -info' })
    for (let index = 0; index < 3; index += 1) {
      expect((await request(host, clientId)).status).toBe(303)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
})
