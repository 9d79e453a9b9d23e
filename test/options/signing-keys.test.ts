import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { GatehouseError, type GatehouseOptions } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { resolveOptions } from '../../src/options/resolve-options.ts'

const DAY = 86_400
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' }) as JWK
const pair = (kind: 'ec' | 'rsa' | 'p384' | 'small') => {
  const { privateKey, publicKey } =
    kind === 'rsa' || kind === 'small'
      ? generateKeyPairSync('rsa', { modulusLength: kind === 'rsa' ? 2048 : 1024 })
      : generateKeyPairSync('ec', { namedCurve: kind === 'ec' ? 'P-256' : 'P-384' })
  return { private: jwkOf(privateKey), public: jwkOf(publicKey) }
}
const [ec, otherEc, rsa, small, p384] = [pair('ec'), pair('ec'), pair('rsa'), pair('small'), pair('p384')]

const valid = {
  issuer: 'https://example.com/auth',
  audience: 'https://example.com/api',
  products: {},
  store: memoryStore(),
  accounts: { find: (id: string) => ({ id }) },
}

function resolve(signingKeys: unknown) {
  try {
    const options = { ...valid, signingKeys } as GatehouseOptions
    return { problems: [], resolved: resolveOptions(options).signingKeys }
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error
    return { problems: error.problems.map(({ path, message }) => `${path} ${message}`) }
  }
}
const withKeys = (...keys: unknown[]) => resolve({ jwks: { keys } })
const keysOf = ({ resolved }: ReturnType<typeof resolve>) =>
  resolved && 'jwks' in resolved ? resolved.jwks.keys : []

describe('the rotation schedule in signingKeys', () => {
  it('by default, keys rotate after 90 days and are published 1 day before they sign', () => {
    for (const given of [undefined, {}, { rotateAfterSeconds: undefined }]) {
      const { problems, resolved } = resolve(given)
      expect(problems).toEqual([])
      expect(resolved).toEqual({ rotateAfterSeconds: 90 * DAY, publishAheadSeconds: DAY })
      expect(Object.isFrozen(resolved)).toBe(true)
    }
    expect(resolve({ rotateAfterSeconds: 2 * DAY }).resolved).toMatchObject({ rotateAfterSeconds: 2 * DAY })
    expect(resolve({ rotateAfterSeconds: 2, publishAheadSeconds: 1 }).problems).toEqual([])
  })

  it('publishAheadSeconds must be less than rotateAfterSeconds', () => {
    for (const seconds of [DAY, 91 * DAY]) {
      const { problems } = resolve({ rotateAfterSeconds: seconds, publishAheadSeconds: seconds })
      expect(problems).toEqual([
        `signingKeys.publishAheadSeconds must be less than rotateAfterSeconds (${seconds}): a key is published before it signs`,
      ])
    }
    // The default of publishAheadSeconds is one day.
    expect(resolve({ rotateAfterSeconds: DAY }).problems).toHaveLength(1)
    expect(resolve({ rotateAfterSeconds: DAY, publishAheadSeconds: 3600 }).problems).toEqual([])
  })

  it('rotateAfterSeconds and signingKeys reject values of another type', () => {
    for (const value of [0, 1.5, -1, '90', 'null', Number.NaN, Infinity]) {
      const { problems } = resolve({ rotateAfterSeconds: value, publishAheadSeconds: 1 })
      expect(problems).toEqual([
        `signingKeys.rotateAfterSeconds must be a whole number of seconds from 2 to ${3660 * DAY}`,
      ])
    }
    for (const given of ['daily', [], null, 90]) {
      expect(resolve(given).problems).toEqual([
        expect.stringMatching(/^signingKeys must be an object, and is /),
      ])
    }
  })

  it('signingKeys rejects an unknown property, and a rotation schedule beside the keys of the host', () => {
    expect(resolve({ rotateAfter: 5 }).problems).toEqual([
      'signingKeys.rotateAfter is unknown; expected rotateAfterSeconds and publishAheadSeconds, or jwks alone',
    ])
    expect(resolve({ rotateAfterSeconds: 5, jwks: { keys: [ec.private, rsa.private] } }).problems).toEqual([
      'signingKeys.rotateAfterSeconds is unknown; expected jwks alone, or rotateAfterSeconds and publishAheadSeconds',
    ])
  })
})

