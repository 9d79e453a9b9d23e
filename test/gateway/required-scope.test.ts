import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { requiredScopesOf } from '../../src/gateway/required-scope.ts'
import { readTarget } from '../../src/http/request-path.ts'

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
const findClaims = (method: string, path: string) => catalog.findClaims(method, path)
const required = (method: string, path: string) =>
  requiredScopesOf(method, path, false, { findScope, findClaims })?.join(' ')

describe('requiredScopesOf()', () => {
  it('a request needs the scope of its operation', () => {
    expect(required('GET', '/files/7')).toBe('files:one')
    expect(required('HEAD', '/files/a,b')).toBe('files:pair')
    expect(required('GET', '/files/a%20b')).toBe('files:one')
    expect(required('GET', '/files/me%40example.com%2C')).toBe('files:one')
    expect(required('GET', '/files/gr%C3%B6%C3%9Fe')).toBe('files:pair')
    expect(required('GET', '/files/gr%c3%b6%c3%9fe')).toBe('files:pair')
    expect(required('GET', '/files/100%25')).toBe('files:pair')
    expect(required('GET', '/files/caf%C3%A9')).toBe('files:one')
  })

  it('requiredScopesOf() returns undefined if no operation claims the request', () => {
    expect(required('PUT', '/files/7')).toBeUndefined()
    expect(required('get', '/files/7')).toBeUndefined()
    expect(required('GET', '/files')).toBeUndefined()
    expect(required('GET', '/constructor')).toBeUndefined()
  })

  it('requiredScopesOf() returns undefined if routers would run different operations', () => {
    // @koa/router matches `:id` before it decodes the path. A router that decodes the path first finds the
    // route `/files/a,b`.
    expect(required('GET', '/files/a%2Cb')).toBeUndefined()
    expect(required('POST', '/files/a%2Cb')).toBe('files:one')
    // In upper case, `ß` becomes `SS`. In lower case, `SS` becomes `ss`.
    expect(required('GET', '/files/gr%C3%B6SSE')).toBeUndefined()
    expect(required('GET', '/files/gr%C3%96%C3%9Fe')).toBeUndefined()
  })
})

it('hosts may read a request target as one of several paths', () => {
  const targets: [target: string, readings: string[], query: string][] = [
    ['/a/b?c=d?e#f', ['/a/b'], 'c=d?e'],
    ['/a#b?c', ['/a'], ''],
    ['//h/a', ['//h/a'], ''],
    ['', ['/'], ''],
    ['*', ['*', '/'], ''],
    ['*api/x?y', ['*api/x', '/api/x'], 'y'],
    ['https://h/a/../b?c', ['/a/../b', '/b'], 'c'],
    ['http://h?x', ['/'], 'x'],
    ['http://h:port/a', ['/a'], ''],
    ['http:/h/a', ['http:/h/a', '/a', '/ttp:/h/a'], ''],
  ]
  for (const [target, readings, query] of targets) {
    const read = readTarget(target)
    expect([target, new Set(read.readings), read.query]).toEqual([target, new Set(readings), query])
  }
})
