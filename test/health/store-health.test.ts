import { setTimeout as delay } from 'node:timers/promises'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store, StoreInspection } from 'koa-gatehouse'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createStoreHealth } from '../../src/health/store-health.ts'
import { withDeadline } from '../../src/store/deadline.ts'

type Looked = Pick<Store, 'ping' | 'inspect' | 'volatile'>

const DEADLINE = 60

/** Looks at a store as it is looked at in service. */
function healthOf(store: Looked, tolerance?: number) {
  const { inspect: _, ...plain } = memoryStore()
  return createStoreHealth(withDeadline({ ...plain, volatile: false, ...store }, DEADLINE), tolerance)
}

const listOf = async (store: Looked) =>
  (await healthOf(store).look()).checks.map(({ name, status }) => `${name} ${status}`)

const inspection =
  (checks: StoreInspection['checks'] = []) =>
  async () => ({ time: Date.now(), checks })

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('what is found', () => {
  test('of a store that cannot be inspected: that it answers, and how fast', async () => {
    expect(await listOf({ ping: async () => {} })).toEqual(['store good', 'store.latency good'])
  })

  test('of one that can: its clock, and what it says itself', async () => {
    const inspect = inspection([{ name: 'eviction', status: 'bad', message: 'm', fix: 'f' }])
    expect(await listOf({ ping: async () => {}, inspect })).toEqual([
      'store good',
      'store.latency good',
      'store.clock good',
      'store.eviction bad',
    ])
  })

  test('of the memory store: that it forgets, however it tells', async () => {
    const forgetting = (checks: readonly string[]) =>
      expect(checks.filter((check) => check.startsWith('store.persistence'))).toEqual([
        'store.persistence warning',
      ])
    forgetting(await listOf(memoryStore()))
    const said = inspection([{ name: 'persistence', status: 'warning', message: 'm', fix: 'f' }])
    forgetting(await listOf({ ping: async () => {}, volatile: true, inspect: said }))
  })

  test('of a slow one: a warning with what it took', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const ping = async () => {
      now += 101.2
    }
    const { checks } = await healthOf({ ping }).look()
    expect(checks.find(({ name }) => name === 'store.latency')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('102 ms'),
      fix: expect.stringContaining('SLOWLOG'),
    })
  })

  test('of a clock that is off: the difference, without the time that the answer took', async () => {
    const time = Date.now() - 12_000
    const inspect = async () => {
      await delay(20)
      return { time, checks: [] }
    }
    const look = async (tolerance?: number) =>
      (await healthOf({ ping: async () => {}, inspect }, tolerance).look()).checks.find(
        ({ name }) => name === 'store.clock',
      )
    expect(await look()).toMatchObject({ status: 'warning' })
    expect(await look(10)).toMatchObject({ status: 'bad' })
  })

  test('of one that answers, but does not tell: that it is unknown', async () => {
    const inspect = async () => {
      throw new Error('secret')
    }
    const { checks, isUsable } = await healthOf({ ping: async () => {}, inspect }).look()
    expect(isUsable).toBe(true)
    expect(checks.find(({ name }) => name === 'store.inspection')).toMatchObject({ status: 'unknown' })
    expect(JSON.stringify(checks)).not.toContain('secret')
  })

  test('of one that takes no writes: that it cannot be used', async () => {
    const rejecting = (status: 'bad' | 'unknown') => ({
      ping: async () => {},
      inspect: inspection([{ name: 'writes', status, message: 'm', fix: 'f' }]),
    })
    expect(await healthOf(rejecting('bad')).look()).toMatchObject({ isUsable: false })
    expect(await healthOf(rejecting('unknown')).look()).toMatchObject({ isUsable: true })
  })
})

describe('a store that is broken', () => {
  const never = () => new Promise<never>(() => {})
  const throwing = (): never => {
    throw new Error('secret')
  }
  // eslint-disable-next-line prefer-promise-reject-errors
  const undefinedly = () => Promise.reject(undefined)
  test.each([
    ['never answers', { ping: never, inspect: never }],
    ['throws at once', { ping: throwing, inspect: throwing }],
    ['rejects with nothing', { ping: undefinedly, inspect: undefinedly }],
    ['answers but tells', { ping: undefinedly, inspect: inspection() }],
  ])('%s: bad, within the deadline, and quoted by nothing but our own words', async (_, store: Looked) => {
    const from = performance.now()
    const { checks, isUsable } = await healthOf(store).look()
    expect(performance.now() - from).toBeLessThan(DEADLINE + 500)
    expect(isUsable).toBe(false)
    expect(checks).toEqual([
      { name: 'store', status: 'bad', message: expect.any(String), fix: expect.any(String) },
    ])
    expect(JSON.stringify(checks)).not.toContain('secret')
  })

  test('is said to be away since it was seen to be, until it answers again', async () => {
    vi.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') })
    let isAway = true
    const store = healthOf({
      ping: async () => {
        if (isAway) throw new Error('away')
      },
    })
    const messageNow = async () => (await store.look()).checks[0]?.message
    expect(await messageNow()).toContain('2030-01-01T00:00:00.000Z')
    vi.advanceTimersByTime(5000)
    expect(await messageNow()).toContain('2030-01-01T00:00:00.000Z')
    isAway = false
    vi.advanceTimersByTime(5000)
    expect(await store.look()).toMatchObject({ isUsable: true })
    isAway = true
    vi.advanceTimersByTime(5000)
    expect(await messageNow()).toContain('2030-01-01T00:00:15.000Z')
  })
})

test('hundreds who ask at once, and those who ask within a second, cause one look', async () => {
  vi.useFakeTimers()
  const ping = vi.fn(async () => {})
  const inspect = vi.fn(inspection())
  const store = healthOf({ ping, inspect })
  const answers = await Promise.all(Array.from({ length: 300 }, () => store.look()))
  expect(new Set(answers).size).toBe(1)
  vi.advanceTimersByTime(900)
  await store.look()
  expect([ping.mock.calls.length, inspect.mock.calls.length]).toEqual([1, 1])
  vi.advanceTimersByTime(200)
  await store.look()
  expect([ping.mock.calls.length, inspect.mock.calls.length]).toEqual([2, 2])
})
