import { expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { isInUse, markUse } from '../../src/store/in-use.ts'

const lasting = (changes: Partial<Store> = {}): Store => ({ ...memoryStore(), volatile: false, ...changes })
const mark = (store: Store) => markUse(store, { except: ['signing-keys'] })

test.each([
  ['set', (store: Store) => store.set('session:a', '{}', 60)],
  ['create', (store: Store) => store.create('client:a', '{}')],
  ['add', (store: Store) => store.add('clients:apiKey', 'a')],
] as const)('a store is in use from the first %s on, and stays so', async (_, write) => {
  const store = lasting()
  const marking = mark(store)
  expect(await isInUse(store)).toBe(false)
  await write(marking)
  expect(await isInUse(store)).toBe(true)
  await marking.delete('session:a')
  await marking.delete('client:a')
  await marking.remove('clients:apiKey', 'a')
  expect(await isInUse(marking)).toBe(true)
})

test('the answers of the store go through', async () => {
  const store = mark(lasting())
  expect(await store.create('client:a', '1')).toBe(true)
  expect(await store.create('client:a', '2')).toBe(false)
  await store.set('client:b', '3')
  expect(await store.getMany(['client:a', 'client:b'])).toEqual(['1', '3'])
  await store.add('clients', 'a')
  expect(await store.range('clients', { limit: 10 })).toEqual(['a'])
})

test('one write more for all that a process writes', async () => {
  const inner = lasting()
  const create = vi.fn(inner.create)
  const store = mark({ ...inner, create })
  await Promise.all(['a', 'b', 'c'].map((id) => store.set(`session:${id}`, '{}')))
  expect(create).toHaveBeenCalledTimes(1)
})

test('reading, and what is excepted, is no use', async () => {
  const store = mark(lasting())
  await store.get('client:a')
  await store.replace('client:a', 'old', 'new')
  await store.delete('client:a')
  await store.create('signing-keys:ring', '{}')
  await store.publish('catalog', 'x')
  expect(await isInUse(store)).toBe(false)
})

test('a mark that cannot be written holds nothing up, and is tried again', async () => {
  const inner = lasting()
  let isDown = true
  const create: Store['create'] = (...args) =>
    isDown ? Promise.reject(new Error('down')) : inner.create(...args)
  const store = mark({ ...inner, create })
  await store.set('session:a', '{}')
  expect(await isInUse(store)).toBe(false)
  isDown = false
  await store.set('session:b', '{}')
  expect(await isInUse(store)).toBe(true)
})

test('a store that forgets is left as it is', () => {
  const store = memoryStore()
  expect(mark(store)).toBe(store)
})
