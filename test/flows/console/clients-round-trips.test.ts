import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { importKeys } from '../../support/import-keys.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { startSlowLink, type SlowLink } from '../../support/round-trips.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const COUNT = 10_000
const MAX_TRIPS = 5

describeWithRedis('pages of an account with 10,000 API keys', () => {
  let server: RedisServer
  let link: SlowLink
  let redis: Redis
  let host: ConsoleHost
  let clientId = ''
  beforeAll(async () => {
    server = await startRedis()
    link = await startSlowLink(server)
    redis = new Redis(link.port)
    host = await startConsole({ store: redisStore(redis), gatehouse: { storeTimeoutMs: 5000 } })
    const first = await host.createApiKey()
    ;[clientId = ''] = await importKeys(host.gatehouse, first.client_id, COUNT, (number) => `Key ${number}`)
    await host.gatehouse.audit.list({ limit: 1 })
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    redis?.disconnect()
    await link?.close()
    await server?.stop()
  })

  /** Opens a page twice, because the first request may load scripts into Redis. Counts the second request. */
  async function open(path: string) {
    const visitor = host.visit('acme')
    await visitor.get(path)
    let page: Awaited<ReturnType<typeof visitor.get>> | undefined
    const trips = await link.of(async () => (page = await visitor.get(path)))
    expect(page?.status).toBe(200)
    const { body = '' } = page ?? {}
    expect(Buffer.byteLength(body)).toBeLessThan(20_480)
    return { body, trips }
  }

  it.each([
    ['the list', () => '/console/api-keys'],
    ['an API key', () => `/console/api-keys/${clientId}`],
    ['the form for a new API key', () => '/console/api-keys/new'],
    ['the confirmation before an API key is deleted', () => `/console/api-keys/${clientId}/delete`],
  ])('%s costs at most five round trips, and is small', async (_name, pathOf) => {
    const { trips } = await open(pathOf())
    expect(trips.length).toBeLessThanOrEqual(MAX_TRIPS)
  })

  it('the second page of the list costs as many round trips as the first page', async () => {
    const first = await open('/console/api-keys')
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1] ?? ''
    const second = await open(next)
    expect(first.trips.length).toBeGreaterThan(0)
    expect(second.trips).toHaveLength(first.trips.length)
  })
})
