import { expect, it } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { createLimiter, type Count } from '../../src/limits/limiter.ts'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'
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

it('while the store cannot count, a call beyond the limit asks the store a few times, and not without end', async () => {
  let asked = 0
  const count: Count = async () => {
    asked += 1
    throw new CircuitOpenError('away', new GatehouseError('ERR_STORE_UNAVAILABLE', 'away'))
  }
  const limitsOf = async () => ({ perMinute: 100, perUser: 0.5 })
  const { limiter, close } = createLimiter({ count, defaults: {}, limitsOf, onCounted: () => {} })
  let accepted = 0
  for (let at = 0; at < 110; at += 1) {
    const { exceeded } = await limiter.count('app', `user-${at % 10}`)
    if (!exceeded) accepted += 1
  }
  expect(accepted).toBe(100)
  expect(asked).toBeLessThan(500)
  await close()
})
