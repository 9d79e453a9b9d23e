import { afterEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { SECRET, startHost, type Host } from '../../support/host.ts'
import { importBeforeStart } from '../../support/import-before-start.ts'
import { describeEachStore } from '../../support/stores.ts'
import { watchedStore } from '../../support/watched-store.ts'

const NEW_SECRET = 'the secret of the new processes, long enough'
const nina = { accountId: 'kepler-4410', userId: 'nina-8842' }
const bob = { accountId: 'kepler-4410', userId: 'bob-5521' }

async function exported({ gatehouse }: Host): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRegistry(gatehouse)) lines.push(line)
  return lines
}

describeEachStore('a backup from before an erasure', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()))
    vi.useRealTimers()
  })

  async function start(store: Store, secret: string | string[] = SECRET): Promise<Host> {
    const host = await startHost({ store, gatehouse: { secret } })
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }

  /** Writes a file before Nina is erased, and one after she has come back. Returns her new key too. */
  async function eraseBetweenBackups() {
    const old = await start(makeStore())
    const { apiKeys, accounts } = old.gatehouse
    await apiKeys.create({ ...nina, name: 'Nina North', products: ['invoices'] })
    await apiKeys.create({ ...bob, name: 'Of Bob', products: ['invoices'] })
    await apiKeys.create({ accountId: 'kepler-4410', createdBy: 'nina-8842', name: 'Of the company' })
    const before = await exported(old)
    await accounts.erase(nina)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    const { apiKey } = await apiKeys.create({ ...nina, name: 'Back again', products: ['invoices'] })
    return { before, after: await exported(old), back: apiKey.clientId }
  }

  it.each([
    ['before the newer file', ['before', 'after'], [0, 1]],
    // The newer file reserves the id of the deleted key, so the older file cannot import the key.
    ['after the newer file', ['after', 'before'], [0, 0]],
  ] as const)(
    'is imported %s: the person is erased again, under a new secret too, and what came later stays',
    async (_when, order, erased) => {
      const files = await eraseBetweenBackups()
      expect(files.before.filter((line) => line.includes('nina-8842'))).toHaveLength(2)
      expect(files.after.filter((line) => line.includes('nina-8842'))).toEqual([
        expect.stringContaining('Back again'),
      ])
      const watched = watchedStore(makeStore())
      const secret = [NEW_SECRET, SECRET]
      const options = { signingKeys: false }
      const results = []
      for (const file of order) {
        const setup = { store: watched.store, gatehouse: { secret } }
        results.push(await importBeforeStart(files[file], setup, options))
      }
      expect(results.map(({ erasedClients }) => erasedClients)).toEqual(erased)
      const host = await start(watched.store, secret)
      const { apiKeys } = host.gatehouse
      const names = (await apiKeys.list()).items.map(({ name }) => name)
      expect(names.toSorted()).toEqual(['Back again', 'Of Bob', 'Of the company'])
      const dump = [...(await watched.dump())].filter(([name]) => name !== `client:${files.back}`)
      const left = dump.filter(([name, { texts }]) =>
        ['nina-8842', 'Nina North', 'north\0'].some((text) =>
          [name, ...texts].some((each) => each.includes(text)),
        ),
      )
      expect(left).toEqual([])

      // The old secret is not needed any more.
      const last = await start(watched.store, NEW_SECRET)
      const again = await importRegistry(last.gatehouse, files.before, options)
      // The deleted key, and the key of the company, which no longer says who made it.
      expect(again).toMatchObject({ apiKeys: 0, erasedClients: 0, conflicts: { length: 2 } })
    },
  )

  it('is restored whole, and then the newer file is imported: the person is erased again', async () => {
    const { after, before } = await eraseBetweenBackups()
    const restored = await start(makeStore())
    await importRegistry(restored.gatehouse, before, { signingKeys: false })
    expect((await restored.gatehouse.apiKeys.listByOwner('kepler-4410')).items).toHaveLength(3)
    await importRegistry(restored.gatehouse, after, { signingKeys: false })
    const { items } = await restored.gatehouse.apiKeys.listByOwner('kepler-4410')
    expect(new Map(items.map(({ name, createdBy }) => [name, createdBy]))).toEqual(
      new Map([
        ['Back again', 'nina-8842'],
        ['Of Bob', 'bob-5521'],
        ['Of the company', '(erased)'],
      ]),
    )
  })

  it('a file with erasures is rejected without the secret of their key, and nothing is changed', async () => {
    const { after } = await eraseBetweenBackups()
    const other = await start(makeStore(), NEW_SECRET)
    await expect(importRegistry(other.gatehouse, after, { signingKeys: false })).rejects.toMatchObject({
      code: 'ERR_SECRET_MISMATCH',
    })
    expect((await other.gatehouse.apiKeys.list()).items).toEqual([])
  })
})
