import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { periodically } from '../../src/async/periodically.ts'
import { timersOf } from '../support/timers-of.ts'

let timers: () => number
beforeEach(() => {
  vi.useFakeTimers()
  timers = timersOf('async/periodically')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('periodically() waits a random time of 75 to 100 % of its interval, so that processes run at different moments', async () => {
  const times: number[] = []
  const start = Date.now()
  const stop = periodically(async () => times.push(Date.now() - start), 1000)
  await vi.advanceTimersByTimeAsync(100_000)
  stop()
  const gaps = times.map((time, i) => time - (times[i - 1] ?? 0))
  expect(times.length).toBeGreaterThan(99)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(749)
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1000)
  expect(new Set(gaps).size).toBeGreaterThan(10)
})

it('periodically() continues after its work has failed, and never starts the work while it is still running', async () => {
  let finish: () => void = () => {}
  const work = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(new Error('down'))
    .mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)))
    .mockResolvedValue()
  const stop = periodically(work, 1000)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(work).toHaveBeenCalledTimes(2)
  finish()
  await vi.advanceTimersByTimeAsync(1000)
  expect(work).toHaveBeenCalledTimes(3)
  stop()
})

it('periodically() never starts its work again once it is stopped, even if the work is running at that moment', async () => {
  let finish: () => void = () => {}
  const work = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)))
  const stop = periodically(work, 1000)
  await vi.advanceTimersByTimeAsync(1000)
  stop()
  finish()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(work).toHaveBeenCalledTimes(1)
  expect(timers()).toBe(0)
})

it('periodically() keeps no process alive', () => {
  const unref = vi.fn()
  vi.spyOn(globalThis, 'setTimeout').mockReturnValue({ unref } as never)
  const stop = periodically(async () => {}, 1000)
  expect(unref).toHaveBeenCalledTimes(1)
  stop()
})
