import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const elapse = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

it('the memory store is volatile', () => {
  expect(memoryStore().volatile).toBe(true)
})

it('a value in memory expires exactly at the end of its time to live', async () => {
  const store = memoryStore()
  await store.set('a', '1', 10)
  elapse(9.999)
  expect(await store.get('a')).toBe('1')
  elapse(0.001)
  expect(await store.get('a')).toBeUndefined()
})

it('the memory store evicts nothing', async () => {
  const store = memoryStore()
  const names = Array.from({ length: 20_000 }, (_, number) => `key ${number}`)
  for (const name of names) await store.set(name, name, 3600)
  for (const name of names) await store.add('index', name)
  elapse(3599)
  expect(await store.getMany(names)).toEqual(names)
  expect(await store.range('index', { after: 'key 9998', limit: 10 })).toEqual(['key 9999'])
})

it('two memory stores share nothing', async () => {
  const [one, two] = [memoryStore(), memoryStore()]
  await one.set('a', '1')
  expect(await two.get('a')).toBeUndefined()
})

it('after close every call of the memory store rejects with ERR_CLOSED', async () => {
  const store = memoryStore()
  await store.close()
  await expect(store.get('a')).rejects.toMatchObject({ name: 'GatehouseError', code: 'ERR_CLOSED' })
  await expect(store.set('a', '1')).rejects.toMatchObject({ code: 'ERR_CLOSED', status: 503 })
  await expect(store.subscribe('a', () => {})).rejects.toMatchObject({ code: 'ERR_CLOSED' })
})

it('expired values are freed by later writes, without being read', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const heap = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = heap()
  const store = memoryStore()
  for (let number = 0; number < 500; number += 1) {
    await store.set(`short ${number}`, Buffer.alloc(100_000, number).toString('latin1'), 1)
    await store.add(`short index ${number}`, Buffer.alloc(100_000, number).toString('latin1'), 1)
  }
  elapse(1)
  expect(heap() - before).toBeGreaterThan(90)
  for (let number = 0; number < 500; number += 1) {
    await store.set(`long ${number}`, 'small')
    await store.add(`long index ${number}`, 'small')
  }
  expect(heap() - before).toBeLessThan(20)
  expect(await store.get('long 0')).toBe('small')
})
