import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { AuditListOptions, Store } from 'koa-gatehouse'
import { createAudit } from '../../src/audit/audit.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { fillTrail, LARGE_ACCOUNT, SMALL_ACCOUNT } from '../support/fill-trail.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startSlowLink, type SlowLink } from '../support/round-trips.ts'
import { auditOf, DEFAULT_BOUNDS } from './setup.ts'

const MAX_TRIPS = 3
const COUNT = 52_000
const DAY_MS = 86_400_000

describeWithRedis('a page of the audit trail costs at most three round trips', () => {
  let server: RedisServer
  let link: SlowLink
  const clients: Redis[] = []
  const open = (port: number, keyPrefix: string): Store => {
    const client = new Redis(port, { enableAutoPipelining: port === server.port })
    clients.push(client)
    return redisStore(client, { keyPrefix })
  }
  beforeAll(async () => {
    server = await startRedis()
    link = await startSlowLink(server)
    await fillTrail(open(server.port, 'many:'), COUNT)
    // Each chunk of this trail has one entry.
    let now = Date.now() - 1200 * DAY_MS
    const store = open(server.port, 'daily:')
    const bounds = { ...DEFAULT_BOUNDS, maxAgeDays: 3650 }
    const daily = createAudit({ store, bounds, logger: silentLogger, now: () => now })
    for (; now < Date.now(); now += 2 * DAY_MS) await daily.record({ name: 'key.published' })
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await link?.close()
    await server?.stop()
  })

  it.each<[string, number, AuditListOptions]>([
    ['many:', 50, {}],
    ['many:', 500, { limit: 500 }],
    ['many:', 50, { accountId: LARGE_ACCOUNT }],
    ['many:', 500, { accountId: LARGE_ACCOUNT, limit: 500 }],
    ['many:', 1, { accountId: SMALL_ACCOUNT }],
    ['many:', 12, { clientId: `key_${'7'.padStart(22, '0')}` }],
    ['many:', 28, { actor: 'person-7' }],
    ['daily:', 50, {}],
    ['daily:', 500, { limit: 500 }],
  ])('in %s, %i entries of %o', async (keyPrefix, count, options) => {
    const audit = auditOf(open(link.port, keyPrefix), { bounds: { maxAgeDays: 3650 } })
    let cursor: string | undefined
    for (let page = 0; page < 2; page += 1) {
      const at = { ...options, cursor }
      const trips = await link.of(async () => {
        const { items, cursor: next } = await audit.list(at)
        if (page === 0) expect(items).toHaveLength(count)
        cursor = next
      })
      expect(trips.length).toBeLessThanOrEqual(MAX_TRIPS)
      expect(trips.length).toBeGreaterThan(0)
      if (cursor === undefined) break
    }
  })
})
