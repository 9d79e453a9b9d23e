import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPrincipal, type AccessTokenClaims, type Principal } from '../../src/gateway/principal.ts'
import { createVerifiedTokens } from '../../src/gateway/verified-tokens.ts'
import type { InvalidToken, VerifyToken } from '../../src/gateway/verify-token.ts'
import { accessTokenClaims } from './support/token-issuer.ts'

const verifiedTokens = (verify: VerifyToken, capacity = 1_000_000) => createVerifiedTokens(verify, capacity)
const principalOf = (changes = {}): Principal =>
  createPrincipal(accessTokenClaims(changes) as unknown as AccessTokenClaims, 'key')

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

describe('the cache of verified tokens', () => {
  test('a token is verified once, even if calls are concurrent', async () => {
    const verify = vi.fn(async () => principalOf())
    const tokens = verifiedTokens(verify)
    expect(tokens.get('a')).toBeUndefined()
    const answers = await Promise.all([tokens.verify('a'), tokens.verify('a'), tokens.verify('a')])
    expect(new Set(answers).size).toBe(1)
    expect(tokens.get('a')).toBe(answers[0])
    expect(verify).toHaveBeenCalledTimes(1)
  })

  test('different tokens have different cache entries', async () => {
    const tokens = verifiedTokens(async (token) => principalOf({ jti: token }))
    await tokens.verify('a')
    await tokens.verify('b')
    expect(tokens.get('a')?.tokenId).toBe('a')
    expect(tokens.get('b')?.tokenId).toBe('b')
    expect(tokens.get('A')).toBeUndefined()
  })

  test('the cache returns a token until the token expires', async () => {
    const tokens = verifiedTokens(async () => principalOf())
    await tokens.verify('a')
    vi.setSystemTime(Date.now() + 599_000)
    expect(tokens.get('a')).toBeDefined()

    const short = verifiedTokens(async () => principalOf({ exp: Date.now() / 1000 + 10 }))
    await short.verify('a')
    vi.setSystemTime(Date.now() + 9_999)
    expect(short.get('a')).toBeDefined()
    vi.setSystemTime(Date.now() + 1)
    expect(short.get('a')).toBeUndefined()
  })

  test('a cached token is verified again after ten minutes, because its key may no longer be published', async () => {
    let answer: Principal | InvalidToken = principalOf()
    const tokens = verifiedTokens(async () => answer)
    await tokens.verify('a')
    vi.setSystemTime(Date.now() + 600_000)
    expect(tokens.get('a')).toBeUndefined()
    answer = { problem: 'unknown key' }
    expect(await tokens.verify('a')).toEqual({ problem: 'unknown key' })
    vi.setSystemTime(Date.now() - 600_000)
    expect(tokens.get('a')).toBeUndefined()
  })

  test('neither an invalid token nor a failure is cached', async () => {
    const answers: (() => Promise<Principal | InvalidToken>)[] = [
      async () => ({ problem: 'bad' }),
      async () => {
        throw new Error('keys out of reach')
      },
      async () => principalOf(),
    ]
    const tokens = verifiedTokens(async () => answers.shift()!())
    expect(await tokens.verify('a')).toEqual({ problem: 'bad' })
    expect(tokens.get('a')).toBeUndefined()
    await expect(tokens.verify('a')).rejects.toThrow('keys out of reach')
    expect(await tokens.verify('a')).toHaveProperty('mode', 'direct')
    expect(answers).toHaveLength(0)
  })

  test('a full cache evicts the least recently used token', async () => {
    const tokens = verifiedTokens(async () => principalOf(), 12)
    for (const token of ['aaaa', 'bbbb', 'cccc']) await tokens.verify(token)
    expect(tokens.get('aaaa')).toBeDefined()
    await tokens.verify('dddd')
    expect(tokens.get('bbbb')).toBeUndefined()
    for (const token of ['aaaa', 'cccc', 'dddd']) expect(tokens.get(token)).toBeDefined()
    await tokens.verify('a token beyond capacity')
    expect(tokens.get('a token beyond capacity')).toBeUndefined()
    for (const token of ['aaaa', 'cccc', 'dddd']) expect(tokens.get(token)).toBeDefined()
  })
})

describe('a principal', () => {
  test('a principal is frozen recursively, and has() reports its scopes', () => {
    const principal = principalOf({ scope: 'a b  c', user_id: 'u', grant_id: 'g', nested: { list: [{}] } })
    expect(principal).toMatchObject({
      mode: 'direct',
      accountId: 'acme',
      clientId: 'key_1',
      userId: 'u',
      grantId: 'g',
    })
    expect(principal.scopes).toEqual(['a', 'b', 'c'])
    const { has } = principal
    expect([has('a'), has('c'), has('d'), has(''), has('a b'), has('constructor')]).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(() => (principal.scopes as string[]).push('d')).toThrow(TypeError)
    expect(() => ((principal as { mode: string }).mode = 'delegated')).toThrow(TypeError)
    const nested = principal.claims['nested'] as { list: object[] }
    for (const part of [principal, principal.claims, nested, nested.list, nested.list[0]]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  test('the principal of a token without a scope has no scopes', () => {
    const principal = principalOf({ scope: undefined })
    expect(principal.scopes).toEqual([])
    expect(principal.has('')).toBe(false)
    expect('userId' in principal).toBe(false)
  })
})
