import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { findSecrets, type Secrets } from '../../support/find-secrets.ts'
import { dumpRedis } from '../../support/redis-dump.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { startManagement, type ManagementHost } from './setup.ts'

const WRONG_SECRET = 'a-wrong-secret'

describeWithRedis('what the management API leaves in Redis', () => {
  let server: RedisServer
  let redis: Redis
  let host: ManagementHost
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
    host = await startManagement({ store: redisStore(redis) })
  })
  afterAll(async () => {
    await host.close()
    redis.disconnect()
    await server.stop()
  })

  it('no key and no value has a secret, a token or an Idempotency-Key, neither do the entries of the audit trail', async () => {
    const secrets: Secrets = new Map()
    const { call } = host.api('acme/olga')
    const keep = (what: string, secret: unknown) => secrets.set(String(secret), what)
    const tokenOf = async (clientId: string, clientSecret: string) => {
      const { body } = await host.requestDirectToken({ client_id: clientId, client_secret: clientSecret })
      return keep('access token', body['access_token'])
    }
    for (const [path, field] of [
      ['/api-keys', 'apiKey'],
      ['/applications', 'application'],
    ] as const) {
      const idempotent = { 'idempotency-key': `key-of-a-script-for${path}` }
      keep('Idempotency-Key', idempotent['idempotency-key'])
      const created = await call(`POST ${path}`, { name: 'Ledger', products: ['invoices'] }, idempotent)
      const { clientId } = created.body[field] as { clientId: string }
      keep('client secret', created.body.clientSecret)
      const rotated = await call(`POST ${path}/${clientId}/secrets`, {}, idempotent)
      keep('rotated secret', rotated.body.clientSecret)
      if (field === 'apiKey') await tokenOf(clientId, rotated.body.clientSecret)
      keep('wrong secret', WRONG_SECRET)
      await host.requestDirectToken({ client_id: clientId, client_secret: WRONG_SECRET })
      await call(`POST ${path}/${clientId}/report-compromised`)
    }
    keep('CSRF token', (await call('GET /session')).body.csrfToken)
    // Listing writes what waits.
    expect((await host.gatehouse.audit.list({ trail: 'failures' })).items).not.toEqual([])
    expect((await host.gatehouse.audit.list({ accountId: 'acme' })).items.length).toBeGreaterThanOrEqual(6)

    // For each kind of client: Idempotency-Key and two secrets. Besides: a token, the wrong secret, the CSRF token.
    expect(secrets.size).toBe(9)
    const dump = await dumpRedis(server)
    expect(dump.map(({ key }) => key.replace(/^gatehouse:/, '').split(':')[0])).toEqual(
      expect.arrayContaining(['audit', 'client', 'idempotency']),
    )
    expect(findSecrets(dump, secrets)).toEqual([])
    // The search itself finds what is there.
    expect(findSecrets(dump, new Map([['client.compromised', 'name of an entry']]))).not.toEqual([])
  })
})
