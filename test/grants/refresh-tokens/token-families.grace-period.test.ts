// Also runs on: Redis
import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { withDeadline } from '../../../src/store/resilient-store.ts'
import {
  createTokenFamilies,
  type Rotation,
  type TokenFamilies,
} from '../../../src/grants/refresh-tokens/token-families.ts'
import { createGracePeriod } from '../../../src/grants/refresh-tokens/grace-period.ts'
import { createRefreshTokenFormat } from '../../../src/grants/refresh-tokens/token-format.ts'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const TTL = 1000
const SECONDS = 10
const NOW = Date.UTC(2026, 0, 1)
const format = createRefreshTokenFormat([randomBytes(32)])
const gracePeriod = createGracePeriod({ seconds: SECONDS, keys: [randomBytes(32)] })

function open(
  store: Store,
  options: { gracePeriod?: typeof gracePeriod | undefined } = { gracePeriod },
): TokenFamilies {
  return createTokenFamilies(store, format, { tombstoneTtl: 120, ...options })
}

const generationOf = (token: string) => format.parse(token)?.generation ?? NaN
const grantOf = (token: string) => format.parse(token)?.grantId ?? ''
const mintAfter = (token: string) =>
  format.mint({ grantId: grantOf(token), generation: generationOf(token) + 1 })
const mintFirst = () => format.mint({ grantId: randomUUID(), generation: 0 })

/** Refreshes as a request does. Returns undefined if the token is no longer usable. */
async function refresh(families: TokenFamilies, token: string): Promise<Rotation | undefined> {
  const found = await families.find(token)
  return found && families.rotate(found, mintAfter(token), { scope: 'a' }, TTL)
}

async function requireRefreshed(families: TokenFamilies, token: string): Promise<Rotation> {
  const exchange = await refresh(families, token)
  if (!exchange) throw new Error('used before')
  return exchange
}

async function startFamily(families: TokenFamilies): Promise<string> {
  const first = mintFirst()
  expect(await families.start(first, { scope: 'a' }, TTL)).toBe(true)
  return first
}

const stateOf = async (families: TokenFamilies, token: string) => (await families.find(token))?.state

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

