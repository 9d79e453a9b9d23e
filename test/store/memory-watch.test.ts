import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { StoreInspection } from 'koa-gatehouse'
import { silentLogger } from '../../src/host/logger.ts'
import { createMemoryWatch } from '../../src/store/memory-watch.ts'

function watchOf(inspect?: () => Promise<StoreInspection>) {
  const clock = { now: 0 }
  const logged: string[] = []
  const log = (_: object, message?: string) => void logged.push(message ?? '')
  const logger = { ...silentLogger, warn: log, info: log }
  const watch = createMemoryWatch({ store: inspect ? { inspect } : {}, logger, now: () => clock.now })
  return {
    logged,
    /** Starts a check some seconds later, and returns the answer after the check. */
    async isFullLater(): Promise<boolean> {
      clock.now += 5000
      watch.isNearlyFull()
      await nextTurn()
      return watch.isNearlyFull()
    },
    watch,
  }
}

it.each([
  [0.899, false],
  [0.9, true],
  [1.2, true],
  [undefined, false],
  [Number.NaN, false],
])('a store with a used share of %s is nearly full: %s', async (usedShare, isFull) => {
  const { isFullLater } = watchOf(async () => ({ usedShare, checks: [] }))
  expect(await isFullLater()).toBe(isFull)
})

it('isNearlyFull() returns at once, and starts at most one check in two seconds', async () => {
  const inspect = vi.fn(async () => ({ usedShare: 0.95, checks: [] }))
  const { watch, isFullLater, logged } = watchOf(inspect)
  expect(watch.isNearlyFull()).toBe(false)
  for (let index = 0; index < 100; index += 1) watch.isNearlyFull()
  expect(inspect).toHaveBeenCalledTimes(1)
  await nextTurn()
  expect(watch.isNearlyFull()).toBe(true)
  await isFullLater()
  expect(inspect).toHaveBeenCalledTimes(2)
  expect(logged).toEqual([expect.stringContaining('95 % of the memory of the store are used')])
})

it('a store that has free memory again, or that does not answer, does not count as nearly full', async () => {
  const inspect = vi.fn(async () => ({ usedShare: 0.95, checks: [] }))
  const { isFullLater, logged } = watchOf(inspect)
  expect(await isFullLater()).toBe(true)
  inspect.mockResolvedValueOnce({ usedShare: 0.5, checks: [] })
  expect(await isFullLater()).toBe(false)
  expect(logged).toHaveLength(2)
  expect(await isFullLater()).toBe(true)
  inspect.mockRejectedValueOnce(new Error('unavailable'))
  expect(await isFullLater()).toBe(false)
})

it('a store without inspect() is never full', async () => {
  expect(await watchOf().isFullLater()).toBe(false)
})
