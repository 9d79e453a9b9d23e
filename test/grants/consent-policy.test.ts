import { describe, expect, it } from 'vitest'
import {
  decide,
  isConsentNeeded,
  isPreselected,
  mergeConsent,
  scopeStatus,
} from '../../src/grants/consent-policy.ts'

const nothing = { granted: [], refused: [] }
const remembered = { granted: ['openid', 'a', 'b'], refused: ['c'] }

describe('whether consent is needed', () => {
  it.each([
    ['the first time', ['a'], nothing, false, true],
    ['when everything was granted before', ['a', 'b'], remembered, false, false],
    ['for something new', ['a', 'd'], remembered, false, true],
    ['for what was refused and is asked for again', ['a', 'c'], remembered, false, true],
    ['with prompt=consent, whatever was granted', ['a'], remembered, true, true],
    ['when nothing is asked for', [], nothing, false, false],
    [
      'when a record holds a scope as granted and as refused',
      ['a'],
      { granted: ['a'], refused: ['a'] },
      false,
      true,
    ],
  ])('%s', (_name, requested, before, promptConsent, expected) => {
    expect(isConsentNeeded({ requested, remembered: before, promptConsent })).toBe(expected)
  })
})

describe('what the page proposes', () => {
  it.each([
    ['a', 'granted', true],
    ['c', 'refused', false],
    ['d', 'new', true],
  ])('%s was %s: ticked %s', (scope, standing, isTicked) => {
    expect(scopeStatus(scope, remembered)).toBe(standing)
    expect(isPreselected(scope, remembered)).toBe(isTicked)
  })
})

describe('a decision', () => {
  it('grants what is ticked and refuses the rest, in the order of the request', () => {
    expect(decide(['b', 'a', 'c'], ['c', 'b'])).toEqual({ granted: ['b', 'c'], refused: ['a'] })
  })

  it('gives nothing that was not asked for', () => {
    expect(decide(['a'], ['a', 'admin', '__proto__', 'openid'])).toEqual({ granted: ['a'], refused: [] })
  })

  it('always grants openid where it is asked for; profile and email can be refused', () => {
    expect(decide(['openid', 'profile', 'email'], ['email'])).toEqual({
      granted: ['openid', 'email'],
      refused: ['profile'],
    })
  })

  it('may grant nothing', () => {
    expect(decide(['a'], [])).toEqual({ granted: [], refused: ['a'] })
  })
})

describe('what is remembered', () => {
  it('replaces what was known of the scopes decided about, and nothing else', () => {
    expect(mergeConsent(remembered, { granted: ['c', 'd'], refused: ['a'] })).toEqual({
      granted: ['openid', 'b', 'c', 'd'],
      refused: ['a'],
    })
  })

  it('holds each scope once, on one side', () => {
    const merged = mergeConsent(remembered, { granted: ['a', 'a'], refused: ['c'] })
    expect(merged).toEqual({ granted: ['openid', 'a', 'b'], refused: ['c'] })
  })

  it('makes the next request of the same scopes silent, unless something was refused', () => {
    const requested = ['a', 'b']
    const all = mergeConsent(nothing, decide(requested, requested))
    expect(isConsentNeeded({ requested, remembered: all, promptConsent: false })).toBe(false)
    const part = mergeConsent(nothing, decide(requested, ['a']))
    expect(isConsentNeeded({ requested, remembered: part, promptConsent: false })).toBe(true)
    expect(isConsentNeeded({ requested: ['a'], remembered: part, promptConsent: false })).toBe(false)
  })

  it('changes neither of what it was given', () => {
    const frozen = { granted: Object.freeze(['a']), refused: Object.freeze(['b']) }
    mergeConsent(frozen, { granted: ['b'], refused: ['a'] })
    expect(frozen).toEqual({ granted: ['a'], refused: ['b'] })
  })
})