describeEachStore('token families with a grace period', (makeStore) => {
  let store: Store
  let families: TokenFamilies
  beforeEach(() => {
    store = makeStore()
    families = open(store)
  })
  afterEach(() => families.close())

  it('50 concurrent rotations yield the same successor, and all but one are retries', async () => {
    const first = await startFamily(families)
    const exchanges = await Promise.all(Array.from({ length: 50 }, () => requireRefreshed(families, first)))
    expect(new Set(exchanges.map(({ next }) => next)).size).toBe(1)
    expect(exchanges.filter(({ isRetry }) => !isRetry)).toHaveLength(1)
  })

  it('a request finds a token, another request retries the previous token, and the first request can still rotate its token', async () => {
    const first = await startFamily(families)
    const { next: second } = await requireRefreshed(families, first)
    const found = await families.find(second)
    expect(await refresh(families, first)).toMatchObject({ isRetry: true })
    const third = mintAfter(second)
    expect(found && (await families.rotate(found, third, {}, TTL))).toEqual({ next: third, isRetry: false })
  })

  it('a token yields no successor outside of its grace period, or after the successor was used', async () => {
    const first = await startFamily(families)
    const { next: second } = await requireRefreshed(families, first)
    for (const [at, state] of [
      [NOW + SECONDS * 1000 - 1, 'retryable'],
      [NOW + SECONDS * 1000, 'used'],
      [NOW - 3_600_000, 'used'],
      [NOW, 'retryable'],
    ] as const) {
      vi.setSystemTime(at)
      expect(await stateOf(families, first)).toBe(state)
    }
    await requireRefreshed(families, second)
    expect(await stateOf(families, first)).toBe('used')
    expect(await refresh(families, first)).toBeUndefined()
  })

  it('a process without a grace period stores no successors, and ignores the successors that another process stored', async () => {
    const off = open(store, {})
    const first = await startFamily(off)
    const { next: second } = await requireRefreshed(off, first)
    expect(JSON.parse((await store.get(`refresh-family:${grantOf(first)}`)) ?? '')).toEqual({
      v: 1,
      generation: 1,
      current: expect.any(String),
      payload: { scope: 'a' },
      issuedAt: expect.any(Number),
    })
    expect(await stateOf(families, first)).toBe('used')
    await requireRefreshed(families, second)
    expect(await stateOf(off, second)).toBe('used')
    expect(await stateOf(families, second)).toBe('retryable')
  })

  it('a revoked family and a forged token yield no successor', async () => {
    const first = await startFamily(families)
    const { next } = await requireRefreshed(families, first)
    const found = await families.find(first)
    const [grantId, generation, random = '', mac] = first.split('.')
    const other = `${random.startsWith('A') ? 'B' : 'A'}${random.slice(1)}`
    expect(await families.find([grantId, generation, other, mac].join('.'))).toBeUndefined()
    await families.revoke(grantOf(first))
    expect(await families.find(first)).toBeUndefined()
    expect(found && (await families.rotate(found, mintAfter(first), {}, TTL))).toBeUndefined()
    expect(await families.find(next)).toBeUndefined()
  })

  it('the records of a grant do not grow with refreshes and retries', async () => {
    let token = await startFamily(families)
    const sizes: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const { next } = await requireRefreshed(families, token)
      await requireRefreshed(families, token)
      token = next
      sizes.push((await store.get(`refresh-family:${grantOf(token)}`))?.length ?? 0)
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(8)
    expect(Math.max(...sizes)).toBeLessThan(600)
  })

  it('a family has one current and at most one retryable token after any sequence of operations', async () => {
    const step = fc.record({ of: fc.nat(3), wait: fc.constantFrom(0, 0, SECONDS * 600, SECONDS * 1000) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        vi.setSystemTime(NOW)
        // The model: the tokens in order of issue, and the time of the last rotation.
        const issued = [await startFamily(families)]
        let exchangedAt = -Infinity
        for (const { of, wait } of steps) {
          vi.setSystemTime(Date.now() + wait)
          const token = issued.at(-1 - of)
          if (token === undefined) continue
          const isFresh = Date.now() - exchangedAt < SECONDS * 1000
          const exchange = await refresh(families, token)
          if (of === 0) {
            expect(exchange).toMatchObject({ isRetry: false })
            issued.push(exchange?.next ?? '')
            exchangedAt = Date.now()
          } else if (of === 1 && isFresh) expect(exchange).toEqual({ next: issued.at(-1), isRetry: true })
          else expect(exchange).toBeUndefined()
          const states = await Promise.all(issued.map((each) => stateOf(families, each)))
          const before = Date.now() - exchangedAt < SECONDS * 1000 ? 'retryable' : 'used'
          const expected = issued.toReversed().map((_, age) => ['current', before][age] ?? 'used')
          expect(states.toReversed()).toEqual(expected)
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('token families with a grace period on a failing store', () => {
  const DEADLINE = 20
  let inner: Store
  let faulty: FaultyStore
  /** The process whose store fails. `there` is another process on the same data. */
  let here: TokenFamilies
  let there: TokenFamilies

  beforeEach(() => {
    inner = memoryStore()
    faulty = faultyStore(inner, { lateBy: Infinity })
    here = open(withDeadline(faulty.store, DEADLINE))
    there = open(inner)
  })
  afterEach(() => {
    here.close()
    there.close()
  })

  /**
   * Expects in both processes that `token` is current and can be refreshed, and that the tokens in `others`
   * are not current.
   */
  async function expectOnlyCurrent(token: string, others: readonly string[]): Promise<void> {
    for (const families of [here, there]) {
      expect(await stateOf(families, token)).toBe('current')
      for (const each of others) expect(await stateOf(families, each)).not.toBe('current')
    }
    const { next } = await requireRefreshed(there, token)
    expect(await stateOf(here, next)).toBe('current')
  }

  it('if a rotation was rolled back, a retry at another process rotates the token again', async () => {
    const first = await startFamily(here)
    faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
    await expect(refresh(here, first)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    const found = await there.find(first)
    expect(found?.state).toBe('retryable')
    const undelivered = found?.next ?? ''
    faulty.comeBack()
    // A request at the first process rolls the rotation back before the retry.
    expect(await stateOf(here, first)).toBe('current')
    const answer = found && (await there.rotate(found, mintAfter(first), {}, TTL))
    expect(answer).toMatchObject({ isRetry: false })
    expect(answer?.next).not.toBe(undelivered)
    await expectOnlyCurrent(answer?.next ?? '', [first, undelivered])
  })

  it('a client keeps one usable token after any sequence of failures', async () => {
    const attempt = fc.record({
      fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
      at: fc.nat(1),
      isAway: fc.boolean(),
      retriesElsewhere: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 6 }), async (attempts) => {
        let token = await startFamily(there)
        const used: string[] = []
        for (const { fault, at, isAway, retriesElsewhere } of attempts) {
          faulty.arm(fault && at, fault, { thenAway: isAway })
          const first = await refresh(here, token).catch(() => undefined)
          if (!retriesElsewhere) {
            faulty.comeBack()
            await faulty.settled()
          }
          // The client sends the same token again, whether or not it received the first response.
          const { next } = await requireRefreshed(retriesElsewhere ? there : here, token)
          if (first) expect(next).toBe(first.next)
          faulty.comeBack()
          await faulty.settled()
          used.push(token)
          token = next
          expect(await stateOf(here, token)).toBe('current')
          expect(await stateOf(there, token)).toBe('current')
        }
        await expectOnlyCurrent(token, used)
      }),
      { numRuns: 30 },
    )
  })
})
