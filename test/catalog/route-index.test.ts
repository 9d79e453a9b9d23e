import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRoute, type Route } from '../../src/catalog/route.ts'
import { createRouteIndex } from '../../src/catalog/route-index.ts'

function indexOf(...routes: string[]) {
  const index = createRouteIndex<{ text: string }>()
  const added = routes.map((text) => {
    const { method, segments } = parseRoute(text) as Route
    return index.add(method, segments, { text })
  })
  return { added, find: (method: string, path: string) => index.find(method, path)?.text }
}

describe('createRouteIndex', () => {
  it('prefers what is written to a parameter, whatever was added first', () => {
    const { find } = indexOf('GET /invoices/:id', 'GET /invoices/list')
    expect(find('GET', '/invoices/list')).toBe('GET /invoices/list')
    expect(find('GET', '/invoices/lis')).toBe('GET /invoices/:id')
  })

  it('goes back to the parameter where the written segment leads nowhere', () => {
    const { find } = indexOf('GET /a/b/c', 'GET /:x/b/d', 'GET /:x/:y/e')
    expect(find('GET', '/a/b/c')).toBe('GET /a/b/c')
    expect(find('GET', '/a/b/d')).toBe('GET /:x/b/d')
    expect(find('GET', '/a/b/e')).toBe('GET /:x/:y/e')
    expect(find('GET', '/a/b/f')).toBeUndefined()
  })

  it('prefers what is written from left to right', () => {
    const { find } = indexOf('GET /:x/list', 'GET /a/:y')
    expect(find('GET', '/a/list')).toBe('GET /a/:y')
    expect(find('GET', '/b/list')).toBe('GET /:x/list')
  })

  it('keeps the first of two values at one route, and says so', () => {
    const { added, find } = indexOf('GET /:a', 'GET /:b')
    expect(added).toEqual([undefined, { text: 'GET /:a' }])
    expect(find('GET', '/x')).toBe('GET /:a')
  })

  it('folds ASCII letters alone: İ, ſ and the Kelvin sign are nobody’s i, s and k', () => {
    const { find } = indexOf('GET /kiss', 'GET /a/:x/secret')
    expect(find('GET', '/KISS')).toBe('GET /kiss')
    expect(find('GET', '/\u212aiss')).toBeUndefined()
    expect(find('GET', '/ki\u017f\u017f')).toBeUndefined()
    expect(find('GET', '/k\u0130ss')).toBeUndefined()
    // Its lower case is longer than itself, which has misled routers about where a segment ends.
    expect(find('GET', '/a/\u0130\u0130\u0130/secret')).toBe('GET /a/:x/secret')
  })

  it('agrees with a naive matcher on any text, taking every character literally', () => {
    const special = fc.constantFrom(
      ...Array.from('?;#%:*()\\"{} .+@&=~'),
      '%2F',
      '%2e',
      '..',
      'İ',
      'é',
      '\u0000',
    )
    const segment = fc.oneof(
      fc.constantFrom('a', 'b', 'A', 'list', 'a%b', 'a?b', 'a;b', 'a#b', ':a', '%41', ''),
      fc
        .array(fc.oneof(special, fc.constantFrom('a', 'b', 'B')), { minLength: 1, maxLength: 4 })
        .map((p) => p.join('')),
    )
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`)
    const pattern = fc.array(
      fc.oneof(
        segment.filter((text) => text !== '').map((text) => ({ literal: lower(text) })),
        fc.constantFrom('x', 'y').map((parameter) => ({ parameter })),
      ),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 8 }),
        path,
        fc.nat(),
        (patterns, anyPath, pick) => {
          const index = createRouteIndex<{ pattern: Pattern }>()
          for (const one of patterns) index.add('GET', one, { pattern: one })
          // Half of the paths are made from a pattern, lest nothing ever match.
          const chosen = patterns[pick % patterns.length]!
          const fitting = `/${chosen.map((s) => ('literal' in s ? s.literal : 'p?#;%')).join('/')}`
          for (const subject of [anyPath, fitting, `${fitting}/`, fitting.toUpperCase()]) {
            expect(index.find('GET', subject)?.pattern).toEqual(naiveFind(patterns, subject))
          }
        },
      ),
      { numRuns: 2000 },
    )
  })
})

type Pattern = readonly ({ literal: string } | { parameter: string })[]

function lower(text: string): string {
  return Array.from(text, (c) => (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c)).join('')
}

/** Compares each pattern with the path, and takes the one whose parameters come last. */
function naiveFind(patterns: readonly Pattern[], path: string): Pattern | undefined {
  const segments = path.slice(1).split('/').map(lower)
  if (segments.at(-1) === '') segments.pop()
  const fitting = patterns.filter(
    (pattern) =>
      pattern.length === segments.length &&
      pattern.every((part, i) => segments[i] !== '' && ('parameter' in part || part.literal === segments[i])),
  )
  const rank = (pattern: Pattern) => pattern.map((part) => ('parameter' in part ? '1' : '0')).join('')
  const best = fitting.map(rank).toSorted()[0]
  return fitting.find((pattern) => rank(pattern) === best)
}
