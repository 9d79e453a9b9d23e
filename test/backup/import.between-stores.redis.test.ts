import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from 'koa-gatehouse'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startHost } from '../support/host.ts'
import { importBeforeStart } from '../support/import-before-start.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { exported, linesOf } from './setup.ts'

describeWithRedis('export and import between kinds of stores', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
  })
  afterAll(async () => {
    client?.disconnect()
    await server?.stop()
  })

  async function exportOf(store: Store, file?: readonly string[]): Promise<string[]> {
    if (file) expect(await importBeforeStart(file, { store })).toMatchObject({ conflicts: [] })
    const host = await startHost({ store })
    try {
      return await exported(host)
    } finally {
      await host.close()
    }
  }

  /**
   * The lines of an export without the first line, and without the values that differ in each export. Lines
   * without a fixed order are sorted.
   */
  const contents = (file: readonly string[]) => {
    const isOrdered = (line: string) => /"is":"(client|deleted-client|signing-keys)"/.test(line)
    const without = file
      .slice(1)
      .map((line) => line.replace(/"(id|version)":"[0-9a-f-]{36}",|(?<="sealed":)"[^"]*"/g, ''))
    return [...without.filter(isOrdered), ...without.filter((line) => !isOrdered(line)).toSorted()]
  }

  it('a registry that moves from memory to Redis and back stays the same', async () => {
    const first = memoryStore()
    const host = await startHost({ store: first })
    const [key, deleted, changed] = [
      await host.createApiKey(),
      await host.createApiKey(),
      await host.createApiKey(),
    ]
    await host.createApplication({
      logoUri: 'https://ledger.example/logo.png',
      privacyUri: 'https://ledger.example/privacy',
      termsUri: 'https://ledger.example/terms',
      name: 'Bücher 😀',
    })
    const { body } = await host.token({ ...key, grant_type: 'client_credentials' })
    await host.gatehouse.tokens.revoke(String(body['access_token']))
    await host.gatehouse.apiKeys.delete(deleted.client_id)
    await host.gatehouse.apiKeys.removeProduct(changed.client_id, 'payments')
    await host.gatehouse.apiKeys.rotateSecret(changed.client_id)
    await host.gatehouse.apiKeys.setResourceServer(key.client_id, true)
    await host.gatehouse.signingKeys.rotate()
    await vi.waitFor(async () => {
      expect(await first.get(`client-usage:${key.client_id}`)).toBeDefined()
      const { length } = (await host.gatehouse.signingKeys.list()).filter(({ state }) => state === 'next')
      expect(length).toBe(2)
    })
    await host.close()

    const file = await exportOf(first)
    const inRedis = await exportOf(redisStore(client, { keyPrefix: 'moved:' }), file)
    expect(contents(inRedis)).toEqual(contents(file))
    expect(contents(await exportOf(memoryStore(), inRedis))).toEqual(contents(file))
    for (const is of ['client', 'deleted-client', 'revocation', 'signing-keys', 'products']) {
      expect(linesOf(is, file)).not.toEqual([])
    }
  })
})
