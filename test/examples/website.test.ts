import { describe, expect, it } from 'vitest'
import { localPath } from '../../examples/server/website.ts'

describe('next after sign-in', () => {
  const origin = 'http://localhost:3000'

  it.each([
    ['/auth/interaction/abc?x=1', '/auth/interaction/abc?x=1'],
    ['http://localhost:3000/auth/x', '/auth/x'],
    ['relative', '/relative'],
  ])('%s is followed', (next, expected) => {
    expect(localPath(next, origin)).toBe(expected)
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    'http://localhost:3001/',
    'http://localhost:3000@evil.example/',
    'javascript:alert(1)',
    'http://localhost:3000//evil.example',
    '/.//evil.example',
    '\t//evil.example',
    ['/a', '/b'],
    undefined,
    '',
  ])('%s ends at home', (next) => {
    expect(localPath(next, origin)).toBe('/')
  })
})
