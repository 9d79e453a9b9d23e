import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { createCsrfTokens, isSameOrigin } from '../../src/http/csrf.ts'

const key = new Uint8Array(32).fill(1)
const csrf = createCsrfTokens([key])

describe('CSRF tokens', () => {
  it('hold for the binding that they were issued for', () => {
    expect(csrf.isValid(csrf.issue('uid', 'alice', undefined), 'uid', 'alice', undefined)).toBe(true)
    expect(createCsrfTokens([key]).isValid(csrf.issue('uid'), 'uid')).toBe(true)
  })

  it.each([
    [['uid', 'bob']],
    [['other', 'alice']],
    [['uid', 'alice', '']],
    [['uid', 'alice', undefined]],
    [['uidalice']],
    [['ui', 'dalice']],
    [['uid']],
    [[]],
  ])('hold for no other: %j', (binding) => {
    expect(csrf.isValid(csrf.issue('uid', 'alice'), ...binding)).toBe(false)
  })

  it('do not hold under another key', () => {
    expect(createCsrfTokens([new Uint8Array(32).fill(2)]).isValid(csrf.issue('uid'), 'uid')).toBe(false)
  })

  it('hold under each of several keys; the newest issues (bug: a form from before a rotation was rejected)', () => {
    const newest = new Uint8Array(32).fill(2)
    const rotated = createCsrfTokens([newest, key])
    expect(rotated.isValid(csrf.issue('uid'), 'uid')).toBe(true)
    expect(rotated.isValid(csrf.issue('uid'), 'other')).toBe(false)
    expect(createCsrfTokens([newest]).isValid(rotated.issue('uid'), 'uid')).toBe(true)
    expect(csrf.isValid(rotated.issue('uid'), 'uid')).toBe(false)
    expect(() => createCsrfTokens([])).toThrow(TypeError)
  })

  it.each([null, '', 'x', 'ä', 'A'.repeat(43), 'A'.repeat(10_000)])('%j is none', (token) => {
    expect(csrf.isValid(token, 'uid')).toBe(false)
  })
})

describe('isSameOrigin', () => {
  const origin = 'https://example.com'
  const said = (headers: Record<string, string>) =>
    ({ get: (name: string) => headers[name] ?? '' }) as Context

  it.each([
    [{}, true],
    [{ 'Sec-Fetch-Site': 'same-origin' }, true],
    [{ Origin: origin }, true],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: origin }, true],
    [{ 'Sec-Fetch-Site': 'same-site' }, false],
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: origin }, false],
    [{ 'Sec-Fetch-Site': 'none' }, false],
    [{ Origin: 'null' }, false],
    [{ Origin: 'https://example.com.evil.example' }, false],
    [{ Origin: 'http://example.com' }, false],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' }, false],
  ])('%j: %s', (headers, expected) => {
    expect(isSameOrigin(said(headers), origin)).toBe(expected)
  })
})
