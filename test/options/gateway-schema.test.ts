import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { describe, expect, it } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { resolveGatewayOptions } from '../../src/options/gateway-schema.ts'

const valid = { issuer: 'https://example.com/auth', audience: 'https://example.com/api', products: {} }

/** Resolves the valid options with changes of any type, as a JavaScript host may pass them. */
const resolve = (others: Record<string, unknown> = {}) => resolveGatewayOptions({ ...valid, ...others })

function pathsOf(others: Record<string, unknown>): string[] {
  try {
    resolve(others)
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error
    expect(error.code).toBe('ERR_OPTIONS')
    expect(error.message).toMatch(/^the options of createGateway are not valid:\n {2}- /)
    return error.problems.map(({ path }) => path)
  }
  return []
}

describe('resolveGatewayOptions', () => {
  it('resolving adds the documented defaults for absent and undefined options of createGateway, and freezes the options', () => {
    const resolved = resolve({ jwksUri: undefined, logger: undefined, productsRefreshSeconds: undefined })
    expect(resolved).toEqual({
      ...valid,
      jwksUri: 'https://example.com/auth/oauth2/jwks',
      jwksCacheSeconds: 600,
      productsRefreshSeconds: 60,
      startTimeoutMs: 1500,
      maxCachedTokens: 100_000,
      logger: silentLogger,
    })
    expect(Object.isFrozen(resolved)).toBe(true)
  })

  it('each gateway option that is a number accepts the whole numbers of its range', () => {
    for (const [name, least, most] of [
      ['jwksCacheSeconds', 30, 86_400],
      ['productsRefreshSeconds', 1, 86_400],
      ['startTimeoutMs', 1, 60_000],
      ['maxCachedTokens', 0, 10_000_000],
    ] as const) {
      expect(resolve({ [name]: least })).toMatchObject({ [name]: least })
      expect(resolve({ [name]: most })).toMatchObject({ [name]: most })
      for (const value of [least - 1, most + 1, 1.5, '60', null]) {
        expect(pathsOf({ [name]: value })).toEqual([name])
      }
    }
  })

  it('jwksUri accepts https, and http on this machine, and no other address', () => {
    const good = 'https://keys.example.com/ https://example.com/auth/keys?x=1 http://localhost:3000/jwks'
    for (const jwksUri of good.split(' ')) expect(resolve({ jwksUri }).jwksUri).toBe(jwksUri)
    const bad = '/jwks http://10.0.0.1/jwks https://user:password@example.com/jwks file:///jwks'
    for (const jwksUri of [...bad.split(' '), '', 7, null]) expect(pathsOf({ jwksUri })).toEqual(['jwksUri'])
  })

  describe('the gateway option revocations', () => {
    const key = { clientId: 'key_1', clientSecret: 'a very secret secret' }
    const pathsIn = (revocations: unknown) => pathsOf({ revocations })

    it('a gateway receives no revocations by default, and the option revocations needs a source', () => {
      expect(resolve().revocations).toBeUndefined()
      expect(pathsIn({})).toEqual(['revocations'])
      expect(pathsIn({ pollIntervalSeconds: 5, uri: 'https://example.com/feed' })).toEqual(['revocations'])
    })

    it('revocations over HTTP come from the issuer by default, or from uri', () => {
      expect(resolve({ revocations: key }).revocations).toEqual({
        ...key,
        uri: 'https://example.com/auth/oauth2/revocations',
        timeoutMs: 2000,
        pollIntervalSeconds: 5,
        whenStale: 'serve',
        maxStalenessSeconds: 60,
      })
      const uri = 'http://127.0.0.1:8080/feed?x=1'
      expect(resolve({ revocations: { ...key, uri } }).revocations).toMatchObject({ uri })
      expect(Object.isFrozen(resolve({ revocations: key }).revocations)).toBe(true)
    })

    it('a gateway that receives revocations from the store rejects credentials and uri', () => {
      const store = memoryStore()
      const resolved = resolve({ revocations: { store, timeoutMs: 500, whenStale: 'reject' } })
      expect(resolved.revocations).toEqual({
        store,
        timeoutMs: 500,
        pollIntervalSeconds: 5,
        whenStale: 'reject',
        maxStalenessSeconds: 60,
      })
      expect(pathsIn({ store, ...key, uri: 'https://example.com/feed' })).toEqual([
        'revocations.clientId',
        'revocations.clientSecret',
        'revocations.uri',
      ])
      expect(pathsIn({ store: { ...store, publish: undefined } })).toEqual(['revocations.store.publish'])
    })

    it('revocations over HTTP need both clientId and clientSecret', () => {
      expect(pathsIn({ clientId: 'key_1' })).toEqual(['revocations.clientSecret'])
      expect(pathsIn({ clientSecret: 'secret' })).toEqual(['revocations.clientId'])
      expect(pathsIn({ clientId: '', clientSecret: 7 })).toEqual([
        'revocations.clientId',
        'revocations.clientSecret',
      ])
    })

    it('each option of revocations rejects wrong values', () => {
      for (const [name, value] of [
        ['uri', 'http://10.0.0.1/feed'],
        ['uri', 'https://user:password@example.com/feed'],
        ['uri', '/feed'],
        ['pollIntervalSeconds', 0],
        ['pollIntervalSeconds', 61],
        ['whenStale', 'panic'],
        ['maxStalenessSeconds', 0],
        ['timeoutMs', 0],
        ['timeoutMs', 60_001],
        ['secret', 'x'],
      ] as const) {
        expect(pathsIn({ ...key, [name]: value })).toEqual([`revocations.${name}`])
      }
      for (const value of [7, 'yes', null, []]) expect(pathsIn(value)).toEqual(['revocations'])
    })

    it('all problems of revocations are reported at once, without the client secret', () => {
      const wrong = { revocations: { clientSecret: key.clientSecret, uri: 'x', interval: 5, timeoutMs: -1 } }
      expect(pathsOf(wrong).toSorted()).toEqual(
        ['clientId', 'interval', 'timeoutMs', 'uri'].map((name) => `revocations.${name}`),
      )
      expect(() => resolve(wrong)).toThrow(/^(?!.*very secret)/s)
    })
  })

  it('createGateway rejects the options store and secret of createGatehouse', () => {
    expect(pathsOf({ store: {}, secret: 'x' })).toEqual(['store', 'secret'])
  })

  it('createGateway rejects anything but an object as its options', () => {
    for (const options of [undefined, null, 7, []]) {
      expect(() => resolveGatewayOptions(options as never)).toThrow(
        expect.objectContaining({
          code: 'ERR_OPTIONS',
          problems: [expect.objectContaining({ path: 'options' })],
        }),
      )
    }
  })
})
