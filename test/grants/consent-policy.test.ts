import { describe, expect, it } from 'vitest'
import {
  decide,
  isConsentNeeded,
  isPreselected,
  mergeConsent,
  scopeStatus,
} from '../../src/grants/consent-policy.ts'

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

describe('isPreselected()', () => {
  it.each([
    ['a', 'granted', true],
    ['c', 'denied', false],
    ['d', 'new', true],
  ])('isPreselected() of the scope %s with the status %s is %s', (scope, status, expected) => {
    expect(scopeStatus(scope, stored)).toBe(status)
    expect(isPreselected(scope, stored)).toBe(expected)
  })
})

describe('decide()', () => {
  it('a decision grants the checked scopes and denies the unchecked scopes, in the order of the request', () => {
    expect(decide(['b', 'a', 'c'], ['c', 'b'])).toEqual({ granted: ['b', 'c'], denied: ['a'] })
  })

  it('a decision grants no scope that was not requested', () => {
    expect(decide(['a'], ['a', 'admin', '__proto__', 'openid'])).toEqual({ granted: ['a'], denied: [] })
  })

  it('a decision always grants a requested openid, while profile and email can be denied', () => {
    expect(decide(['openid', 'profile', 'email'], ['email'])).toEqual({
      granted: ['openid', 'email'],
      denied: ['profile'],
    })
  })

  it('an approval without a granted scope is no decision', () => {
    expect(decide(['a'], [])).toBeUndefined()
  })
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
