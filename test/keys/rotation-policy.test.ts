import { describe, expect, it } from 'vitest'
import {
  advance,
  canSign,
  endOf,
  replenish,
  inState,
  missingNext,
  nextDue,
  partOf,
  revoke,
  rotate,
  retentionOf,
  type KeyState,
  type RingKey,
} from '../../src/keys/rotation-policy.ts'

const DAY = 86_400
const HOUR = 3600
const NOW = 1_800_000_000
const policy = {
  rotateAfter: 90 * DAY,
  publishAhead: DAY,
  tail: { ES256: retentionOf(10 * DAY), RS256: retentionOf(HOUR) },
}

const key = (kid: string, state: KeyState = 'next', since = NOW, createdAt = since): RingKey => ({
  kid,
  alg: kid.startsWith('r') ? 'RS256' : 'ES256',
  state,
  createdAt,
  since,
})
const states = (keys: readonly RingKey[]) => Object.fromEntries(keys.map(({ kid, state }) => [kid, state]))
const summaryOf = (changes: readonly { what: string; kid: string }[]) =>
  changes.map(({ what, kid }) => `${kid} ${what}`)

const ring = [key('e1', 'current'), key('r1', 'current'), key('e2'), key('r2')]

describe('a key', () => {
  it('a next key becomes current when the current key has signed for rotateAfter', () => {
    const before = advance(ring, NOW + 90 * DAY - 1, policy)
    expect(before).toEqual({ keys: ring, changes: [] })
    expect(before.keys).toBe(ring)
    const { keys, changes } = advance(ring, NOW + 90 * DAY, policy)
    expect(states(keys)).toEqual({ e1: 'previous', r1: 'previous', e2: 'current', r2: 'current' })
    expect(summaryOf(changes)).toEqual(['e2 activated', 'r2 activated'])
    for (const { since } of keys) expect(since).toBe(NOW + 90 * DAY)
  })

  it('a key never signs before it was published for publishAhead', () => {
    const late = [key('e1', 'current'), key('e2', 'next', NOW + 100 * DAY)]
    // The next key is published for a day and one more minute. In this minute all processes poll the ring.
    const rotationAt = NOW + 101 * DAY + 60
    expect(states(advance(late, rotationAt - 1, policy).keys)).toEqual({ e1: 'current', e2: 'next' })
    expect(states(advance(late, rotationAt, policy).keys)).toEqual({ e1: 'previous', e2: 'current' })
    const short = { ...policy, publishAhead: 2 }
    expect(nextDue(late, short)).toBe(NOW + 100 * DAY + 3)
  })

  it('a current key without a next key stays current', () => {
    const alone = [key('e1', 'current'), key('r1', 'current')]
    expect(advance(alone, NOW + 1000 * DAY, policy).keys).toBe(alone)
    expect(missingNext(alone)).toEqual(['ES256', 'RS256'])
    expect(nextDue(alone, policy)).toBe(Infinity)
  })

  it('the keys of ID tokens rotate independently of those of access tokens', () => {
    const own = [...ring.slice(0, 1), key('r1', 'current', NOW - 10 * DAY), ...ring.slice(2)]
    expect(states(advance(own, NOW + 80 * DAY, policy).keys)).toMatchObject({ e1: 'current', r1: 'previous' })
  })

  it('a previous key stays published until its tokens have expired, with a margin for clocks and stale processes', () => {
    const old = [...ring, key('e0', 'previous'), key('r0', 'previous')]
    const hour = NOW + HOUR + HOUR + 120
    expect(advance(old, hour - 1, policy).keys).toBe(old)
    expect(summaryOf(advance(old, hour, policy).changes)).toEqual(['r0 retired'])
    const days = NOW + 10 * DAY + HOUR + 120
    expect(states(advance(old, days - 1, policy).keys)['e0']).toBe('previous')
    expect(summaryOf(advance(old, days, policy).changes)).toEqual(['e0 retired', 'r0 retired'])
  })

  it('a key keeps its private part only as long as the private part is needed', () => {
    const parts = (['next', 'current', 'previous', 'retired', 'revoked'] as const).map((state) => [
      partOf(key('e', state)),
      partOf(key('r', state)),
    ])
    expect(parts).toEqual([
      ['private', 'private'],
      ['private', 'private'],
      ['public', 'private'],
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('only the last five retired keys of an algorithm are listed', () => {
    const retired = Array.from({ length: 7 }, (_, n) => key(`e-${n}`, 'retired'))
    const { keys, changes } = advance([...retired, ...ring, key('r-0', 'retired')], NOW + 1, policy)
    expect(inState(keys, 'retired').map(({ kid }) => kid)).toEqual(['e-2', 'e-3', 'e-4', 'e-5', 'e-6', 'r-0'])
    expect(changes).toEqual([])
  })
})

describe('new keys', () => {
  it('new keys are published only where a next key is missing', () => {
    const { keys, changes } = replenish(ring.slice(0, 3), NOW + 5, [
      key('e3', 'next', 0),
      key('r3', 'next', 0),
    ])
    expect(states(keys)).toEqual({ e1: 'current', r1: 'current', e2: 'next', r3: 'next' })
    expect(keys.at(-1)).toMatchObject({ kid: 'r3', createdAt: NOW + 5, since: NOW + 5 })
    expect(summaryOf(changes)).toEqual(['r3 published'])
    expect(replenish(keys, NOW + 6, [key('e4'), key('r4')]).keys).toBe(keys)
  })

  it('a new key signs at once if no other key can sign', () => {
    const { keys, changes } = replenish<RingKey>([], NOW, [key('e1', 'next', 0), key('r1', 'next', 0)])
    expect(states(keys)).toEqual({ e1: 'current', r1: 'current' })
    expect(summaryOf(changes)).toEqual(['e1 published', 'e1 activated', 'r1 published', 'r1 activated'])
    expect(canSign(keys)).toBe(true)
    expect(canSign([])).toBe(false)
    expect(canSign([key('e1', 'current'), key('r1', 'previous')])).toBe(false)
  })

  it('a new next key is published in the same write that activates the old next key', () => {
    const { keys, changes } = advance(ring, NOW + 90 * DAY, policy, [key('e3'), key('r3')])
    expect(states(keys)).toMatchObject({ e2: 'current', r2: 'current', e3: 'next', r3: 'next' })
    expect(summaryOf(changes)).toEqual(['e2 activated', 'e3 published', 'r2 activated', 'r3 published'])
  })
})

describe('rotating now', () => {
  it('a rotation activates the next keys and publishes new next keys', () => {
    const { keys, changes } = rotate(ring, NOW + 1, [key('e3'), key('r3')], ['e1', 'r1'])
    expect(states(keys)).toEqual({
      e1: 'previous',
      r1: 'previous',
      e2: 'current',
      r2: 'current',
      e3: 'next',
      r3: 'next',
    })
    expect(summaryOf(changes)).toEqual(['e2 activated', 'e3 published', 'r2 activated', 'r3 published'])
  })

  it('concurrent requests for a rotation make one rotation', () => {
    const { keys } = rotate(ring, NOW + 1, [key('e3'), key('r3')], ['e1', 'r1'])
    expect(rotate(keys, NOW + 2, [key('e4'), key('r4')], ['e1', 'r1']).keys).toBe(keys)
  })

  it('a rotation without a next key activates a new key', () => {
    const { keys } = rotate(ring.slice(0, 2), NOW + 1, [key('e3'), key('r3')], ['e1', 'r1'])
    expect(states(keys)).toEqual({ e1: 'previous', r1: 'previous', e3: 'current', r3: 'current' })
  })
})

describe('revoking', () => {
  it('revoking the current key activates the next key of its algorithm and changes no other key', () => {
    const { keys, changes } = revoke(ring, NOW + 1, [], 'e1')
    expect(states(keys)).toEqual({ e1: 'revoked', r1: 'current', e2: 'current', r2: 'next' })
    expect(summaryOf(changes)).toEqual(['e1 revoked', 'e2 activated'])
    expect(missingNext(keys)).toEqual(['ES256'])
  })

  it('revoking the current key activates a new key if there is no next key', () => {
    const { keys, changes } = revoke(ring.slice(0, 2), NOW + 1, [key('e3')], 'e1')
    expect(states(keys)).toEqual({ e1: 'revoked', r1: 'current', e3: 'current' })
    expect(summaryOf(changes)).toEqual(['e1 revoked', 'e3 published', 'e3 activated'])
  })

  it.each(['previous', 'next', 'retired'] as const)('revoking a %s key activates no other key', (state) => {
    const { keys, changes } = revoke([...ring.slice(0, 2), key('e9', state)], NOW + 1, [], 'e9')
    expect(states(keys)).toEqual({ e1: 'current', r1: 'current', e9: 'revoked' })
    expect(summaryOf(changes)).toEqual(['e9 revoked'])
  })

  it('revoking a key again, or an unknown key, changes nothing', () => {
    const { keys } = revoke(ring, NOW + 1, [], 'r2')
    expect(revoke(keys, NOW + 2, [], 'r2').keys).toBe(keys)
    expect(revoke(keys, NOW + 2, [], 'e99').keys).toBe(keys)
  })

  it('a revoked key is listed until its last token has expired', () => {
    const { keys } = revoke(ring, NOW, [], 'e2')
    const end = NOW + 10 * DAY + HOUR + 120
    expect(states(advance(keys, end - 1, policy).keys)['e2']).toBe('revoked')
    expect(states(advance(keys, end, policy).keys)).not.toHaveProperty('e2')
  })
})

it('the next change is due at the earliest time at which the state of a key ends', () => {
  const all = [...ring, key('e0', 'previous'), key('ex', 'revoked'), key('ey', 'retired')]
  const ends = all.map((one) => endOf(all, one, policy))
  const [rotationAt, access] = [NOW + 90 * DAY, NOW + 10 * DAY + HOUR + 120]
  expect(ends).toEqual([rotationAt, rotationAt, rotationAt, rotationAt, access, access, undefined])
  expect(nextDue(all, policy)).toBe(access)
  expect(endOf([key('e2')], key('e2'), policy)).toBeUndefined()
})
