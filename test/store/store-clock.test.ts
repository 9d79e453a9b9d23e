import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../src/host/logger.ts'
import { createStoreClock } from '../../src/store/store-clock.ts'
import { timersOf } from '../support/timers-of.ts'

const START = 1_900_000_000_000

let timers: () => number
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START })
  timers = timersOf('store/store-clock')
})
afterEach(() => {
  vi.useRealTimers()
})

/** Creates the clock of a process whose store has a clock that is `aheadMs` ahead. */
function setUp(aheadMs: number) {
  const store = { aheadMs, isUnavailable: false }
  const logger = { ...silentLogger, warn: vi.fn(), info: vi.fn() }
  const inspect = vi.fn(async () => {
    if (store.isUnavailable) throw new Error('ECONNREFUSED')
    return { time: Date.now() + store.aheadMs, checks: [] }
  })
  return { store, logger, inspect, clock: createStoreClock({ store: { inspect }, logger }) }
}

it.each([180_000, -180_000, 400, 0.4])(
  'now() is the clock of a store that is %d ms ahead, in whole milliseconds',
  async (aheadMs) => {
    const { clock } = setUp(aheadMs)
    expect(clock.now()).toBe(START)
    await clock.measure()
    expect(clock.now()).toBe(START + Math.round(aheadMs))
  },
)

it('the time that the store needs for its answer is no difference between the clocks', async () => {
  const inspect = async () => {
    const time = Date.now() + 1500
    vi.setSystemTime(Date.now() + 3000)
    return { time, checks: [] }
  }
  const clock = createStoreClock({ store: { inspect }, logger: silentLogger })
  await clock.measure()
  expect(clock.now()).toBe(Date.now())
})

it('a difference is logged once when it appears, and once when it is gone', async () => {
  const { store, logger, clock } = setUp(-180_000)
  await clock.measure()
  const stop = clock.follow()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(logger.warn.mock.calls).toEqual([[{ secondsAhead: 180 }, expect.stringContaining('differs')]])
  expect(logger.info).not.toHaveBeenCalled()
  store.aheadMs = 1000
  await vi.advanceTimersByTimeAsync(300_000)
  expect(logger.info).toHaveBeenCalledTimes(1)
  store.aheadMs = 1001
  await vi.advanceTimersByTimeAsync(300_000)
  expect(logger.warn).toHaveBeenCalledTimes(2)
  stop()
  store.aheadMs = 0
  await vi.advanceTimersByTimeAsync(300_000)
  expect(logger.info).toHaveBeenCalledTimes(1)
})

it('a clock that is set does not change now(), and is measured at once', async () => {
  const { store, inspect, clock } = setUp(0)
  await clock.measure()
  for (const stepMs of [12_000, -24_000]) {
    vi.setSystemTime(Date.now() + stepMs)
    store.aheadMs -= stepMs
    expect(clock.now()).toBe(START)
    await vi.advanceTimersByTimeAsync(0)
    expect(clock.now()).toBe(START)
  }
  expect(inspect).toHaveBeenCalledTimes(3)
})

it('after the machine has slept, now() is right when the store has answered', async () => {
  const { clock } = setUp(0)
  await clock.measure()
  vi.setSystemTime(START + 600_000)
  expect(clock.now()).toBe(START)
  await vi.advanceTimersByTimeAsync(0)
  expect(clock.now()).toBe(START + 600_000)
})

it('while the store is unavailable, the last measurement counts', async () => {
  const { store, logger, clock } = setUp(180_000)
  await clock.measure()
  store.isUnavailable = true
  await clock.measure()
  expect(clock.now()).toBe(Date.now() + 180_000)
  expect(logger.warn).toHaveBeenCalledTimes(1)
})

it('the clock of a store without a clock is the clock of the process, and nothing is measured periodically', async () => {
  const { logger, clock } = setUp(0)
  for (const store of [{}, { inspect: async () => ({ checks: [] }) }]) {
    const own = createStoreClock({ store, logger })
    await own.measure()
    expect(own.now()).toBe(START)
  }
  createStoreClock({ store: {}, logger }).follow()
  expect(timers()).toBe(0)
  expect(clock.now()).toBe(START)
  expect(logger.warn).not.toHaveBeenCalled()
})
