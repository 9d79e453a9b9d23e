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

  it('finds nothing where routers that fold Unicode would find another route', () => {
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
    // Its lower case is longer than itself, which has misled routers about where a segment ends.
    expect(find('GET', '/a/\u0130\u0130\u0130/secret')).toBe('GET /a/:x/secret')
  })

  it('finds nothing at an ASCII path to which another route folds', () => {
    const { find, findAll } = indexOf('GET /stra\u00dfe', 'GET /:street')
    expect(find('GET', '/stra\u00dfe')).toBe('GET /stra\u00dfe')
    expect(find('GET', '/strasse')).toBeUndefined()
    expect(findAll('GET', '/strasse')).toEqual(['GET /:street', 'GET /stra\u00dfe'])
    expect(find('GET', '/street')).toBe('GET /:street')
  })

  it('finds nothing where routers that tell letter case apart would find another route', () => {
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
    // There they find nothing.
    expect(find('GET', '/ITEMS/keys')).toBeUndefined()
    expect(find('GET', '/ITEMS/7')).toBe('GET /items/:id')
    expect(find('GET', '/items/INV-7')).toBe('GET /items/:id')
  })

  it('takes two routes for one that differ only in what routers fold', () => {
    expect(indexOf('GET /gr\u00f6\u00dfe', 'GET /GR\u00d6SSE').added).toEqual([
      undefined,
      { text: 'GET /gr\u00f6\u00dfe' },
    ])
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
          // Half of the paths are made from a pattern, lest nothing ever match.
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
      { numRuns: 2000 },
    )
  })
})

type Pattern = readonly ({ literal: string } | { parameter: string })[]

function lower(text: string): string {
  return Array.from(text, (c) => (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c)).join('')
}

/** Compares each pattern with the path, and takes the one whose parameters come last. */
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
