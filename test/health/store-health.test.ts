import { setTimeout as delay } from 'node:timers/promises'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store, StoreInspection } from 'koa-gatehouse'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { storeHealthReader } from '../../src/health/store-health.ts'
import { withDeadline } from '../../src/store/resilient-store.ts'

type InspectedStore = Pick<Store, 'ping' | 'inspect' | 'volatile'>

const TIMEOUT_MS = 60

/** Creates the health reader of a store. The reader calls the store with a timeout, as a service does. */
function readerOf(store: InspectedStore) {
  const { inspect: _, ...plain } = memoryStore()
  return storeHealthReader(withDeadline({ ...plain, volatile: false, ...store }, TIMEOUT_MS))
}

const listOf = async (store: InspectedStore) =>
  (await readerOf(store)()).checks.map(({ name, status }) => `${name} ${status}`)

const inspection =
  (checks: StoreInspection['checks'] = []) =>
  async () => ({ time: Date.now(), checks })

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the health of a store', () => {
  it('the health of a store without inspect() has three checks: whether the store answers, how fast, and whether a corrupt record was met', async () => {
    expect(await listOf({ ping: async () => {} })).toEqual([
      'store pass',
      'store.latency pass',
      'store.records pass',
    ])
  })

  it('the health of a store with inspect() also has a check of its clock, and the checks of inspect()', async () => {
    const inspect = inspection([{ name: 'eviction', status: 'fail', message: 'm', remedy: 'f' }])
    expect(await listOf({ ping: async () => {}, inspect })).toEqual([
      'store pass',
      'store.latency pass',
      'store.clock pass',
      'store.eviction fail',
      'store.records pass',
    ])
  })

  it('the health of a volatile store has one check that warns about missing persistence', async () => {
    const expectWarning = (checks: readonly string[]) =>
      expect(checks.filter((check) => check.startsWith('store.persistence'))).toEqual([
        'store.persistence warn',
      ])
    expectWarning(await listOf(memoryStore()))
    const ownCheck = inspection([{ name: 'persistence', status: 'warn', message: 'm', remedy: 'f' }])
    expectWarning(await listOf({ ping: async () => {}, volatile: true, inspect: ownCheck }))
  })

  it('the latency check of a slow store is a warning that names the latency', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const ping = async () => {
      now += 101.2
    }
    const { checks } = await readerOf({ ping })()
    expect(checks.find(({ name }) => name === 'store.latency')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('102 ms'),
      remedy: expect.stringContaining('SLOWLOG'),
    })
  })

  it('a clock difference of 12 seconds is a warning', async () => {
    const time = Date.now() - 12_000
    const inspect = async () => {
      await delay(20)
      return { time, checks: [] }
    }
    const { checks } = await readerOf({ ping: async () => {}, inspect })()
    expect(checks.find(({ name }) => name === 'store.clock')).toMatchObject({ status: 'warn' })
  })

  it('a store whose inspect() fails is usable, and the status of its inspection is unknown', async () => {
    const inspect = async () => {
      throw new Error('secret')
    }
    const { checks, isUsable } = await readerOf({ ping: async () => {}, inspect })()
    expect(isUsable).toBe(true)
    expect(checks.find(({ name }) => name === 'store.inspection')).toMatchObject({ status: 'unknown' })
    expect(JSON.stringify(checks)).not.toContain('secret')
  })

  it('a store that rejects writes is not usable', async () => {
    const rejecting = (status: 'fail' | 'unknown') => ({
      ping: async () => {},
      inspect: inspection([{ name: 'writes', status, message: 'm', remedy: 'f' }]),
    })
    expect(await readerOf(rejecting('fail'))()).toMatchObject({ isUsable: false })
    expect(await readerOf(rejecting('unknown'))()).toMatchObject({ isUsable: true })
  })
})

describe('a broken store', () => {
  const never = () => new Promise<never>(() => {})
  const throwing = (): never => {
    throw new Error('secret')
  }
  // eslint-disable-next-line prefer-promise-reject-errors
  const rejectingWithUndefined = () => Promise.reject(undefined)
  it.each([
    ['that never answers', { ping: never, inspect: never }],
    ['that throws synchronously', { ping: throwing, inspect: throwing }],
    ['that rejects with undefined', { ping: rejectingWithUndefined, inspect: rejectingWithUndefined }],
    ['that answers inspect() but not ping()', { ping: rejectingWithUndefined, inspect: inspection() }],
  ])(
    'a store %s fails its check within the timeout, and the check does not quote the error',
    async (_, store: InspectedStore) => {
      const from = performance.now()
      const { checks, isUsable } = await readerOf(store)()
      expect(performance.now() - from).toBeLessThan(TIMEOUT_MS + 500)
      expect(isUsable).toBe(false)
      expect(checks).toEqual([
        { name: 'store', status: 'fail', message: expect.any(String), remedy: expect.any(String) },
      ])
      expect(JSON.stringify(checks)).not.toContain('secret')
    },
  )

  it('the check of an unavailable store names the time of the first failure since its last answer', async () => {
    vi.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') })
    let isUnavailable = true
    const readHealth = readerOf({
      ping: async () => {
        if (isUnavailable) throw new Error('unavailable')
      },
    })
    const messageNow = async () => (await readHealth()).checks[0]?.message
    expect(await messageNow()).toContain('2030-01-01T00:00:00.000Z')
    vi.advanceTimersByTime(5000)
    expect(await messageNow()).toContain('2030-01-01T00:00:00.000Z')
    isUnavailable = false
    vi.advanceTimersByTime(5000)
    expect(await readHealth()).toMatchObject({ isUsable: true })
    isUnavailable = true
    vi.advanceTimersByTime(5000)
    expect(await messageNow()).toContain('2030-01-01T00:00:15.000Z')
  })
})

it('concurrent calls, and calls within a second, read the health of a store once', async () => {
  vi.useFakeTimers()
  const ping = vi.fn(async () => {})
  const inspect = vi.fn(inspection())
  const readHealth = readerOf({ ping, inspect })
  const answers = await Promise.all(Array.from({ length: 300 }, () => readHealth()))
  expect(new Set(answers).size).toBe(1)
  vi.advanceTimersByTime(900)
  await readHealth()
  expect([ping.mock.calls.length, inspect.mock.calls.length]).toEqual([1, 1])
  vi.advanceTimersByTime(200)
  await readHealth()
  expect([ping.mock.calls.length, inspect.mock.calls.length]).toEqual([2, 2])
})
