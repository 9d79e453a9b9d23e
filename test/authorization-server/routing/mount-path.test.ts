import type { Context } from 'koa'
import { describe, expect, test } from 'vitest'
import { pathBelow } from '../../../src/authorization-server/routing/mount-path.ts'

/**
 * A request as the middleware sees it.
 *
 * @param target the request target as it came in
 * @param path what is left of it in `ctx.path`, where something above changed it
 * @param outside `req.originalUrl` of Express or connect, where the app is inside of one
 */
function request(target: string, path = target.split('?', 1)[0], outside?: string): Context {
  return { originalUrl: target, path, req: { originalUrl: outside } } as unknown as Context
}

describe('the path below the mount', () => {
  test.each([
    // In the app itself.
    ['/auth/oauth2/token', '/auth', '/oauth2/token'],
    ['/auth/oauth2/token?code=a/b', '/auth', '/oauth2/token'],
    ['/auth', '/auth', '/'],
    ['/auth/', '/auth', '/'],
    ['/auth?x=1', '/auth', '/'],
    ['/a/b/auth/oauth2/token', '/a/b/auth', '/oauth2/token'],
    // At the root.
    ['/oauth2/token', '', '/oauth2/token'],
    ['/', '', '/'],
    ['/auth/oauth2/token', '', '/auth/oauth2/token'],
    // Not below it.
    ['/oauth2/token', '/auth', undefined],
    ['/', '/auth', undefined],
    ['/authority/oauth2/token', '/auth', undefined],
    ['/other/auth/oauth2/token', '/auth', undefined],
    ['/auth.example/oauth2', '/auth', undefined],
    ['//auth/oauth2/token', '/auth', undefined],
    ['/AUTH/oauth2/token', '/auth', undefined],
    ['*', '/auth', undefined],
    ['', '/auth', undefined],
    // In absolute form, as a proxy sends it.
    ['http://evil.example/auth/oauth2/token?x=1', '/auth', '/oauth2/token'],
    ['http://evil.example/oauth2/token', '/auth', undefined],
    // What a path says once it is read in another way is for others to judge; nothing is decoded here.
    ['/auth/%2e%2e/oauth2', '/auth', '/%2e%2e/oauth2'],
    ['/auth%2Foauth2/token', '/auth', undefined],
  ])('%s below "%s" is %s', (target, mountPath, expected) => {
    const path = URL.canParse(target) ? new URL(target).pathname : target.split('?', 1)[0]
    expect(pathBelow(request(target, path), mountPath)).toBe(expected)
  })

  test('koa-mount takes its prefix off the path: the whole one counts, no prefix is doubled', () => {
    expect(pathBelow(request('/auth/oauth2/token?x=1', '/oauth2/token'), '/auth')).toBe('/oauth2/token')
    expect(pathBelow(request('/auth/', '/'), '/auth')).toBe('/')
    expect(pathBelow(request('/a/auth/oauth2/token', '/oauth2/token'), '/a/auth')).toBe('/oauth2/token')
  })

  test('where something above rewrote the path, the rewritten one counts', () => {
    expect(pathBelow(request('/v1/login/token', '/auth/oauth2/token'), '/auth')).toBe('/oauth2/token')
    expect(pathBelow(request('/auth/oauth2/token', '/elsewhere'), '/auth')).toBeUndefined()
  })

  test('an app inside of Express is described by the path with the prefix that was taken off, or without', () => {
    const inside = request('/oauth2/token', '/oauth2/token', '/auth/oauth2/token?x=1')
    expect(pathBelow(inside, '/auth')).toBe('/oauth2/token')
    const below = request('/auth/oauth2/token', '/auth/oauth2/token', '/site/auth/oauth2/token')
    expect(pathBelow(below, '/site/auth')).toBe('/oauth2/token')
    expect(pathBelow(below, '/auth')).toBe('/oauth2/token')
    expect(pathBelow(below, '/other')).toBeUndefined()
  })
})
