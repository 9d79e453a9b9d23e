import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it, vi } from 'vitest'
import { createSignInRateLimit } from '../../../src/authorization-server/interaction/sign-in-rate-limit.ts'

describe('the sign-in rate limit', () => {
  function limit() {
    const clock = { now: 1000 }
    return { clock, limit: fromManyAddresses({ max: 3, now: () => clock.now }) }
  }

  /** A limit whose attempts come from a different address for each first key. */
  function fromManyAddresses(options: Omit<Parameters<typeof createSignInRateLimit>[0], 'store'>) {
    const { consume, succeeded } = createSignInRateLimit({ store: memoryStore(), ...options })
    const addressOf = (key = '') => `address of ${key}`
    return {
      consume: (...keys: string[]) => consume({ keys, address: addressOf(keys[0]) }),
      succeeded: (key: string) => succeeded(key, addressOf(key)),
    }
  }

  it('the rate limit allows the maximum number of attempts, and then returns the seconds until the next attempt is allowed', () => {
    const { clock, limit: attempts } = limit()
    expect([1, 2, 3].map(() => attempts.consume('a'))).toEqual([0, 0, 0])
    clock.now += 20
    expect(attempts.consume('a')).toBe(880)
    expect(attempts.consume('b')).toBe(0)
    clock.now += 880
    expect(attempts.consume('a')).toBe(0)
  })

  it('an attempt is rejected if one of its keys has no attempts left, and the rejected attempt counts for no key', () => {
    const { limit: attempts } = limit()
    for (const other of ['x', 'y', 'z']) attempts.consume('a', other)
    expect(attempts.consume('a', 'b')).toBe(900)
    expect([1, 2, 3].map(() => attempts.consume('b'))).toEqual([0, 0, 0])
    expect(attempts.consume('b')).toBe(900)
  })

  it('the rate limit of a key starts again after a successful attempt', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.consume('a')
    attempts.succeeded('a')
    expect(attempts.consume('a')).toBe(0)
  })

  it('20,000 attempts with different keys block no person, and do not reset the limit of a key (fixed bug: 10,000 attempts evicted all other keys)', () => {
    const attempts = fromManyAddresses({ max: 10, now: () => 1000 })
    for (let count = 0; count < 10; count += 1) attempts.consume('first')
    for (let count = 0; count < 20_000; count += 1) attempts.consume(`key-${count}`)
    const people = Array.from({ length: 1000 }, (_, index) => attempts.consume(`person-${index}`))
    expect(people.filter((wait) => wait > 0)).toEqual([])
    expect(attempts.consume('first')).toBe(900)
  })

  it('two processes on one store know after a second that they have used up the limit together', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const store = memoryStore()
    const [one, two] = [1, 2].map(() => createSignInRateLimit({ store, max: 4, now: () => 1000 }))
    const attempt = { keys: ['alice'], address: 'one' }
    for (const each of [one, one, two, two]) expect(each?.consume(attempt)).toBe(0)
    await vi.advanceTimersByTimeAsync(1000)
    await vi.waitFor(() => expect(two?.consume(attempt)).toBeGreaterThan(0))
    expect(two?.consume({ ...attempt, keys: ['bob'] })).toBe(0)
    vi.useRealTimers()
  })

  it('one address may make ten times as many attempts, whatever the identifiers', () => {
    const { consume } = createSignInRateLimit({ store: memoryStore(), max: 3, now: () => 1000 })
    const waits = Array.from({ length: 32 }, (_, index) => consume({ keys: [`${index}`], address: 'one' }))
    expect(waits).toEqual([...Array.from({ length: 30 }, () => 0), 900, 900])
    expect(consume({ keys: ['30'], address: 'other' })).toBe(0)
  })

  it('for an address, a successful attempt does not lower the count of failed attempts', () => {
    const { consume, succeeded } = createSignInRateLimit({ store: memoryStore(), max: 3, now: () => 1000 })
    const fail = (key: string) => consume({ keys: [key], address: 'one' })
    for (let index = 0; index < 29; index += 1) fail(`${index}`)
    for (let index = 0; index < 100; index += 1) {
      expect(fail('mine')).toBe(0)
      succeeded('mine', 'one')
    }
    expect([fail('a'), fail('b')]).toEqual([0, 900])
  })
})
