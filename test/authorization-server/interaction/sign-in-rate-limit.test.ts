import { describe, expect, it } from 'vitest'
import { createSignInRateLimit } from '../../../src/authorization-server/interaction/sign-in-rate-limit.ts'

describe('the limit of attempts', () => {
  function limit() {
    const clock = { now: 1000 }
    return { clock, limit: createSignInRateLimit({ max: 3, windowSeconds: 60, now: () => clock.now }) }
  }

  it('lets so many through, then says how long to wait', () => {
    const { clock, limit: attempts } = limit()
    expect([1, 2, 3].map(() => attempts.consume('a'))).toEqual([0, 0, 0])
    clock.now += 20
    expect(attempts.consume('a')).toBe(40)
    expect(attempts.consume('b')).toBe(0)
    clock.now += 40
    expect(attempts.consume('a')).toBe(0)
  })

  it('holds for each of the keys, and counts nothing while one is exhausted', () => {
    const { limit: attempts } = limit()
    for (const other of ['x', 'y', 'z']) attempts.consume('a', other)
    expect(attempts.consume('a', 'b')).toBe(60)
    expect([1, 2, 3].map(() => attempts.consume('b'))).toEqual([0, 0, 0])
    expect(attempts.consume('b')).toBe(60)
  })

  it('begins anew once an attempt was right', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.consume('a')
    attempts.reset('a')
    expect(attempts.consume('a')).toBe(0)
  })

  it('forgets nobody, whatever else is tried (bug: 10,000 attempts flushed everybody’s)', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.consume('first')
    for (let count = 0; count < 50_000; count += 1)
      attempts.consume(`interaction-${count}`, `identifier-${count}`)
    expect(attempts.consume('first')).toBe(60)
  })

  it('keeps nobody waiting who did nothing, while others try a hundred thousand times', () => {
    const attempts = createSignInRateLimit({ max: 10, windowSeconds: 900, now: () => 1000 })
    for (let count = 0; count < 100_000; count += 1) attempts.consume(`key-${count}`)
    const people = Array.from({ length: 1000 }, (_, index) => attempts.consume(`person-${index}`))
    expect(people.filter((wait) => wait > 0)).toEqual([])
  })

  it('denies while it is flooded beyond that, and begins anew after the window', () => {
    const { clock, limit: attempts } = limit()
    for (let count = 0; count < 600_000; count += 1) attempts.consume(`key-${count}`)
    expect(attempts.consume('person')).toBe(60)
    clock.now += 60
    expect(attempts.consume('person')).toBe(0)
  })
})
