// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import type { RedisOptions } from 'ioredis'
import { redisStore, type RedisClient } from 'koa-gatehouse/adapters/redis'
import { afterEach, expect, it, vi } from 'vitest'
import type { Store } from '../../src/store/contract.ts'
import { connectTo } from '../support/deployments.ts'
import { describeEachRedis } from '../support/stores.ts'

/** The settings that docs/redis.md recommends. A command of a client that is not connected fails at once. */
const RECOMMENDED: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => 50,
}

describeEachRedis('a user whom Redis rejects', (deployment) => {
  const user = `user-${randomUUID()}`
  const keyPrefix = `${randomUUID()}:`
  const clients: ReturnType<typeof connectTo>[] = []
  const stores: Store[] = []

  function connect(options: RedisOptions = {}) {
    const client = connectTo(deployment, options)
    clients.push(client)
    return client
  }
  function open(client: RedisClient): Store {
    const store = redisStore(client, { keyPrefix })
    stores.push(store)
    return store
  }
  const openLimited = () => open(connect({ ...RECOMMENDED, username: user, password: 'right' }))
  async function setUser(...rules: string[]): Promise<void> {
    const admin = connect()
    await admin.call('PING')
    for (const server of admin.nodes?.() ?? [admin]) {
      await server.call('ACL', 'SETUSER', user, 'reset', 'on', '>right', `~${keyPrefix}*`, '+@all', ...rules)
    }
  }

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    for (const client of clients.splice(0)) client.disconnect()
  })

  it('a wrong password is the reason of a failed call, although the client only says that it is not connected', async () => {
    await setUser()
    const client = connect({ ...RECOMMENDED, username: user, password: 'wrong' })
    const store = open(client)
    await vi.waitFor(() =>
      expect(store.get('a')).rejects.toThrow(/^Redis rejected a command: WRONGPASS, .*username and password/),
    )
  })

  it('subscribe() names the missing rule for channels, and works once the user has it', async () => {
    await setUser()
    const store = openLimited()
    await vi.waitFor(() => store.ping())
    const missing = `NOPERM, .* The missing rule: ACL SETUSER <user> &0:${keyPrefix}\\*$`
    await expect(store.subscribe('a', () => {})).rejects.toThrow(new RegExp(missing))
    await setUser(`&0:${keyPrefix}*`)
    await vi.waitFor(() => store.subscribe('a', () => {}))
  })

  it.each('eval evalsha get set del zadd zrem zrangebylex pttl expire persist publish'.split(' '))(
    'the first write of a user without %s names this command, although Redis has all scripts',
    async (command) => {
      const known = open(connect())
      await known.replace('a', '1', '2')
      await known.add('index', 'a')
      await setUser('&*', `-${command}`)
      const store = openLimited()
      await vi.waitFor(() => store.ping())
      const missing = new RegExp(`NOPERM, .* The missing rule: ACL SETUSER <user> \\+${command}$`)
      await expect(store.replace('b', '1', '2')).rejects.toThrow(missing)
      if (command !== 'evalsha') await expect(store.set('b', '1')).rejects.toThrow(missing)
    },
  )
})
