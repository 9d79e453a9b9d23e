import { describe, expect, it } from 'vitest'
import { createSignInRateLimit } from '../../../src/authorization-server/interaction/sign-in-rate-limit.ts'

describe('the sign-in rate limit', () => {
  function limit() {
    const clock = { now: 1000 }
    return { clock, limit: createSignInRateLimit({ max: 3, windowSeconds: 60, now: () => clock.now }) }
  }

  it('the rate limit allows the maximum number of attempts, and then returns the seconds until the next attempt is allowed', () => {
    const { clock, limit: attempts } = limit()
    expect([1, 2, 3].map(() => attempts.consume('a'))).toEqual([0, 0, 0])
    clock.now += 20
    expect(attempts.consume('a')).toBe(40)
    expect(attempts.consume('b')).toBe(0)
    clock.now += 40
    expect(attempts.consume('a')).toBe(0)
  })

  it('an attempt is rejected if one of its keys has no attempts left, and the rejected attempt counts for no key', () => {
    const { limit: attempts } = limit()
    for (const other of ['x', 'y', 'z']) attempts.consume('a', other)
    expect(attempts.consume('a', 'b')).toBe(60)
    expect([1, 2, 3].map(() => attempts.consume('b'))).toEqual([0, 0, 0])
    expect(attempts.consume('b')).toBe(60)
  })

  it('the rate limit of a key starts again after a successful attempt', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.consume('a')
    attempts.reset('a')
    expect(attempts.consume('a')).toBe(0)
  })

  it('a flood of attempts with other keys does not reset the limit of a key (fixed bug: 10,000 attempts evicted all other keys)', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.consume('first')
    for (let count = 0; count < 50_000; count += 1)
      attempts.consume(`interaction-${count}`, `identifier-${count}`)
    expect(attempts.consume('first')).toBe(60)
  })

  it('a hundred thousand attempts with different keys block no person', () => {
    const attempts = createSignInRateLimit({ max: 10, windowSeconds: 900, now: () => 1000 })
    for (let count = 0; count < 100_000; count += 1) attempts.consume(`key-${count}`)
    const people = Array.from({ length: 1000 }, (_, index) => attempts.consume(`person-${index}`))
    expect(people.filter((wait) => wait > 0)).toEqual([])
  })

  it('600,000 attempts with different keys block all sign-ins until the window ends', () => {
    const { clock, limit: attempts } = limit()
    for (let count = 0; count < 600_000; count += 1) attempts.consume(`key-${count}`)
    expect(attempts.consume('person')).toBe(60)
    clock.now += 60
    expect(attempts.consume('person')).toBe(0)
  }, 120_000)
})
