import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { collectGarbage } from '../support/collect-garbage.ts'
import { createRateLimit } from '../../src/async/rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Lets the processes send what they have counted, which they do every second. */
const sendBatches = () => vi.advanceTimersByTimeAsync(1000)

function processes(store = memoryStore()) {
  const clock = { now: 1_800_000_000 }
  const options = { windowSeconds: 60, now: () => clock.now, shared: { name: 'test', store } }
  return { clock, one: createRateLimit(options), other: createRateLimit(options) }
}

type Limit = ReturnType<typeof createRateLimit>

const boundOf = (key: string) => ({ key, max: 8 })
const waitOf = (limit: Limit, key: string) => limit.waitSeconds([boundOf(key)])

function addTo(limit: Limit, key: string, count: number) {
  for (let at = 0; at < count; at += 1) limit.add(boundOf(key))
  return waitOf(limit, key)
}

it('one process admits as many attempts as the limit, and more after the window', () => {
  const { clock, one } = processes()
  expect(addTo(one, 'a', 7)).toBe(0)
  expect(addTo(one, 'a', 1)).toBe(60)
  expect(waitOf(one, 'b')).toBe(0)
  clock.now += 60
  expect(waitOf(one, 'a')).toBe(0)
})

it('after the clock was set back, no caller waits because of acts of the later time', async () => {
  const { clock, one, other } = processes()
  clock.now += 86_400
  expect(addTo(one, 'a', 8)).toBe(60)
  expect(addTo(one, 'b', 1)).toBe(0)
  await sendBatches()
  expect(addTo(other, 'a', 2)).toBe(0)
  await sendBatches()
  expect(waitOf(other, 'a')).toBeGreaterThan(0)
  clock.now -= 86_400
  expect([waitOf(one, 'a'), waitOf(one, 'b'), waitOf(other, 'a')]).toEqual([0, 0, 0])
  expect(addTo(one, 'a', 7)).toBe(0)
  expect(addTo(one, 'a', 1)).toBe(60)
})

it('two processes know after a second that they have used up the limit together', async () => {
  const { one, other } = processes()
  expect(addTo(one, 'a', 6)).toBe(0)
  expect(addTo(other, 'a', 6)).toBe(0)
  await sendBatches()
  expect(Math.max(waitOf(one, 'a'), waitOf(other, 'a'))).toBeGreaterThan(0)
})

it('single mistakes are not sent to the store', async () => {
  const store = memoryStore()
  const counted: string[] = []
  const { one } = processes({
    ...store,
    count: async (key, ...args) => (counted.push(key), store.count!(key, ...args)),
  })
  addTo(one, 'a', 1)
  for (let at = 0; at < 50; at += 1) addTo(one, `person ${at}`, 1)
  await sendBatches()
  expect(counted).toEqual([])
  addTo(one, 'a', 3)
  await sendBatches()
  expect(counted).toHaveLength(1)
  expect(counted[0]).not.toContain('a:a')
})

it('a success resets the count in the store', async () => {
  const { one, other } = processes()
  addTo(one, 'a', 7)
  await sendBatches()
  one.reset(boundOf('a'))
  await vi.advanceTimersByTimeAsync(0)
  addTo(other, 'a', 4)
  await sendBatches()
  expect(waitOf(other, 'a')).toBe(0)
})

it('while the store is away, or has no counters, each process counts alone', async () => {
  const failing = { ...memoryStore(), count: () => Promise.reject(new Error('away')) }
  const without = { ...memoryStore() }
  delete without.count
  for (const store of [failing, without]) {
    const { one } = processes(store)
    expect(addTo(one, 'a', 8)).toBe(60)
    await sendBatches()
    expect(waitOf(one, 'a')).toBe(60)
  }
})

it('a key that has used up its limit needs little memory, however long it is', async () => {
  const { one, other } = processes()
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < 150; at += 1) {
    const key = `${Buffer.alloc(50_000, 'a').toString()}${at}`
    addTo(one, key, 8)
    addTo(other, key, 8)
  }
  await sendBatches()
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000)
  // Both must be in use until here.
  expect([waitOf(one, 'a'), waitOf(other, 'a')]).toEqual([0, 0])
})
