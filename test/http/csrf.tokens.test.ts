import { describe, expect, it } from 'vitest'
import { createCsrfTokens } from '../../src/http/csrf.ts'

const key = new Uint8Array(32).fill(1)
const csrf = createCsrfTokens([key])

describe('CSRF tokens', () => {
  it('a CSRF token is valid for its binding', () => {
    expect(csrf.isValid(csrf.issue('uid', 'alice', undefined), 'uid', 'alice', undefined)).toBe(true)
    expect(createCsrfTokens([key]).isValid(csrf.issue('uid'), 'uid')).toBe(true)
  })

  it('a CSRF token has other bytes each time, so that the size of a compressed page tells nothing about it', () => {
    const [one, other] = [csrf.issue('uid'), csrf.issue('uid')].map((token) =>
      Buffer.from(token, 'base64url'),
    )
    expect(one).toHaveLength(64)
    expect(one?.filter((byte, at) => byte === other?.[at]).length).toBeLessThan(8)
  })

  it('a CSRF token is valid for no other binding', () => {
    for (const binding of [
      ['uid', 'bob'],
      ['other', 'alice'],
      ['uid', 'alice', ''],
      ['uid', 'alice', undefined],
      ['uidalice'],
      ['ui', 'dalice'],
      ['uid'],
      [],
    ]) {
      expect([binding, csrf.isValid(csrf.issue('uid', 'alice'), ...binding)]).toEqual([binding, false])
    }
  })

  it('a CSRF token is not valid under another key', () => {
    expect(createCsrfTokens([new Uint8Array(32).fill(2)]).isValid(csrf.issue('uid'), 'uid')).toBe(false)
  })

  it('CSRF tokens are issued with the newest key, and are valid under all keys (fixed bug: a form that was made before a key rotation was rejected)', () => {
    const newest = new Uint8Array(32).fill(2)
    const rotated = createCsrfTokens([newest, key])
    expect(rotated.isValid(csrf.issue('uid'), 'uid')).toBe(true)
    expect(rotated.isValid(csrf.issue('uid'), 'other')).toBe(false)
    expect(createCsrfTokens([newest]).isValid(rotated.issue('uid'), 'uid')).toBe(true)
    expect(csrf.isValid(rotated.issue('uid'), 'uid')).toBe(false)
    expect(() => createCsrfTokens([])).toThrow(TypeError)
  })

  it('any other text is no CSRF token', () => {
    const others = [null, '', 'x', 'ä', 'A'.repeat(43), 'A'.repeat(86), 'A'.repeat(10_000)]
    expect(others.filter((token) => csrf.isValid(token, 'uid'))).toEqual([])
  })
})
