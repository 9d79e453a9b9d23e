import { stat } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { settlesWithin } from '../../src/async/with-timeout.ts'
import { withTimeout } from '../../src/async/with-timeout.ts'
import { timersOf } from '../support/timers-of.ts'

let timers: () => number
beforeEach(() => {
  vi.useFakeTimers()
  timers = timersOf('async/with-timeout')
})
afterEach(() => void vi.useRealTimers())

const late = { error: () => new Error('late') }
const never = () => new Promise<never>(() => {})

it('withTimeout() passes on a result that arrives in time, and leaves no timer', async () => {
  expect(await withTimeout(10, async () => 'answer', late)).toBe('answer')
  await expect(withTimeout(10, () => Promise.reject(new Error('failed')), late)).rejects.toThrow('failed')
  expect(timers()).toBe(0)
})

it('withTimeout() rejects if the work throws synchronously', async () => {
  const work = (): Promise<string> => {
    throw new Error('failed')
  }
  await expect(withTimeout(10, work, late)).rejects.toThrow('failed')
  expect(timers()).toBe(0)
})

it('withTimeout() rejects with the given error at the timeout', async () => {
  const answer = withTimeout(10, never, late)
  const settled = vi.fn()
  answer.catch(settled)
  await vi.advanceTimersByTimeAsync(9)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2)
  await expect(answer).rejects.toThrow('late')
})

it('withTimeout() passes on a result that arrived while the process was busy, although the time is over', async () => {
  vi.useRealTimers()
  const answer = withTimeout(20, () => stat(import.meta.filename), late)
  const busyUntil = Date.now() + 200
  while (Date.now() < busyUntil);
  expect((await answer).isFile()).toBe(true)
})

it('settlesWithin() answers whether the work succeeded in time, and never throws', async () => {
  expect(await settlesWithin(async () => 'answer', 10)).toBe(true)
  expect(await settlesWithin(() => Promise.reject(new Error('failed')), 10)).toBe(false)
  const answer = settlesWithin(never, 10)
  await vi.advanceTimersByTimeAsync(11)
  expect(await answer).toBe(false)
  expect(timers()).toBe(0)
})
