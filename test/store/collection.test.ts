// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { createCollection } from '../../src/store/collection.ts'
import { CorruptRecord } from '../../src/store/corrupt-record.ts'
import { describeEachStore, watchWrites } from '../support/stores.ts'

interface Counter {
  readonly count: number
  readonly by?: readonly string[]
}

const counterCollection = (store: Store) => createCollection<Counter>(store, { name: 'counter', version: 1 })

describeEachStore('a collection', (makeStore) => {
  it('a collection returns its records, and stores each record under the name of the collection, with a version', async () => {
    const store = makeStore()
    const counters = counterCollection(store)
    expect(await counters.create('a', { count: 1 })).toBe(true)
    expect(await counters.create('a', { count: 2 })).toBe(false)
    expect(await counters.get('a')).toEqual({ count: 1 })
    expect(await counters.get('b')).toBeUndefined()
    expect(counters.key('a')).toBe('counter:a')
    expect(JSON.parse((await store.get('counter:a')) ?? '')).toEqual({ v: 1, count: 1 })
    await counters.set('b', { count: 7 })
    expect(await counters.getMany(['b', 'missing', 'a'])).toEqual([{ count: 7 }, undefined, { count: 1 }])
    expect(await counters.getMany([])).toEqual([])
    expect(await counters.delete('a')).toBe(true)
    expect(await counters.delete('a')).toBe(false)
    expect(await counters.get('a')).toBeUndefined()
  })

  it('replace() stores a record only if the stored text is the text that was read', async () => {
    const counters = counterCollection(makeStore())
    await counters.create('a', { count: 1 })
    const read = await counters.read('a')
    if (!read) throw new Error('absent')
    expect(await counters.replace('a', read, { count: 2 })).toBe(true)
    expect(await counters.replace('a', read, { count: 3 })).toBe(false)
    expect(await counters.get('a')).toEqual({ count: 2 })
    await counters.delete('a')
    expect(await counters.replace('a', read, { count: 3 })).toBe(false)
    expect(await counters.get('a')).toBeUndefined()
  })

  it('no update is lost if several processes update a record concurrently', async () => {
    const data = randomUUID()
    const [one, two, three] = [
      counterCollection(makeStore(data)),
      counterCollection(makeStore(data)),
      counterCollection(makeStore(data)),
    ]
    await one.create('a', { count: 0, by: [] })
    const writers = Array.from({ length: 60 }, (_, index) => `writer ${index}`)
    await Promise.all(
      writers.map((writer, index) =>
        (index % 3 === 0 ? one : index % 3 === 1 ? two : three).update('a', ({ count, by = [] }) => ({
          count: count + 1,
          by: [...by, writer],
        })),
      ),
    )
    const record = await one.get('a')
    expect(record?.count).toBe(60)
    expect(new Set(record?.by)).toEqual(new Set(writers))
  })

  it('update() creates no record, even if the record is deleted during the update', async () => {
    const counters = counterCollection(makeStore())
    const change = vi.fn((record: Counter) => record)
    expect(await counters.update('a', change)).toBeUndefined()
    expect(change).not.toHaveBeenCalled()

    await counters.create('a', { count: 1 })
    const deletions: Promise<boolean>[] = []
    const updated = await counters.update('a', ({ count }) => {
      deletions.push(counters.delete('a'))
      return { count: count + 1 }
    })
    await Promise.all(deletions)
    expect(updated).toBeUndefined()
    expect(await counters.get('a')).toBeUndefined()
  })

  it('an update without a change writes nothing', async () => {
    const { store, writes } = watchWrites(makeStore())
    const counters = counterCollection(store)
    await counters.create('a', { count: 1 })
    writes.length = 0
    expect(await counters.update('a', () => undefined)).toEqual({ count: 1 })
    expect(writes).toEqual([])
  })

  it('reading a corrupt record rejects with ERR_STORE_CORRUPT, names the record without quoting it, and leaves it unchanged', async () => {
    const store = makeStore()
    const counters = counterCollection(store)
    await counters.set('b', { count: 2 })
    const failure = {
      name: 'GatehouseError',
      code: 'ERR_STORE_CORRUPT',
      status: 500,
      message: expect.stringMatching(/^(?!.*(count"|garbage)).*"counter:a"/s),
    }
    for (const text of [
      'garbage',
      '{"v":1,"count":',
      'null',
      '7',
      '[{"v":1}]',
      '{"count":1}',
      '{"v":2,"count":1}',
      '{"v":"1","count":1}',
    ]) {
      await store.set('counter:a', text)
      const calls = [
        () => counters.get('a'),
        () => counters.read('a'),
        () => counters.getMany(['b', 'a']),
        () => counters.update('a', (record) => record),
      ]
      for (const call of calls) await expect(call(), text).rejects.toMatchObject(failure)
      // getEach() returns all records except the corrupt one.
      const [absent, corrupt, valid] = await counters.getEach(['c', 'a', 'b'])
      expect([absent, valid]).toEqual([undefined, { count: 2 }])
      expect(corrupt).toBeInstanceOf(CorruptRecord)
      expect(corrupt).toMatchObject({ id: 'a', key: 'counter:a', error: failure })
      expect(await store.get('counter:a')).toBe(text)
    }
  })

  it.each([
    [2, 'start the newer version of koa-gatehouse that wrote it'],
    ['1', 'another program may write to the same keys'],
  ])('the error of a record with version %s names the remedy', async (v, what) => {
    const store = makeStore()
    await store.set('counter:a', JSON.stringify({ v, count: 1 }))
    await expect(counterCollection(store).get('a')).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: expect.stringContaining(what),
    })
  })

  it('getEach() returns all other records if one key has a value of another type, and rejects if the store is unavailable', async () => {
    const inner = makeStore()
    const wrongType = new GatehouseError('ERR_STORE_CORRUPT', 'of another type (key "counter:a")')
    const failing = (cause: Error): Store => ({
      ...inner,
      get: async (key) => (key === 'counter:a' ? Promise.reject(cause) : inner.get(key)),
      getMany: () => Promise.reject(cause),
    })
    await counterCollection(inner).create('b', { count: 2 })
    const found = await counterCollection(failing(wrongType)).getEach(['a', 'b', 'c'])
    expect(found).toEqual([new CorruptRecord('a', 'counter:a', wrongType), { count: 2 }, undefined])
    const unavailable = new GatehouseError('ERR_STORE_UNAVAILABLE', 'unavailable')
    await expect(counterCollection(failing(unavailable)).getEach(['a', 'b'])).rejects.toBe(unavailable)
  })
})
