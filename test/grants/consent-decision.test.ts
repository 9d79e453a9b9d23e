import { describe, expect, it } from 'vitest'
import { decide } from '../../src/grants/consent-decision.ts'

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
