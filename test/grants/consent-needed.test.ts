import { describe, expect, it } from 'vitest'
import { decide, mergeConsent } from '../../src/grants/consent-decision.ts'
import { isConsentNeeded, scopeStatus } from '../../src/grants/consent-needed.ts'

const nothing = { granted: [], denied: [] }
const stored = { granted: ['openid', 'a', 'b'], denied: ['c'] }

describe('isConsentNeeded()', () => {
  it.each([
    ['is true if nothing was decided before', ['a'], nothing, true],
    ['is false when everything was granted before', ['a', 'b'], stored, false],
    ['is true for a new scope', ['a', 'd'], stored, true],
    ['is true for a denied scope that is requested again', ['a', 'c'], stored, true],
    ['is false when nothing is requested', [], nothing, false],
    [
      'is true when a record holds a scope as granted and as denied',
      ['a'],
      { granted: ['a'], denied: ['a'] },
      true,
    ],
  ])('isConsentNeeded() %s', (_name, requested, before, expected) => {
    expect(isConsentNeeded(requested, before)).toBe(expected)
  })
})

it('a request can demand consent, and an application of the host needs none otherwise', () => {
  const everything = { isDemanded: true, isFirstParty: true }
  expect(isConsentNeeded(['a'], nothing, { isFirstParty: true })).toBe(false)
  expect(isConsentNeeded(['a'], stored, { isDemanded: true })).toBe(true)
  expect(isConsentNeeded(['a'], stored, everything)).toBe(true)
})

it.each([
  ['a', 'granted'],
  ['c', 'denied'],
  ['d', 'new'],
])('the scope %s has the status %s', (scope, status) => {
  expect(scopeStatus(scope, stored)).toBe(status)
})

describe('mergeConsent()', () => {
  it('mergeConsent() replaces the stored consent for the scopes of the decision, and for no other scope', () => {
    expect(mergeConsent(stored, { granted: ['c', 'd'], denied: ['a'] })).toEqual({
      granted: ['openid', 'b', 'c', 'd'],
      denied: ['a'],
    })
  })

  it('stored consent holds each scope once, as granted or as denied', () => {
    const merged = mergeConsent(stored, { granted: ['a', 'a'], denied: ['c'] })
    expect(merged).toEqual({ granted: ['openid', 'a', 'b'], denied: ['c'] })
  })

  it('the next request of the same scopes needs no consent, unless a scope was denied', () => {
    const requested = ['a', 'b']
    const all = mergeConsent(nothing, decide(requested, requested)!)
    expect(isConsentNeeded(requested, all)).toBe(false)
    const part = mergeConsent(nothing, decide(requested, ['a'])!)
    expect(isConsentNeeded(requested, part)).toBe(true)
    expect(isConsentNeeded(['a'], part)).toBe(false)
  })

  it('mergeConsent() changes neither of its arguments', () => {
    const frozen = { granted: Object.freeze(['a']), denied: Object.freeze(['b']) }
    mergeConsent(frozen, { granted: ['b'], denied: ['a'] })
    expect(frozen).toEqual({ granted: ['a'], denied: ['b'] })
  })
})