describe('the keys of the host in signingKeys.jwks', () => {
  it('a key of the host gets kid, alg and use, and loses all members that are not needed', async () => {
    const resolved = withKeys(
      { ...ec.private, x5c: ['…'] },
      { ...rsa.private, kid: 'mine', alg: 'RS256' },
      otherEc.public,
    )
    expect(resolved.problems).toEqual([])
    const [first, second, third] = keysOf(resolved)
    expect(first).toEqual({
      ...ec.private,
      kid: await calculateJwkThumbprint(ec.private),
      alg: 'ES256',
      use: 'sig',
    })
    expect(second).toEqual({ ...rsa.private, kid: 'mine', alg: 'RS256', use: 'sig' })
    expect(third).toEqual({
      ...otherEc.public,
      kid: await calculateJwkThumbprint(otherEc.public),
      alg: 'ES256',
      use: 'sig',
    })
    const rsaKid = keysOf(withKeys(ec.private, rsa.private))[1]?.kid
    expect(rsaKid).toBe(await calculateJwkThumbprint(rsa.private))
  })

  it('signingKeys.jwks must be a JWK Set', () => {
    for (const jwks of [[ec.private], 'keys']) {
      expect(resolve({ jwks }).problems).toEqual([
        'signingKeys.jwks must be a JWK Set: { keys: [...] } (RFC 7517 5)',
      ])
    }
  })

  const WRONG: [problem: string, key: unknown][] = [
    [
      'is symmetric: every verifier of tokens could also sign them',
      { kty: 'oct', k: 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0', alg: 'HS256' },
    ],
    ['must be a key for ES256 (EC with the curve P-256) or RS256 (RSA)', p384.private],
    ['must be a JWK (RFC 7517 4)', 'key'],
    ['has 1024 bits; RSA keys need at least 2048', small.private],
    ['has an alg that is not RS256, the alg of this kind of key', { ...rsa.private, alg: 'PS256' }],
    ['has an alg that is not ES256, the alg of this kind of key', { ...otherEc.private, alg: 'RS256' }],
    ["has a use that is not 'sig'", { ...otherEc.private, use: 'enc' }],
    ["has key_ops without 'sign'", { ...otherEc.private, key_ops: ['verify'] }],
    ["has key_ops without 'verify'", { ...otherEc.public, key_ops: 'verify' }],
    [
      'must have a kid of 1 to 200 printable ASCII characters without spaces, or none',
      { ...ec.public, kid: 'a b' },
    ],
    [
      'must have a kid of 1 to 200 printable ASCII characters without spaces, or none',
      { ...ec.public, kid: 7 },
    ],
    ['has a private part that belongs to another public part', { ...otherEc.private, d: ec.private.d }],
    ['is no private key that can be read as a JWK (RFC 7518 6)', { ...rsa.private, p: 7 }],
    ['is no public key (RFC 7518 6)', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }],
  ]
  it('each problem of a key is reported without quoting the key', () => {
    for (const [problem, key] of WRONG) {
      const { problems } = withKeys(ec.private, rsa.private, key)
      expect(problems).toEqual([`signingKeys.jwks.keys[2] ${problem}`])
    }
  })

  it('two keys with the same kid are rejected', () => {
    const { problems } = withKeys({ ...ec.private, kid: 'a' }, { ...rsa.private, kid: 'a' })
    expect(problems[0]).toBe('signingKeys.jwks.keys[1].kid "a" is in the set twice')
  })

  it('one key with two kids is rejected, because revoking one kid would leave the other kid valid', () => {
    const padded = { ...ec.public, x: `${ec.public.x}=`, kid: 'b' }
    for (const again of [{ ...ec.private, kid: 'b' }, { ...ec.public, kid: 'b' }, padded]) {
      const { problems } = withKeys({ ...ec.private, kid: 'a' }, rsa.private, again)
      expect(problems).toEqual(['signingKeys.jwks.keys[2] is the same key as "a", with another kid'])
    }
    expect(withKeys(ec.private, rsa.private, { ...rsa.public, kid: 'b' }).problems).toHaveLength(1)
    expect(withKeys(ec.private, rsa.private, otherEc.public).problems).toEqual([])
  })

  it('the keys of the host need a private key for ES256 and a private key for RS256', () => {
    expect(withKeys(ec.private, rsa.public).problems).toEqual([
      'signingKeys.jwks.keys has no private key for RS256, which signs ID tokens',
    ])
    expect(withKeys().problems).toEqual([
      'signingKeys.jwks.keys has no private key for ES256, which signs access tokens',
      'signingKeys.jwks.keys has no private key for RS256, which signs ID tokens',
    ])
  })
})
