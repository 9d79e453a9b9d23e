import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPathLocator, locateReadings } from '../../src/gateway/canonical-path.ts'
import { HOSTILE } from './support/hostile-paths.ts'

const locate = createPathLocator('/api')

it('a canonical path below the base has its rest', () => {
  const paths = {
    '/api': '/',
    '/api/': '/',
    '/API/invoices/list': '/invoices/list',
    '/api/Invoices/List/': '/Invoices/List',
    "/api/a-._~!$&'()*+,=:@z": "/a-._~!$&'()*+,=:@z",
    '/api/...': '/...',
    '/api/.well-known': '/.well-known',
    '/api/a%20b': '/a%20b',
    '/api/gr%C3%B6%c3%9fe': '/gr%C3%B6%c3%9fe',
    '/api/a%3Bb%3F%23%40': '/a%3Bb%3F%23%40',
    '/api/100%25': '/100%25',
    '/api/api': '/api',
  }
  for (const [path, rest] of Object.entries(paths)) {
    expect(locate(path)).toEqual({ place: 'below', path: rest, endsInSlash: path.endsWith('/') })
  }
})

it('a path outside of the base is elsewhere, whether it is canonical or not', () => {
  const outside =
    '/ * /apis /ap /apiinvoices /v1/api /docs//api /docs/a%20b /docs/..;/x /docs/%zz /docs/../x /docs/api/x%2Fy /auth?/api'
  const wrong = ['', ...outside.split(' ')].filter((path) => locate(path).place !== 'elsewhere')
  expect(wrong).toEqual([])
})

it('every hostile path is unclear', () => {
  const problem = expect.stringMatching(/^the path is not in canonical form/) as string
  const answers = HOSTILE.map((path) => [path, locate(path)])
  expect(answers).toEqual(
    HOSTILE.map((path) => [path, expect.objectContaining({ place: 'unclear', problem })]),
  )
})

describe('a whole host as base', () => {
  it.each(['', '/'])('the base %j is the whole host', (base) => {
    const locate = createPathLocator(base)
    expect(locate('/')).toEqual({ place: 'below', path: '/', endsInSlash: false })
    expect(locate('/invoices/')).toEqual({ place: 'below', path: '/invoices', endsInSlash: true })
    for (const path of ['', '*', '//', '/a//b', '/%61', '/..', '/a;b']) {
      expect(locate(path)).toHaveProperty('place', 'unclear')
    }
  })
})

it('a base of several segments is matched segment by segment', () => {
  const locate = createPathLocator('/V1/Api/')
  expect(locate('/v1/api/x')).toEqual({ place: 'below', path: '/x', endsInSlash: false })
  expect(locate('/v1/apix')).toEqual({ place: 'elsewhere' })
  expect(locate('/v1//api/x')).toHaveProperty('place', 'unclear')
  expect(locate('/v1')).toEqual({ place: 'elsewhere' })
})

it('a path is unclear if its dot segments lead to the base in one reading of its encoded slashes', () => {
  // If `x%2Fy` is one segment, `..` removes this segment. If `x%2Fy` is two segments, `..` removes only the
  // second segment.
  for (const path of ['/x%2Fy/../api', '/x%5cy/../api/z', '/x%2Fy%2Fz/../../api', '/x/../api/..%2F/y']) {
    expect(locate(path), path).toHaveProperty('place', 'unclear')
  }
  const deep = createPathLocator('/a/b')
  for (const path of ['/a/x%2Fy/../b', '/x%2Fy/../a/b', '/a/x/../b/c', '/x%2Fy/../a/z%2Fz/../b']) {
    expect(deep(path), path).toHaveProperty('place', 'unclear')
  }
  for (const path of ['/x%2Fy/../b', '/b/../x/a', '/a/../c', '/a/x/b', '/x/a/b']) {
    expect(deep(path), path).toEqual({ place: 'elsewhere' })
  }
})

it('a path with different readings is unclear if one reading is below the base', () => {
  const below = { place: 'below', path: '/x', endsInSlash: false }
  expect(locateReadings(locate, ['/api/x'])).toEqual(below)
  expect(locateReadings(locate, ['/api/x', '/api/x'])).toEqual(below)
  expect(locateReadings(locate, ['/x', '/y'])).toEqual({ place: 'elsewhere' })
  expect(locateReadings(locate, ['/api/x', '/api/y'])).toHaveProperty('place', 'unclear')
  expect(locateReadings(locate, ['/x', '/api/y'])).toHaveProperty('place', 'unclear')
})

describe('a path of random pieces', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2F',
    '%5c',
    '\\',
    ';',
    ';x',
    'api',
    'API',
    '%61',
    '%2561',
    '%00',
    'x',
    'Api',
    'p',
    'i',
  )
  const paths = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)

  it('if WHATWG URL, a decoding router or a case-insensitive router reads a path as below the base, the path is below the base or unclear', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const whatwg = URL.parse(path, 'http://h')?.pathname ?? ''
        const decoded = whatwg.replaceAll(/%2561|%61/g, 'a').replaceAll(/%2f/gi, '/')
        const readings = [path, whatwg, decoded, decoded.replaceAll(/\/+/g, '/')]
        if (readings.some((reading) => /^\/api(?:$|\/)/i.test(reading))) {
          expect(locate(path).place).not.toBe('elsewhere')
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('a path is below the base only if the path is in canonical form', () => {
    fc.assert(
      fc.property(paths, (path) => {
        if (locate(path).place !== 'below') return
        expect(new URL(path, 'http://h').pathname).toBe(path)
        expect(path).not.toMatch(/\/\/|;|\\|%2f|%5c|%00|%61|%25/i)
      }),
      { numRuns: 1500 },
    )
  })

  it('a long path is located in linear time', () => {
    const started = performance.now()
    for (const path of [
      '%25'.repeat(5000),
      '/a'.repeat(8000),
      '/..'.repeat(5000),
      `/${'.'.repeat(16000)}`,
      `/api/${'%2e/'.repeat(4000)}`,
    ]) {
      locate(path)
      locate(`/api${path}`)
    }
    expect(performance.now() - started).toBeLessThan(500)
  })
})
