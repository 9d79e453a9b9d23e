import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'

/** Longer than the connection for messages needs to come back: it comes back before the one for commands. */
const RECONNECT_MS = 1500

/**
 * Milliseconds after the link is whole within which a process knows what it missed. On an idle machine it
 * takes half a second, and without another read it takes until the next poll, some 50 s.
 */
const LIMIT_MS = 10_000

describeWithRedis('a link to Redis that was cut', () => {
  let redis: RedisServer
  let proxy: TcpProxy
  let here: Host
  let there: Host
  let throughProxy: Redis
  let direct: Redis
  let loaded: unknown = products
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_details: object, message: string) => warnings.push(message) }

  beforeAll(async () => {
    redis = await startRedis()
    proxy = await startTcpProxy(redis.port)
    direct = new Redis(redis.port)
    throughProxy = new Redis(proxy.port, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RECONNECT_MS,
    })
    throughProxy.on('error', () => {})
    const gatehouse = { products: () => loaded as typeof products, revocations: { pollIntervalSeconds: 60 } }
    here = await startHost({ store: redisStore(direct), gatehouse })
    await here.gatehouse.ready()
    there = await startHost({
      store: redisStore(throughProxy),
      origin: here.origin,
      gatehouse: { ...gatehouse, logger },
    })
    await there.gatehouse.ready()
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    direct.disconnect()
    throughProxy.disconnect()
    await proxy.close()
    await redis.stop()
  })

  const next = (event: 'close' | 'ready') => new Promise<void>((resolve) => throughProxy.once(event, resolve))
  const kids = async (host: Host) => {
    const response = await fetch(`http://localhost:${host.port}/auth/oauth2/jwks`)
    const { keys } = (await response.json()) as { keys: { kid: string }[] }
    return keys.map(({ kid }) => kid).toSorted()
  }
  const call = (host: Host, target: string, token: string) => {
    const [method = '', path = ''] = target.split(' ')
    const headers = { authorization: `Bearer ${token}` }
    return fetch(`http://localhost:${host.port}/api${path}`, { method, headers })
  }

  it('after each of three cuts, a process knows the revocations, products and signing keys that it missed as soon as it has both connections again', async () => {
    const key = await here.createApiKey()
    const took: number[] = []
    for (const round of [1, 2, 3]) {
      const { access_token: token } = (await here.requestDirectToken(key)).body
      expect((await call(there, 'GET /invoices/list', String(token))).status).toBe(200)

      const restore = await proxy.cut()
      await here.gatehouse.tokens.revoke(String(token))
      const operation = { [`invoices:new${round}`]: { route: `GET /new/${round}`, title: 'New' } }
      loaded = { ...products, more: { title: 'More', operations: operation } }
      await here.gatehouse.catalog.reload()
      await here.gatehouse.signingKeys.rotate()
      // The second attempt to connect has failed, so the next one begins RECONNECT_MS later.
      await next('close')
      await restore()
      await next('ready')

      const wholeAt = performance.now()
      const knows = async () => {
        expect((await call(there, 'GET /invoices/list', String(token))).status).toBe(401)
        // The gateway knows the new operation: an unknown one gets 404.
        expect((await call(there, `GET /new/${round}`, String(token))).status).toBe(401)
        expect(await kids(there)).toEqual(await kids(here))
      }
      await until(knows, { timeoutMs: 70_000 })
      took.push(performance.now() - wholeAt)
    }
    expect(Math.max(...took)).toBeLessThan(LIMIT_MS)
    // An outage is logged, and its many repeated reads are not.
    for (const what of [/products/, /signing keys/, /revocations/]) {
      const number = warnings.filter((message) => what.test(message)).length
      expect(number).toBeGreaterThan(0)
      expect(number).toBeLessThanOrEqual(2 * took.length)
    }
  }, 300_000)
})
