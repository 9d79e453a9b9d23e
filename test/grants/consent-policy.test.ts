import { describe, expect, it } from 'vitest'
import {
  decide,
  isConsentNeeded,
  isPreselected,
  mergeConsent,
  scopeStatus,
} from '../../src/grants/consent-policy.ts'

const nothing = { granted: [], denied: [] }
const remembered = { granted: ['openid', 'a', 'b'], denied: ['c'] }

describe('whether consent is needed', () => {
  it.each([
    ['the first time', ['a'], nothing, false, true],
    ['when everything was granted before', ['a', 'b'], remembered, false, false],
    ['for something new', ['a', 'd'], remembered, false, true],
    ['for what was denied and is asked for again', ['a', 'c'], remembered, false, true],
    ['with prompt=consent, whatever was granted', ['a'], remembered, true, true],
    ['when nothing is asked for', [], nothing, false, false],
    [
      'when a record holds a scope as granted and as denied',
      ['a'],
      { granted: ['a'], denied: ['a'] },
      false,
      true,
    ],
  ])('%s', (_name, requested, before, promptConsent, expected) => {
    expect(isConsentNeeded({ requested, stored: before, promptConsent })).toBe(expected)
  })
})

describe('what the page proposes', () => {
  it.each([
    ['a', 'granted', true],
    ['c', 'denied', false],
    ['d', 'new', true],
  ])('%s was %s: ticked %s', (scope, standing, isTicked) => {
    expect(scopeStatus(scope, remembered)).toBe(standing)
    expect(isPreselected(scope, remembered)).toBe(isTicked)
  })
})

describe('a decision', () => {
  it('grants what is ticked and denies the rest, in the order of the request', () => {
    expect(decide(['b', 'a', 'c'], ['c', 'b'])).toEqual({ granted: ['b', 'c'], denied: ['a'] })
  })

  it('gives nothing that was not asked for', () => {
    expect(decide(['a'], ['a', 'admin', '__proto__', 'openid'])).toEqual({ granted: ['a'], denied: [] })
  })

  it('always grants openid where it is asked for; profile and email can be denied', () => {
    expect(decide(['openid', 'profile', 'email'], ['email'])).toEqual({
      granted: ['openid', 'email'],
      denied: ['profile'],
    })
  })

  it('may grant nothing', () => {
    expect(decide(['a'], [])).toEqual({ granted: [], denied: ['a'] })
  })
})

describe('what is remembered', () => {
  it('replaces what was known of the scopes decided about, and nothing else', () => {
    expect(mergeConsent(remembered, { granted: ['c', 'd'], denied: ['a'] })).toEqual({
      granted: ['openid', 'b', 'c', 'd'],
      denied: ['a'],
    })
  })

  it('holds each scope once, on one side', () => {
    const merged = mergeConsent(remembered, { granted: ['a', 'a'], denied: ['c'] })
    expect(merged).toEqual({ granted: ['openid', 'a', 'b'], denied: ['c'] })
  })

  it('makes the next request of the same scopes silent, unless something was denied', () => {
    const requested = ['a', 'b']
    const all = mergeConsent(nothing, decide(requested, requested))
    expect(isConsentNeeded({ requested, stored: all, promptConsent: false })).toBe(false)
    const part = mergeConsent(nothing, decide(requested, ['a']))
    expect(isConsentNeeded({ requested, stored: part, promptConsent: false })).toBe(true)
    expect(isConsentNeeded({ requested: ['a'], stored: part, promptConsent: false })).toBe(false)
  })

  it('changes neither of what it was given', () => {
    const frozen = { granted: Object.freeze(['a']), denied: Object.freeze(['b']) }
    mergeConsent(frozen, { granted: ['b'], denied: ['a'] })
    expect(frozen).toEqual({ granted: ['a'], denied: ['b'] })
  })
})
