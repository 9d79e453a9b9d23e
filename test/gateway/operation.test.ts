import { describe, expect, test } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { demandOf } from '../../src/gateway/operation.ts'
import { createPublicRoutes } from '../../src/gateway/public-routes.ts'
import { readTarget } from '../../src/gateway/request-path.ts'

const catalog = createCatalog({
  files: {
    title: 'Files',
    operations: {
      'files:one': { route: ['GET /files/:id', 'POST /files/:id'], title: 'Read' },
      'files:pair': { route: ['GET /files/a,b', 'GET /files/größe', 'GET /files/100%25'], title: 'Read' },
    },
  },
})
const findScope = (method: string, path: string) => catalog.findOperation(method, path)?.scope
const demand = (method: string, path: string) => demandOf(method, path, { findScope })

describe('the demand of a request', () => {
  test('is the scope of its operation', () => {
    expect(demand('GET', '/files/7')).toEqual({ scope: 'files:one' })
    expect(demand('HEAD', '/files/a,b')).toEqual({ scope: 'files:pair' })
    expect(demand('GET', '/files/a%20b')).toEqual({ scope: 'files:one' })
    expect(demand('GET', '/files/me%40example.com%2C')).toEqual({ scope: 'files:one' })
    expect(demand('GET', '/files/gr%C3%B6%C3%9Fe')).toEqual({ scope: 'files:pair' })
    expect(demand('GET', '/files/gr%c3%b6%c3%9fe')).toEqual({ scope: 'files:pair' })
    expect(demand('GET', '/files/100%25')).toEqual({ scope: 'files:pair' })
  })

  test('is nothing that could be met where nobody claims it', () => {
    expect(demand('PUT', '/files/7')).toBe('unclaimed')
    expect(demand('get', '/files/7')).toBe('unclaimed')
    expect(demand('GET', '/files')).toBe('unclaimed')
    expect(demand('GET', '/constructor')).toBe('unclaimed')
  })

  test('is nothing that could be met where one router would see another operation than the next', () => {
    // @koa/router matches `:id` before it decodes; a router that decodes first sees the other route.
    expect(demand('GET', '/files/a%2Cb')).toBe('unclaimed')
    expect(demand('POST', '/files/a%2Cb')).toEqual({ scope: 'files:one' })
  })

  test('is none on a public route, and an operation that one reading sees is claimed', () => {
    const publicRoutes = createPublicRoutes(['GET /files/:id', 'GET /open/:id'])
    expect(demandOf('GET', '/open/a%2Cb', { findScope }, publicRoutes)).toBe('public')
    expect(demandOf('GET', '/files/a%2Cb', { findScope }, publicRoutes)).toBe('unclaimed')
    expect(demandOf('GET', '/files/7', { findScope }, publicRoutes)).toEqual({ scope: 'files:one' })
  })
})

test.each([
  ['/a/b?c=d?e#f', ['/a/b'], 'c=d?e'],
  ['/a#b?c', ['/a'], ''],
  ['//h/a', ['//h/a'], ''],
  ['', [''], ''],
  ['*', ['*'], ''],
  ['https://h/a/../b?c', ['/a/../b', '/b'], 'c'],
  ['http://h?x', ['/', '/'], 'x'],
  ['http://h:port/a', ['/a'], ''],
  ['http:/h/a', ['http:/h/a', '/a'], ''],
])('the target %j is read as %j', (target, readings, query) => {
  const read = readTarget(target)
  expect(new Set(read.readings)).toEqual(new Set(readings.map((reading) => (target === '' ? '/' : reading))))
  expect(read.query).toBe(query)
})
