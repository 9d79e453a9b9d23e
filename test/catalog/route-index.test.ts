import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldText } from '../../src/catalog/fold-text.ts'
import { parseRoute, type Route } from '../../src/catalog/route.ts'
import { createRouteIndex } from '../../src/catalog/route-index.ts'

function indexOf(...routes: string[]) {
  const index = createRouteIndex<{ text: string }>()
  const added = routes.map((text) => {
    const { method, segments } = parseRoute(text) as Route
    return index.add(method, segments, { text })
  })
  return {
    added,
    find: (method: string, path: string) => index.find(method, path)?.text,
    findAll: (method: string, path: string) => index.findAll(method, path).map(({ text }) => text),
  }
}

describe('createRouteIndex', () => {
  it('a literal segment has precedence over a parameter, in any order of adding', () => {
    const { find } = indexOf('GET /invoices/:id', 'GET /invoices/list')
    expect(find('GET', '/invoices/list')).toBe('GET /invoices/list')
    expect(find('GET', '/invoices/lis')).toBe('GET /invoices/:id')
  })

  it('a parameter matches a segment if the equal literal segment leads to no route', () => {
    const { find } = indexOf('GET /a/b/c', 'GET /:x/b/d', 'GET /:x/:y/e')
    expect(find('GET', '/a/b/c')).toBe('GET /a/b/c')
    expect(find('GET', '/a/b/d')).toBe('GET /:x/b/d')
    expect(find('GET', '/a/b/e')).toBe('GET /:x/:y/e')
    expect(find('GET', '/a/b/f')).toBeUndefined()
  })

  it('literal segments have precedence from left to right', () => {
    const { find } = indexOf('GET /:x/list', 'GET /a/:y')
    expect(find('GET', '/a/list')).toBe('GET /a/:y')
    expect(find('GET', '/b/list')).toBe('GET /:x/list')
  })

  it('when a route is added twice, the first value stays, and add returns the first value', () => {
    const { added, find } = indexOf('GET /:a', 'GET /:b')
    expect(added).toEqual([undefined, { text: 'GET /:a' }])
    expect(find('GET', '/x')).toBe('GET /:a')
  })

  it('the index finds no route for a path that routers with Unicode folding would match to a different route', () => {
    const { find, findAll } = indexOf('GET /kiss', 'GET /a/:x/secret', 'GET /items/keys', 'GET /items/:id')
    expect(find('GET', '/KISS')).toBe('GET /kiss')
    for (const path of ['/\u212aiss', '/ki\u017f\u017f', '/k\u0131ss', '/k\u0130ss', '/\uff4biss']) {
      expect(find('GET', path), path).toBeUndefined()
      expect(findAll('GET', path), path).toEqual(['GET /kiss'])
    }
    expect(find('GET', '/items/\u212aeys')).toBeUndefined()
    expect(findAll('GET', '/items/\u212aeys')).toEqual(['GET /items/:id', 'GET /items/keys'])
    expect(findAll('GET', '/items/caf\u00c9')).toEqual(['GET /items/:id'])
    expect(find('GET', '/items/caf\u00c9')).toBe('GET /items/:id')
    expect(find('GET', '/items/a\uff0fb')).toBeUndefined()
    // The lower-case form of `\u0130` is longer, so a wrong index could cut the segment at the wrong end.
    expect(find('GET', '/a/\u0130\u0130\u0130/secret')).toBe('GET /a/:x/secret')
  })

  it('the index finds no route for an ASCII path that matches one route and is equal to a different route after folding', () => {
    const { find, findAll } = indexOf('GET /stra\u00dfe', 'GET /:street')
    expect(find('GET', '/stra\u00dfe')).toBe('GET /stra\u00dfe')
    expect(find('GET', '/strasse')).toBeUndefined()
    expect(findAll('GET', '/strasse')).toEqual(['GET /:street', 'GET /stra\u00dfe'])
    expect(find('GET', '/street')).toBe('GET /:street')
  })

  it('the index finds no route for a path that case-sensitive routers would match to a different route', () => {
    const { find, findAll } = indexOf(
      'GET /items/keys',
      'GET /items/:id',
      'GET /Banks/Keys',
      'GET /:bank/keys',
    )
    expect(find('GET', '/items/keys')).toBe('GET /items/keys')
    expect(find('GET', '/items/KEYS')).toBeUndefined()
    expect(findAll('GET', '/items/KEYS')).toEqual(['GET /items/keys', 'GET /items/:id'])
    expect(find('GET', '/banks/keys')).toBeUndefined()
    expect(find('GET', '/Banks/Keys')).toBe('GET /Banks/Keys')
    // Case-sensitive routers find no route at `/ITEMS/keys`.
    expect(find('GET', '/ITEMS/keys')).toBeUndefined()
    expect(find('GET', '/ITEMS/7')).toBe('GET /items/:id')
    expect(find('GET', '/items/INV-7')).toBe('GET /items/:id')
  })

  it('two routes that differ only in folded characters are one route', () => {
    expect(indexOf('GET /gr\u00f6\u00dfe', 'GET /GR\u00d6SSE').added).toEqual([
      undefined,
      { text: 'GET /gr\u00f6\u00dfe' },
    ])
  })

  it('the index finds the same routes as a naive matcher, and takes every character literally', () => {
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
        segment.filter((text) => text !== '').map((text) => ({ literal: text })),
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
          const added = patterns.filter((one) => index.add('GET', one, { pattern: one }) === undefined)
          // Three of four paths are made from a pattern, so that some paths match.
          const chosen = patterns[pick % patterns.length]!
          const fitting = `/${chosen.map((s) => ('literal' in s ? s.literal : 'p?#;%')).join('/')}`
          for (const subject of [anyPath, fitting, `${fitting}/`, fitting.toUpperCase()]) {
            const written = naiveFind(added, subject, lower)
            const folded = naiveFind(added, subject, foldText)
            const strict = naiveFind(added, subject, (text) => text)
            const agree = written === folded && (strict === undefined || strict === written)
            expect(index.find('GET', subject)?.pattern).toBe(agree ? written : undefined)
            const all = new Set([written, folded, strict].filter((pattern) => pattern !== undefined))
            expect(new Set(index.findAll('GET', subject).map(({ pattern }) => pattern))).toEqual(all)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

type Pattern = readonly ({ literal: string } | { parameter: string })[]

function lower(text: string): string {
  return Array.from(text, (c) => (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c)).join('')
}

/**
 * Compares each pattern with the path. Of the matching patterns, returns the pattern with literal segments
 * furthest to the left.
 */
function naiveFind(
  patterns: readonly Pattern[],
  path: string,
  fold: (text: string) => string,
): Pattern | undefined {
  const segments = path.slice(1).split('/').map(fold)
  if (segments.at(-1) === '') segments.pop()
  const fitting = patterns.filter(
    (pattern) =>
      pattern.length === segments.length &&
      pattern.every(
        (part, i) => segments[i] !== '' && ('parameter' in part || fold(part.literal) === segments[i]),
      ),
  )
  const rank = (pattern: Pattern) => pattern.map((part) => ('parameter' in part ? '1' : '0')).join('')
  const best = fitting.map(rank).toSorted()[0]
  return fitting.find((pattern) => rank(pattern) === best)
}
