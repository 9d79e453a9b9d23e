import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { startHost, type Host } from '../../support/host.ts'
import { killableStore } from '../../support/killable-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { watchedStore } from '../../support/watched-store.ts'

/** More writes than an erasure of this test makes. */
const MAX_WRITES = 100

const person = { accountId: 'kepler-4410', userId: 'nina-8842' }
const change = { actor: 'kepler-4410/nina-8842', address: '203.0.113.77', userAgent: 'Nina-Browser/7.31' }
const NAMES = ['nina-8842', 'Nina North', '203.0.113.77', 'Nina-Browser', 'north']

describeEachStore('an erasure that is interrupted', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  async function start(store: Store): Promise<Host> {
    const host = await startHost({ store })
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }

  async function leaveTraces({ gatehouse }: Host): Promise<void> {
    const key = { ...person, ...change, name: 'Nina North', products: ['invoices'] }
    const { apiKey } = await gatehouse.apiKeys.create(key)
    await gatehouse.apiKeys.disable(apiKey.clientId, change)
    await gatehouse.audit.list({ limit: 1 })
  }

  it('after a process was killed at any write of an erasure, another process completes the erasure when it is called again', async () => {
    let at = 0
    for (; at < MAX_WRITES; at += 1) {
      const data = randomUUID()
      const watched = watchedStore(makeStore(data))
      const killable = killableStore(watched.store)
      const first = await start(killable.store)
      await leaveTraces(first)
      killable.killAt(at)
      const erased = await first.gatehouse.accounts.erase(person).catch((error: unknown) => error)
      if (killable.isKilled && at === 0) expect(erased).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      const second = await start(watchedStore(makeStore(data), watched.names).store)
      await second.gatehouse.accounts.erase(person)
      const dump = await watched.dump()
      const left = [...dump].filter(([name, { texts }]) =>
        NAMES.some((each) => [name, ...texts].some((text) => text.includes(each))),
      )
      expect([at, left]).toEqual([at, []])
      const { items } = await second.gatehouse.audit.list({ limit: 500 })
      const names = items.map(({ name }) => name).filter((name) => name !== 'account.erased')
      expect(names).toEqual(['client.deleted', 'client.changed', 'client.created'])
      await Promise.all(hosts.splice(0).map((host) => host.close()))
      if (!killable.isKilled) break
    }
    expect(at).toBeGreaterThan(8)
    expect(at).toBeLessThan(MAX_WRITES)
  })

  it('a person who comes back keeps what is new, and people who erase themselves are not named by the erasure', async () => {
    const watched = watchedStore(makeStore())
    const { gatehouse } = await start(watched.store)
    await gatehouse.accounts.erase(person, change)
    expect(JSON.stringify([...(await watched.dump())])).not.toContain('nina-8842')
    const { apiKey } = await gatehouse.apiKeys.create({ ...person, ...change, name: 'New', products: [] })
    expect(await gatehouse.apiKeys.find(apiKey.clientId)).toBeDefined()
    const { items } = await gatehouse.audit.list({ accountId: 'kepler-4410' })
    expect(items).toMatchObject([
      { name: 'client.created', userId: 'nina-8842', actor: 'kepler-4410/nina-8842' },
      { name: 'account.erased', erased: true },
    ])
  })

  it.each([
    [{ accountId: 'kepler-4410', userId: undefined }, 'userId'],
    [{ accountId: '' }, 'accountId'],
    [{ userId: 'nina' }, 'accountId'],
    [{ accountId: 'kepler-4410', user: 'nina' }, 'user'],
  ])('%j is rejected, and nothing is erased', async (wrong, path) => {
    const { gatehouse } = await start(makeStore())
    const erasing = gatehouse.accounts.erase(wrong as never)
    await expect(erasing).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT', problems: [{ path }] })
    expect((await gatehouse.audit.list()).items).toEqual([])
  })
})
