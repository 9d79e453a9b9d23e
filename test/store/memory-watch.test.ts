import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { StoreInspection } from 'koa-gatehouse'
import { silentLogger } from '../../src/host/logger.ts'
import { createMemoryWatch } from '../../src/store/memory-watch.ts'

function watchOf(inspect?: () => Promise<StoreInspection>) {
  const clock = { now: 0 }
  const told: string[] = []
  const tell = (_: object, message?: string) => void told.push(message ?? '')
  const logger = { ...silentLogger, warn: tell, info: tell }
  const watch = createMemoryWatch({ store: inspect ? { inspect } : {}, logger, now: () => clock.now })
  return {
    told,
    /** What is known some seconds later, once the look that it led to is over. */
    async lookLater(): Promise<boolean> {
      clock.now += 5000
      watch.isNearlyFull()
      await nextTurn()
      return watch.isNearlyFull()
    },
    watch,
  }
}

test.each([
  [0.899, false],
  [0.9, true],
  [1.2, true],
  [undefined, false],
  [Number.NaN, false],
])('with a used share of %s it is nearly full: %s', async (usedShare, isFull) => {
  const { lookLater } = watchOf(async () => ({ usedShare, checks: [] }))
  expect(await lookLater()).toBe(isFull)
})

test('nobody waits for a look, and there is one within some seconds, however many ask', async () => {
  const inspect = vi.fn(async () => ({ usedShare: 0.95, checks: [] }))
  const { watch, lookLater, told } = watchOf(inspect)
  expect(watch.isNearlyFull()).toBe(false)
  for (let index = 0; index < 100; index += 1) watch.isNearlyFull()
  expect(inspect).toHaveBeenCalledTimes(1)
  await nextTurn()
  expect(watch.isNearlyFull()).toBe(true)
  await lookLater()
  expect(inspect).toHaveBeenCalledTimes(2)
  expect(told).toEqual([expect.stringContaining('95 % of the memory of the store are used')])
})

test('once there is room again, or the store does not answer, it is not full', async () => {
  const inspect = vi.fn(async () => ({ usedShare: 0.95, checks: [] }))
  const { lookLater, told } = watchOf(inspect)
  expect(await lookLater()).toBe(true)
  inspect.mockResolvedValueOnce({ usedShare: 0.5, checks: [] })
  expect(await lookLater()).toBe(false)
  expect(told).toHaveLength(2)
  expect(await lookLater()).toBe(true)
  inspect.mockRejectedValueOnce(new Error('away'))
  expect(await lookLater()).toBe(false)
})

test('a store that does not tell is never full', async () => {
  expect(await watchOf().lookLater()).toBe(false)
})
