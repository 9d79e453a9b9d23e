import { describe, expect, it } from 'vitest'
import { collectProblems, formatKey } from '../src/errors.ts'

describe('formatKey()', () => {
  it.each([
    [
      ['products', 'invoices', 'operations', 'invoices:read', 'route', 0],
      `products.invoices.operations['invoices:read'].route[0]`,
    ],
    [['texts', 'de-CH', 'title'], `texts['de-CH'].title`],
    [['a', ''], `a['']`],
    [['a', `it's "b" \\`], `a['it\\'s "b" \\\\']`],
    [['a', 'b\nc'], `a['b\\nc']`],
    [['secret', 1], 'secret[1]'],
  ])('formatKey() writes the keys of the path %j as JavaScript code does', (keys, path) => {
    expect(keys.map(formatKey).join('')).toBe(`.${path}`)
  })
})

describe('collectProblems()', () => {
  it('throwIfAny() throws one error with all added problems, and throws nothing if no problem was added', () => {
    const problems = collectProblems('ERR_OPTIONS', 'The options are not valid')
    expect(() => problems.throwIfAny()).not.toThrow()
    problems.add('issuer', { code: 'required', message: 'is required' })
    problems.add('secret[0]', 'is too short')
    expect(() => problems.throwIfAny()).toThrowError(
      expect.objectContaining({
        code: 'ERR_OPTIONS',
        message: 'The options are not valid:\n  - issuer: is required\n  - secret[0]: is too short',
        problems: [
          { path: 'issuer', code: 'required', message: 'is required' },
          { path: 'secret[0]', code: 'format', message: 'is too short' },
        ],
      }),
    )
  })
})
