import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPrincipal, type VerifiedToken } from '../../src/gateway/principal.ts'
import { createVerifiedTokens } from '../../src/gateway/verified-tokens.ts'
import type { InvalidToken } from '../../src/gateway/token-problem.ts'
import type { VerifyToken } from '../../src/gateway/verify-token.ts'
import { principalOfClaims, verifiedClaims } from './support/token-issuer.ts'

const verifiedTokens = (verify: VerifyToken, capacity = 1000) =>
  createVerifiedTokens(verify, createPrincipal, capacity)
const verifiedOf = (changes = {}): VerifiedToken => verifiedClaims(changes).verified

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

describe('the cache of verified tokens', () => {
  it('a token is verified once, even if calls are concurrent', async () => {
    const verify = vi.fn(async () => verifiedOf())
    const tokens = verifiedTokens(verify)
    expect(tokens.get('a')).toBeUndefined()
    const answers = await Promise.all([tokens.verify('a'), tokens.verify('a'), tokens.verify('a')])
    expect(new Set(answers).size).toBe(1)
    expect(tokens.get('a')?.verified).toBe(answers[0])
    expect(verify).toHaveBeenCalledTimes(1)
  })

  it('different tokens have different cache entries', async () => {
    const tokens = verifiedTokens(async (token) => verifiedOf({ jti: token }))
    await tokens.verify('a')
    await tokens.verify('b')
    expect(tokens.get('a')?.principal.tokenId).toBe('a')
    expect(tokens.get('b')?.principal.tokenId).toBe('b')
    expect(tokens.get('A')).toBeUndefined()
  })

  it('the cache returns a token until the token expires', async () => {
    const tokens = verifiedTokens(async () => verifiedOf())
    await tokens.verify('a')
    vi.setSystemTime(Date.now() + 599_000)
    expect(tokens.get('a')).toBeDefined()

    const short = verifiedTokens(async () => verifiedOf({ exp: Date.now() / 1000 + 10 }))
    await short.verify('a')
    vi.setSystemTime(Date.now() + 9_999)
    expect(short.get('a')).toBeDefined()
    vi.setSystemTime(Date.now() + 1)
    expect(short.get('a')).toBeUndefined()
  })

  it('a cached token is verified again after ten minutes, because its key may no longer be published', async () => {
    let answer: VerifiedToken | InvalidToken = verifiedOf()
    const tokens = verifiedTokens(async () => answer)
    await tokens.verify('a')
    vi.setSystemTime(Date.now() + 600_000)
    expect(tokens.get('a')).toBeUndefined()
    answer = { problem: 'unknown-key' }
    expect(await tokens.verify('a')).toEqual({ problem: 'unknown-key' })
    vi.setSystemTime(Date.now() - 600_000)
    expect(tokens.get('a')).toBeUndefined()
  })

  it('a token that is found again and again is verified again like any other', async () => {
    const exp = Date.now() / 1000 + 3600
    const answers: (VerifiedToken | InvalidToken)[] = [
      verifiedOf({ jti: 'first', exp }),
      verifiedOf({ jti: 'second', exp }),
      { problem: 'unknown-key' },
    ]
    const tokens = verifiedTokens(
      async (token) =>
        (token === 'b' ? verifiedOf() : undefined) ?? answers.shift() ?? { problem: 'malformed' },
    )
    await tokens.verify('a')
    await tokens.verify('b')
    tokens.get('a')
    expect(tokens.get('a')?.principal.tokenId).toBe('first')

    vi.setSystemTime(Date.now() + 600_000)
    expect(tokens.get('a')).toBeUndefined()
    await tokens.verify('a')
    expect(tokens.get('a')?.principal.tokenId).toBe('second')
    expect(tokens.get('a')?.principal).toBe(tokens.get('a')?.principal)
    expect(Object.isFrozen(tokens.get('a')?.principal)).toBe(true)
    await tokens.verify('a')
    expect(tokens.get('a')).toBeUndefined()
  })

  it('more tokens than are found by their text stay in the cache', async () => {
    const tokens = verifiedTokens(async (token) => verifiedOf({ jti: token }), 3000)
    const all = Array.from({ length: 3000 }, (_, index) => `token-${index}`)
    for (const token of all) await tokens.verify(token)
    for (const _ of [1, 2]) {
      expect(all.map((token) => tokens.get(token)?.principal.tokenId)).toEqual(all)
    }
  })

  it('neither an invalid token nor a failure is cached', async () => {
    const answers: (() => Promise<VerifiedToken | InvalidToken>)[] = [
      async () => ({ problem: 'wrong-claim' }),
      async () => {
        throw new Error('keys out of reach')
      },
      async () => verifiedOf(),
    ]
    const tokens = verifiedTokens(async () => answers.shift()!())
    expect(await tokens.verify('a')).toEqual({ problem: 'wrong-claim' })
    expect(tokens.get('a')).toBeUndefined()
    await expect(tokens.verify('a')).rejects.toThrow('keys out of reach')
    expect(await tokens.verify('a')).toHaveProperty('mode', 'direct')
    expect(answers).toHaveLength(0)
  })

  it('tokens that are used once do not evict the tokens in use', async () => {
    const verify = vi.fn(async () => verifiedOf())
    const tokens = verifiedTokens(verify, 10)
    const inUse = ['a', 'b', 'c']
    for (const token of inUse) await tokens.verify(token)
    for (let i = 0; i < 1000; i += 1) {
      await tokens.verify(`once ${i}`)
      for (const token of inUse) expect(tokens.get(token)).toBeDefined()
    }
  })

  it('a cache of size 0 caches no token', async () => {
    const tokens = verifiedTokens(async () => verifiedOf(), 0)
    expect(await tokens.verify('a')).toHaveProperty('mode', 'direct')
    expect(tokens.get('a')).toBeUndefined()
  })
})

describe('a principal', () => {
  it('a principal is frozen recursively, and has() reports its scopes', () => {
    const principal = principalOfClaims({
      scope: 'a b  c',
      user_id: 'u',
      grant_id: 'g',
      nested: { list: [{}] },
    })
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

  it('the principal of a token without a scope has no scopes', () => {
    const principal = principalOfClaims({ scope: undefined })
    expect(principal.scopes).toEqual([])
    expect(principal.has('')).toBe(false)
    expect('userId' in principal).toBe(false)
  })
})
