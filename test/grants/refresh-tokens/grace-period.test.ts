import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../src/store/digest.ts'
import { createGracePeriod } from '../../../src/grants/refresh-tokens/grace-period.ts'

const SECONDS = 10
const NOW = Date.UTC(2026, 0, 1)
const keys = [randomBytes(32)]
const gracePeriod = createGracePeriod({ seconds: SECONDS, keys })
const last = gracePeriod.record('the old token', 'the new token', NOW)

describe('the grace period', () => {
  it('the rotated token yields its successor', () => {
    expect(gracePeriod.successorOf('the old token', last, NOW)).toBe('the new token')
    expect(last).toMatchObject({ of: digest('the old token'), at: NOW })
  })

  it.each([
    [0, true],
    [SECONDS * 1000 - 1, true],
    [SECONDS * 1000, false],
    [3_600_000, false],
    // The time is negative if the clock of this process was set back, or is behind the clock of the rotating
    // process.
    [-(SECONDS * 1000 - 1), true],
    [-SECONDS * 1000, false],
    [-3_600_000, false],
  ])('%d milliseconds after the rotation, a successor is available: %s', (later, isAvailable) => {
    const next = gracePeriod.successorOf('the old token', last, NOW + later)
    expect(next).toBe(isAvailable ? 'the new token' : undefined)
  })

  it('no successor is returned for a token other than the rotated one, or in a family without a rotation', () => {
    for (const token of ['the new token', 'the older token', '', 'the old token ']) {
      expect(gracePeriod.successorOf(token, last, NOW)).toBeUndefined()
    }
    expect(gracePeriod.successorOf('the old token', undefined, NOW)).toBeUndefined()
  })

  it('an older key still decrypts a successor', () => {
    const [key] = keys as [Buffer]
    const rotated = createGracePeriod({ seconds: SECONDS, keys: [randomBytes(32), key] })
    expect(rotated.successorOf('the old token', last, NOW)).toBe('the new token')
    const others = createGracePeriod({ seconds: SECONDS, keys: [randomBytes(32)] })
    expect(others.successorOf('the old token', last, NOW)).toBeUndefined()
    expect(() => createGracePeriod({ seconds: SECONDS, keys: [] })).toThrow('at least one key')
  })

  it('a successor is encrypted differently each time, so that equal successors cannot be recognized', () => {
    const again = gracePeriod.record('the old token', 'the new token', NOW)
    expect(again.next).not.toBe(last.next)
    expect(JSON.stringify(last)).not.toContain('token')
  })

  it('a changed ciphertext yields no successor and no error', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (position, by) => {
        const bytes = Buffer.from(last.next, 'base64url')
        const at = position % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ by
        const changed = { ...last, next: bytes.toString('base64url') }
        expect(gracePeriod.successorOf('the old token', changed, NOW)).toBeUndefined()
      }),
    )
    for (const next of ['', 'AAAA', last.next.slice(0, 37), last.next.slice(0, 38), '***']) {
      expect(gracePeriod.successorOf('the old token', { ...last, next }, NOW)).toBeUndefined()
    }
  })
})
