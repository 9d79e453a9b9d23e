import { expect, it } from 'vitest'
import { createLimiter, type Count } from '../../src/limits/limiter.ts'
import { createSlotCounters } from '../../src/store/slot-counters.ts'

it('many calls of one user at once leave the rest of the limit to the users at other processes', async () => {
  const counters = createSlotCounters()
  const count: Count = async (...args) => counters.count(...args)
  const limitsOf = async () => ({ perMinute: 600, perUser: 0.25 })
  const parts = { count, defaults: {}, limitsOf, onCounted: () => {} }
  const [one, other] = [createLimiter(parts), createLimiter(parts)]

  const calls = Array.from({ length: 2000 }, () => one.limiter.count('app', 'bob'))
  const accepted = (await Promise.all(calls)).filter(({ exceeded }) => !exceeded)
  expect(accepted).toHaveLength(150)
  expect((await other.limiter.count('app', 'alice')).exceeded).toBeUndefined()
  await Promise.all([one.close(), other.close()])
})
