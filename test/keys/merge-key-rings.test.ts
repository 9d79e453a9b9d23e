import { describe, expect, test } from 'vitest'
import { mergeKeyRings } from '../../src/keys/merge-key-rings.ts'
import { advance, canSign, type KeyState, type RingKey } from '../../src/keys/key-states.ts'

const NOW = 1_900_000_000
const DAY = 86_400

/** Its name begins with e or r, for the algorithm. */
function key(kid: string, state: KeyState = 'next', since = NOW, createdAt = since): RingKey {
  return { kid, alg: kid.startsWith('e') ? 'ES256' : 'RS256', state, createdAt, since }
}

const states = (keys: readonly RingKey[]) => Object.fromEntries(keys.map(({ kid, state }) => [kid, state]))
const told = (changes: readonly { what: string; kid: string }[]) =>
  changes.map(({ what, kid }) => `${kid} ${what}`)

const LONG_AGO = NOW - 40 * DAY
const theirs = [
  key('e1', 'current', LONG_AGO),
  key('r1', 'current', LONG_AGO),
  key('e2', 'next', LONG_AGO + DAY),
  key('r2', 'next', LONG_AGO + DAY),
  key('e0', 'previous', LONG_AGO, LONG_AGO - DAY),
  key('r-', 'revoked', LONG_AGO, LONG_AGO - DAY),
]
const ours = [
  key('eA', 'current', NOW - 60),
  key('rA', 'current', NOW - 60),
  key('eB', 'next', NOW - 60),
  key('rB', 'next', NOW - 60),
]

describe('one ring of two', () => {
  test('has the keys of the other sign, and keeps those published that have signed here', () => {
    const { keys, changes } = mergeKeyRings(ours, theirs, NOW)
    expect(states(keys)).toEqual({
      ...states(theirs),
      eA: 'previous',
      rA: 'previous',
      eB: 'retired',
      rB: 'retired',
    })
    // Theirs sign for as long as they would have, and ours have signed until now.
    expect(keys.find(({ kid }) => kid === 'e1')).toEqual(theirs[0])
    expect(keys.find(({ kid }) => kid === 'eA')).toMatchObject({ since: NOW, createdAt: NOW - 60 })
    expect(told(changes)).toEqual([
      'eB retired',
      'rB retired',
      'e1 published',
      'e1 activated',
      'r1 published',
      'r1 activated',
      'e2 published',
      'r2 published',
    ])
  })

  test('is the same ring when it is done again, also after it has rotated', () => {
    const { keys } = mergeKeyRings(ours, theirs, NOW)
    expect(mergeKeyRings(keys, theirs, NOW + 5)).toEqual({ keys, changes: [] })
    expect(mergeKeyRings(keys, theirs, NOW + 5).keys).toBe(keys)

    const tail = { ES256: DAY, RS256: DAY }
    const policy = { rotateAfter: 50 * DAY, publishAhead: DAY, tail }
    const fresh = [key('e3'), key('r3')]
    const rotated = advance(keys, NOW + 11 * DAY, policy, fresh).keys
    expect(states(rotated)).toMatchObject({ e1: 'previous', e2: 'current', e3: 'next' })
    expect(mergeKeyRings(rotated, theirs, NOW + 12 * DAY).keys).toBe(rotated)
  })

  test('into an empty ring is the other one', () => {
    expect(states(mergeKeyRings([], theirs, NOW).keys)).toEqual(states(theirs))
  })

  test('of the same ring, further on there, goes as far', () => {
    const further = [
      key('e1', 'previous', NOW - 5, LONG_AGO),
      key('r1', 'revoked', NOW - 5, LONG_AGO),
      key('e2', 'current', NOW - 5, LONG_AGO + DAY),
      key('r2', 'current', NOW - 5, LONG_AGO + DAY),
      key('e3', 'next', NOW - 5),
      key('r3', 'next', NOW - 5),
    ]
    const { keys, changes } = mergeKeyRings(theirs, further, NOW)
    expect(states(keys)).toEqual({ ...states(theirs), ...states(further) })
    expect(keys.find(({ kid }) => kid === 'e1')?.since).toBe(NOW - 5)
    expect(told(changes)).toEqual(['r1 revoked', 'e3 published', 'r3 published'])
    // And never back.
    expect(mergeKeyRings(keys, theirs, NOW).keys).toBe(keys)
  })

  test('does not bring back what was revoked and forgotten here since', () => {
    const since = [key('e2', 'current', NOW, LONG_AGO + DAY), key('r2', 'current', NOW, LONG_AGO + DAY)]
    expect(mergeKeyRings(since, theirs, NOW).keys).toBe(since)
    // What is newer than all that both have is new here.
    const newer = [...theirs, key('e9', 'next', NOW)]
    expect(states(mergeKeyRings(since, newer, NOW).keys)).toEqual({ ...states(since), e9: 'next' })
  })

  test('has one current and one next key of each algorithm, whatever both had', () => {
    const own = [key('e2', 'next', LONG_AGO), key('e9', 'current', NOW - 9), key('r9', 'current', NOW)]
    const other = [
      key('e2', 'current', NOW, LONG_AGO),
      key('e3', 'next', NOW - 4),
      key('e4', 'next', NOW - 3),
    ]
    const { keys } = mergeKeyRings(own, other, NOW)
    expect(states(keys)).toEqual({ e2: 'previous', e9: 'current', r9: 'current', e3: 'retired', e4: 'next' })
  })

  test('signs with a new key where all others were revoked', () => {
    const other = [key('e1', 'revoked'), key('r1', 'current')]
    const own = [key('e1', 'current'), key('r1', 'current')]
    expect(canSign(mergeKeyRings(own, other, NOW).keys)).toBe(false)
    const { keys, changes } = mergeKeyRings(own, other, NOW, [key('e2'), key('r2')])
    expect(states(keys)).toEqual({ e1: 'revoked', r1: 'current', e2: 'current', r2: 'next' })
    expect(told(changes)).toEqual(['e1 revoked', 'e2 published', 'e2 activated', 'r2 published'])
  })
})
