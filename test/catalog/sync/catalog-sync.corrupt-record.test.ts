// Also runs on: Redis
import { expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { describeEachStore } from '../../support/stores.ts'
import { createDatabase, productsNamed, startProcess } from './processes.ts'

const KEY = 'catalog:products'

/** Corrupt texts of the record. */
const CORRUPT: readonly [what: string, valueOf: (text: string) => string][] = [
  ['garbage', () => 'garbage'],
  ['empty', () => '{}'],
  ['truncated', (text) => text.slice(0, text.length / 2)],
  ['of a newer version', (text) => text.replace('"v":1', '"v":99')],
]

describeEachStore('a corrupt record of the products', (makeStore) => {
  it.each(CORRUPT)(
    'a process starts with its own products if the record is %s, and leaves the record as it is',
    async (_, valueOf) => {
      const store = makeStore(randomUUID())
      const running = await startProcess(store, productsNamed('a', 'b'))
      const text = valueOf((await store.get(KEY)) ?? '')
      await store.set(KEY, text)
      for (const products of [productsNamed('a', 'c'), createDatabase('a', 'c').load]) {
        const started = await startProcess(store, products)
        expect(started.ids()).toEqual(['a', 'c'])
        await expect(started.sync.synchronize()).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
      }
      expect(running.ids()).toEqual(['a', 'b'])
      expect(await store.get(KEY)).toBe(text)
    },
  )

  it('once the record is restored, tokens with an operation that the new products lack are revoked', async () => {
    const store = makeStore(randomUUID())
    const running = await startProcess(store, productsNamed('a', 'b'))
    const token = running.issue()
    const text = (await store.get(KEY)) ?? ''
    await store.set(KEY, 'garbage')
    const started = await startProcess(store, productsNamed('a'))
    expect(started.rejects(token)).toBe(false)
    await store.set(KEY, text)
    await started.sync.synchronize()
    expect(started.rejects(token)).toBe(true)
    expect(started.rejects(started.issue())).toBe(false)
    await running.sync.synchronize()
    expect(running.ids()).toEqual(['a'])
  })

  it('once the record is deleted, the next process that synchronizes writes it again', async () => {
    const store = makeStore(randomUUID())
    await store.set(KEY, 'garbage')
    const started = await startProcess(store, productsNamed('a'))
    await store.delete(KEY)
    await started.sync.synchronize()
    expect(await store.get(KEY)).toContain('"a":["a:read"]')
  })

  it('the tokens of a process that started alone are not covered by earlier revocations', async () => {
    const store = makeStore(randomUUID())
    const database = createDatabase('a:read+write')
    const running = await startProcess(store, database.load)
    for (const products of [productsNamed('a'), productsNamed('a:read+write'), productsNamed('a')]) {
      database.products = products
      await running.sync.reload()
    }
    await store.set(KEY, 'garbage')
    const started = await startProcess(store, productsNamed('a:read+write'))
    expect(started.rejects(started.issue())).toBe(false)
  })

  it('a reload of a process that started alone activates the new products, and rejects', async () => {
    const store = makeStore(randomUUID())
    await store.set(KEY, 'garbage')
    const database = createDatabase('a')
    const started = await startProcess(store, database.load)
    database.products = productsNamed('a', 'b')
    await expect(started.sync.reload()).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    expect(started.ids()).toEqual(['a', 'b'])
  })
})
