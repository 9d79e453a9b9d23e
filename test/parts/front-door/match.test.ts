import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { createMatch } from '../../../src/parts/front-door/match.ts'

const match = createMatch(
  [
    { name: 'list', path: '/api-keys', methods: ['get'] as const },
    { name: 'new', path: '/api-keys/new', methods: ['get', 'post'] as const },
    { name: 'one', path: '/api-keys/:clientId', methods: ['get'] as const },
    { name: 'delete', path: '/api-keys/:clientId', methods: ['delete'] as const },
  ],
  (each) => each,
)

const contextOf = (method: string) => ({ method, path: '/elsewhere', request: {} }) as unknown as Context

const find = (method: string, path: string) => match(contextOf(method), path)

describe('createMatch()', () => {
  it.each([
    ['GET', '/api-keys', 'list', {}],
    ['HEAD', '/api-keys', 'list', {}],
    ['POST', '/api-keys/new', 'new', {}],
    // Of two places that match, the first is found.
    ['GET', '/api-keys/new', 'new', {}],
    ['GET', '/api-keys/key_1', 'one', { clientId: 'key_1' }],
    ['DELETE', '/api-keys/a%20b', 'delete', { clientId: 'a b' }],
  ])('%s %s is the place "%s"', async (method, path, name, params) => {
    const found = await find(method, path)
    expect({ name: found.found.name, params: { ...found.params } }).toEqual({ name, params })
  })

  it.each(['/', '/api-keys/', '/API-KEYS', '/api-keys/a/b', ''])('no place has the path %j', async (path) => {
    await expect(find('GET', path)).rejects.toMatchObject({ reason: 'noRoute' })
  })

  it('another method is rejected with those that the path has', async () => {
    await expect(find('PUT', '/api-keys/key_1')).rejects.toMatchObject({
      reason: 'method',
      details: { allowed: 'DELETE, GET, HEAD' },
    })
  })

  it('leaves no trace in the request for a router of the host', async () => {
    const ctx = contextOf('GET')
    await match(ctx, '/api-keys')
    expect(ctx).not.toHaveProperty('newRouterPath')
  })

  it('parameters that a router of the host has found are not those of the path, and the host keeps them', async () => {
    const ctx = Object.assign(contextOf('GET'), { params: { clientId: 'outer', userId: 'bob' } })
    expect((await match(ctx, '/api-keys')).params).toEqual({})
    expect({ ...(await match(ctx, '/api-keys/key_1')).params }).toEqual({ clientId: 'key_1' })
    expect(ctx.params).toEqual({ clientId: 'outer', userId: 'bob' })
  })
})
