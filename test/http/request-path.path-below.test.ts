import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { pathBelow } from '../../src/http/request-path.ts'

/**
 * A request as the middleware receives it.
 *
 * @param target the original request target
 * @param path `ctx.path`, if middleware above changed it
 * @param outside `req.originalUrl`, which is set if the app runs inside Express or connect
 */
function request(target: string, path = target.split('?', 1)[0], outside?: string): Context {
  return { originalUrl: target, path, req: { originalUrl: outside } } as unknown as Context
}

describe('the path below the mount path', () => {
  const PATHS: [target: string, mountPath: string, path: string | undefined][] = [
    // The middleware is mounted in the app itself.
    ['/auth/oauth2/token', '/auth', '/oauth2/token'],
    ['/auth/oauth2/token?code=a/b', '/auth', '/oauth2/token'],
    ['/auth', '/auth', '/'],
    ['/auth/', '/auth', '/'],
    ['/auth?x=1', '/auth', '/'],
    ['/a/b/auth/oauth2/token', '/a/b/auth', '/oauth2/token'],
    // The mount path is the root.
    ['/oauth2/token', '', '/oauth2/token'],
    ['/', '', '/'],
    ['/auth/oauth2/token', '', '/auth/oauth2/token'],
    // The path is not below the mount path.
    ['/oauth2/token', '/auth', undefined],
    ['/', '/auth', undefined],
    ['/authority/oauth2/token', '/auth', undefined],
    ['/other/auth/oauth2/token', '/auth', undefined],
    ['/auth.example/oauth2', '/auth', undefined],
    ['//auth/oauth2/token', '/auth', undefined],
    ['/AUTH/oauth2/token', '/auth', undefined],
    ['*', '/auth', undefined],
    ['', '/auth', undefined],
    // The target is in absolute form, as a proxy sends it.
    ['http://evil.example/auth/oauth2/token?x=1', '/auth', '/oauth2/token'],
    ['http://evil.example/oauth2/token', '/auth', undefined],
    // `pathBelow()` decodes nothing.
    ['/auth/%2e%2e/oauth2', '/auth', '/%2e%2e/oauth2'],
    ['/auth%2Foauth2/token', '/auth', undefined],
  ]
  it('the path of a target below the mount path is found, and is undecoded', () => {
    for (const [target, mountPath, expected] of PATHS) {
      const path = URL.parse(target)?.pathname ?? target.split('?', 1)[0]
      expect([target, pathBelow(request(target, path), mountPath)]).toEqual([target, expected])
    }
  })

  it('below koa-mount, which removes its prefix from ctx.path, the original path is used', () => {
    expect(pathBelow(request('/auth/oauth2/token?x=1', '/oauth2/token'), '/auth')).toBe('/oauth2/token')
    expect(pathBelow(request('/auth/', '/'), '/auth')).toBe('/')
    expect(pathBelow(request('/a/auth/oauth2/token', '/oauth2/token'), '/a/auth')).toBe('/oauth2/token')
  })

  it('when middleware above has rewritten the path, the rewritten path is used', () => {
    expect(pathBelow(request('/v1/login/token', '/auth/oauth2/token'), '/auth')).toBe('/oauth2/token')
    expect(pathBelow(request('/auth/oauth2/token', '/elsewhere'), '/auth')).toBeUndefined()
  })

  it('the mount path of an app inside Express may include the prefix of Express or omit it', () => {
    const inside = request('/oauth2/token', '/oauth2/token', '/auth/oauth2/token?x=1')
    expect(pathBelow(inside, '/auth')).toBe('/oauth2/token')
    const below = request('/auth/oauth2/token', '/auth/oauth2/token', '/site/auth/oauth2/token')
    expect(pathBelow(below, '/site/auth')).toBe('/oauth2/token')
    expect(pathBelow(below, '/auth')).toBe('/oauth2/token')
    expect(pathBelow(below, '/other')).toBeUndefined()
  })
})
