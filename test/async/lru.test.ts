import { expect, it } from 'vitest'
import { createLru, type Lru } from '../../src/async/lru.ts'
import { collectGarbage } from '../support/collect-garbage.ts'

it('a full cache evicts a value that was not used since it was stored', () => {
  const cache = createLru<string, number>(3)
  for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i)
  expect(cache.get('a')).toBe(0)
  cache.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 2, 3])
})

it('if all values of a full cache are in use, one of them is evicted', () => {
  const cache = createLru<number, number>(100)
  for (let key = 0; key < 100; key += 1) cache.set(key, key)
  for (let key = 0; key < 100; key += 1) cache.get(key)
  cache.set(100, 100)
  const kept = Array.from({ length: 101 }, (_, key) => cache.get(key)).filter((value) => value !== undefined)
  expect(kept).toHaveLength(100)
  expect(kept).toContain(100)
})

it('a value that is set again replaces the earlier value', () => {
  const cache = createLru<string, number>(2)
  cache.set('a', 1)
  cache.set('a', 2)
  cache.set('b', 3)
  expect([cache.get('a'), cache.get('b')]).toEqual([2, 3])
})

it('deleted and cleared values are gone, and the cache goes on', () => {
  const cache = createLru<number, number>(3)
  for (let key = 0; key < 10; key += 1) {
    cache.set(key, key)
    if (key % 4 === 1) cache.delete(key)
    if (key === 6) cache.clear()
  }
  expect(Array.from({ length: 10 }, (_, key) => cache.get(key)).filter((v) => v !== undefined)).toEqual([
    7, 8,
  ])
  for (let key = 20; key < 40; key += 1) cache.set(key, key)
  const kept = Array.from({ length: 40 }, (_, key) => cache.get(key)).filter((v) => v !== undefined)
  expect(kept).toHaveLength(3)
})

it('after a deletion, a full cache still evicts only values that were not used', () => {
  const cache = createLru<string, number>(4)
  for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) cache.set(key, i)
  cache.delete('b')
  cache.delete('d')
  for (const [i, key] of ['e', 'f'].entries()) cache.set(key, i + 4)
  for (const key of ['a', 'c', 'f']) cache.get(key)
  cache.set('g', 6)
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => cache.get(key))).toEqual([
    0,
    undefined,
    2,
    undefined,
    undefined,
    5,
    6,
  ])
})

// The cache of clients deletes each client after ten seconds and stores it again, and was never full. Each
// deleted client stayed in memory.
it('a cache that is never full does not keep deleted values in memory', async () => {
  const cache = createLru<number, object>(1000)
  const stored = Array.from({ length: 1000 }, (_, count) => {
    cache.delete(count % 100)
    return storeObject(cache, count % 100)
  })
  await collectGarbage()
  expect(stored.filter((each) => each.deref() !== undefined)).toHaveLength(100)
  expect(cache.get(7)).toBe(stored[907]?.deref())
})

it('a cleared cache does not keep its values in memory', async () => {
  const cache = createLru<number, object>(1000)
  const stored = Array.from({ length: 100 }, (_, key) => storeObject(cache, key))
  cache.clear()
  await collectGarbage()
  expect(stored.filter((each) => each.deref() !== undefined)).toEqual([])
  expect(cache.get(7)).toBeUndefined()
})

it('a cache of size 0 stores nothing', () => {
  const cache = createLru<string, number>(0)
  cache.set('a', 1)
  expect(cache.get('a')).toBeUndefined()
})

/** Stores a new object, and returns a weak reference to it. */
function storeObject(cache: Lru<number, object>, key: number): WeakRef<object> {
  const value = {}
  cache.set(key, value)
  return new WeakRef(value)
}
