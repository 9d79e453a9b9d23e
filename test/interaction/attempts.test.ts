import { describe, expect, it } from 'vitest'
import { createAttemptLimit } from '../../src/interaction/attempts.ts'

describe('the limit of attempts', () => {
  function limit() {
    const clock = { now: 1000 }
    return { clock, limit: createAttemptLimit({ max: 3, windowSeconds: 60, now: () => clock.now }) }
  }

  it('lets so many through, then says how long to wait', () => {
    const { clock, limit: attempts } = limit()
    expect([1, 2, 3].map(() => attempts.take('a'))).toEqual([0, 0, 0])
    clock.now += 20
    expect(attempts.take('a')).toBe(40)
    expect(attempts.take('b')).toBe(0)
    clock.now += 40
    expect(attempts.take('a')).toBe(0)
  })

  it('holds for each of the keys, and counts nothing while one is exhausted', () => {
    const { limit: attempts } = limit()
    for (const other of ['x', 'y', 'z']) attempts.take('a', other)
    expect(attempts.take('a', 'b')).toBe(60)
    expect([1, 2, 3].map(() => attempts.take('b'))).toEqual([0, 0, 0])
    expect(attempts.take('b')).toBe(60)
  })

  it('begins anew once an attempt was right', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.take('a')
    attempts.forget('a')
    expect(attempts.take('a')).toBe(0)
  })

  it('does not grow without end', () => {
    const { limit: attempts } = limit()
    for (let count = 0; count < 3; count += 1) attempts.take('first')
    for (let count = 0; count < 20_000; count += 1) attempts.take(`key-${count}`)
    expect(attempts.take('first')).toBe(0)
  })
})
