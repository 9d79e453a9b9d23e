import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { GatehouseError } from '../../../src/errors.ts'
import { createLimiter, type Count } from '../../../src/parts/limits/limiter.ts'
import { CircuitOpenError } from '../../../src/store/circuit-breaker.ts'
import { createSlotCounters } from '../../../src/store/slot-counters.ts'

afterEach(() => void vi.restoreAllMocks())

/** Sets the clocks of the process forward. */
function pass(seconds: number): void {
  for (const clock of [performance, Date]) {
    const now = clock.now.bind(clock)
    vi.spyOn(clock, 'now').mockImplementation(() => now() + seconds * 1000)
  }
}

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

it('the headers name the rest of the client and the time until it grows, if less is left of it than of the share of the user', async () => {
  const counters = createSlotCounters(() => Date.now())
  const count: Count = async (...args) => counters.count(...args)
  const limitsOf = async () => ({ perMinute: 8, perUser: 0.5 })
  const { limiter, close } = createLimiter({ count, defaults: {}, limitsOf, onCounted: () => {} })
  const timesOf = async (user: string) => (await limiter.count('app', user)).headers['RateLimit']
  for (const user of ['alice', 'alice', 'alice', 'alice', 'carl', 'carl', 'carl', 'carl']) await timesOf(user)
  await setImmediate()
  pass(20)
  expect(await timesOf('bob')).toMatch(/^"minute";r=0;t=[34]\d$/)
  await close()
})

it('a user whose share was used up in an earlier minute is not rejected while the store does not answer', async () => {
  const counters = createSlotCounters(() => Date.now())
  let isAway = false
  const count: Count = async (...args) => (isAway ? new Promise(() => {}) : counters.count(...args))
  const limitsOf = async () => ({ perMinute: 8, perUser: 0.5 })
  const { limiter, close } = createLimiter({ count, defaults: {}, limitsOf, onCounted: () => {} })
  for (let call = 0; call < 4; call += 1) await limiter.count('app', 'bob')
  pass(61)
  isAway = true
  for (const user of ['alice', 'alice', 'alice', 'bob']) {
    expect((await limiter.count('app', user)).exceeded).toBeUndefined()
  }
  void close()
})
