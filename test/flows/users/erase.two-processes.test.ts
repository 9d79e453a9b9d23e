// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { watchedStore } from '../../support/watched-store.ts'

const person = { accountId: 'kepler-4410', userId: 'nina-8842' }
const change = { actor: 'kepler-4410/nina-8842', address: '203.0.113.77', userAgent: 'Nina-Browser/7.31' }
const NAMES = ['nina-8842', 'Nina North', '203.0.113.77', 'Nina-Browser', 'north']

describeEachStore('an erasure by two processes', (makeStore) => {
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

  it('two processes that erase the same person at the same time both succeed', async () => {
    const data = randomUUID()
    const watched = watchedStore(makeStore(data))
    const first = await start(watched.store)
    const second = await start(watchedStore(makeStore(data), watched.names).store)
    for (let key = 0; key < 20; key += 1) await leaveTraces(first)
    const counts = await Promise.all([first, second].map(({ gatehouse }) => gatehouse.accounts.erase(person)))
    expect(counts.reduce((sum, { clients }) => sum + clients, 0)).toBe(20)
    const text = JSON.stringify([...(await watched.dump())])
    expect(NAMES.filter((name) => text.includes(name))).toEqual([])
    const { items } = await second.gatehouse.audit.list({ limit: 500 })
    expect(items.filter(({ name }) => name === 'client.deleted')).toHaveLength(20)
    expect(items.filter(({ name }) => name === 'account.erased')).toHaveLength(2)
  })
})
