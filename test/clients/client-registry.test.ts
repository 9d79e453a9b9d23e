// Also runs on: Redis
import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { redisStore } from '../../adapters/redis.ts'
import { hasSecret, newSecret } from '../support/secrets.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { describeOnEachStore, services, watched } from './setup.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

describeOnEachStore('the client registry', (stores) => {
  it('the client registry finds clients of both kinds, even disabled clients, with one read each', async () => {
    const { store, calls } = watched(stores.open())
    const { apiKeys, applications, registry, audit } = services(store)
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    const disabled = await applications.disable(application.clientId)
    await audit.settled()
    calls.length = 0
    expect(await registry.find(apiKey.clientId)).toMatchObject(apiKey)
    expect(await registry.find(application.clientId)).toMatchObject({ ...disabled, disabled: true })
    expect(await registry.find('unknown')).toBeUndefined()
    expect(calls.map(({ method }) => method)).toEqual(['get', 'get', 'get'])
  })

  it('the client registry verifies a secret without another read', async () => {
    const { store, calls } = watched(stores.open())
    const { apiKeys, registry } = services(store)
    const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    const other = await apiKeys.create({ accountId: 'acme', name: 'Other' })
    const found = (await registry.find(apiKey.clientId)) ?? apiKey
    calls.length = 0
    expect(hasSecret(found, clientSecret)).toBe(true)
    for (const wrong of [
      '',
      newSecret(),
      other.clientSecret,
      hashSecret(clientSecret),
      `${clientSecret}\0`,
    ]) {
      expect(hasSecret(found, wrong)).toBe(false)
    }
    expect(calls).toEqual([])
  })

  it('the client registry rejects every secret of a client that it did not return', async () => {
    const { apiKeys, registry } = services(stores.open())
    const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    expect(hasSecret(apiKey, clientSecret)).toBe(false)
    // The secret is accepted for a copy of a client that the registry returned.
    const copy = { ...((await registry.find(apiKey.clientId)) ?? apiKey), name: 'Copy' }
    expect(hasSecret(copy, clientSecret)).toBe(true)
  })

  it('the JSON of a found client has no hash', async () => {
    const { apiKeys, registry } = services(stores.open())
    const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    const found = await registry.find(apiKey.clientId)
    expect(JSON.stringify(found)).not.toContain('sha256')
    expect(inspect(found)).not.toContain(clientSecret)
  })

  it('a failure of the store is not reported as a missing client', async () => {
    const { store, faults } = watched(stores.open())
    const { registry } = services(store)
    faults.set('get', new Error('connection lost'))
    await expect(registry.find('anything')).rejects.toThrow('connection lost')
  })
})

describeWithRedis('a dump of Redis', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
  })
  afterAll(async () => {
    await client?.quit()
    await server?.stop()
  })

  it('a dump of Redis has no client secret after every operation on secrets', async () => {
    const { apiKeys, applications } = services(redisStore(client))
    const secrets: string[] = []
    for (const service of [apiKeys, applications]) {
      const result = await service.create({
        accountId: 'acme',
        name: 'Client',
        clientId: `c${secrets.length}`,
      })
      const clientId = 'apiKey' in result ? result.apiKey.clientId : result.application.clientId
      secrets.push(result.clientSecret, (await service.rotateSecret(clientId)).clientSecret)
      await service.revokeSecret(clientId, 'old')
      secrets.push((await service.rotateSecret(clientId, { overlapSeconds: 0 })).clientSecret)
      await service.disable(clientId)
    }
    const keys = await client.keys('*')
    const values = await Promise.all(
      keys.map(async (key) =>
        (await client.type(key)) === 'zset' ? client.zrange(key, 0, -1) : client.get(key),
      ),
    )
    const dump = JSON.stringify([keys, values])
    expect(dump).toContain(hashSecret(secrets[2] ?? ''))
    expect(secrets).toHaveLength(6)
    for (const secret of secrets) {
      const random = secret.slice('gatehouse_'.length)
      expect(dump).not.toContain(random)
      expect(dump).not.toContain(Buffer.from(random, 'base64url').toString('hex'))
    }
  })
})
