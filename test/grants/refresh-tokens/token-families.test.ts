// Also runs on: Redis
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { withDeadline } from '../../../src/store/resilient-store.ts'
import { createTokenFamilies, type TokenFamilies } from '../../../src/grants/refresh-tokens/token-families.ts'
import { createRefreshTokenFormat } from '../../../src/grants/refresh-tokens/token-format.ts'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const TTL = 1000
const TOMBSTONE_TTL = 120
const format = createRefreshTokenFormat([randomBytes(32)])

function open(store: Store): TokenFamilies {
  return createTokenFamilies(store, format, { tombstoneTtl: TOMBSTONE_TTL })
}

async function requireFound(families: TokenFamilies, token: string) {
  const found = await families.find(token)
  if (!found) throw new Error('not found')
  return found
}

/** Exchanges a refresh token as a request does. Returns undefined if the token was used before. */
async function exchange(families: TokenFamilies, token: string, next: string) {
  return families.rotate(await requireFound(families, token), next, { scope: 'a' }, TTL)
}

describeEachStore('token families', (makeStore) => {
  let families: TokenFamilies
  let grantId: string
  const mint = (generation: number) => format.mint({ grantId, generation })
  const stateOf = async (token: string) => (await families.find(token))?.state

  beforeEach(() => {
    families = open(makeStore())
    grantId = randomUUID()
  })
  afterEach(() => families.close())

  it('a family is started once by concurrent and repeated starts', async () => {
    const started = await Promise.all(
      Array.from({ length: 20 }, () => families.start(mint(0), { scope: 'a' }, TTL)),
    )
    expect(started.filter(Boolean)).toHaveLength(1)
    expect(await families.start(mint(0), { scope: 'a' }, TTL)).toBe(false)
  })

  it('a token yields its payload, and exactly one of its concurrent rotations succeeds', async () => {
    const first = mint(0)
    await families.start(first, { scope: 'a b', nested: { list: [1] } }, TTL)
    const found = await requireFound(families, first)
    expect(found).toMatchObject({ state: 'current', payload: { scope: 'a b', nested: { list: [1] } } })
    const nexts = Array.from({ length: 20 }, () => mint(1))
    const outcomes = await Promise.all(nexts.map((next) => families.rotate(found, next, { scope: 'a' }, TTL)))
    const won = outcomes.filter((outcome) => outcome !== undefined)
    expect(won).toHaveLength(1)
    const winner = nexts[outcomes.findIndex((outcome) => outcome !== undefined)] ?? ''
    expect(won).toEqual([{ next: winner, isRetry: false }])
    expect(await stateOf(winner)).toBe('current')
    expect(await stateOf(first)).toBe('used')
    for (const loser of nexts.filter((next) => next !== winner)) expect(await stateOf(loser)).toBeUndefined()
  })

  it('a used token tells how many seconds ago it was rotated, unless a later token was rotated or the longest grace period is over', async () => {
    let now = Date.now()
    const timed = createTokenFamilies(makeStore(), format, { tombstoneTtl: TOMBSTONE_TTL, now: () => now })
    const tokens = [mint(0), mint(1), mint(2)]
    await timed.start(tokens[0] ?? '', {}, TTL)
    await exchange(timed, tokens[0] ?? '', tokens[1] ?? '')
    const seconds = async (token = '') => (await requireFound(timed, token)).afterSeconds
    expect([await seconds(tokens[0]), await seconds(tokens[1])]).toEqual([1, undefined])
    now += 59_500
    expect(await seconds(tokens[0])).toBe(60)
    await exchange(timed, tokens[1] ?? '', tokens[2] ?? '')
    expect([await seconds(tokens[0]), await seconds(tokens[1])]).toEqual([undefined, 1])
    now += 60_001
    expect(await seconds(tokens[1])).toBeUndefined()
    timed.close()
  })

  it('a revoked family yields no token, and cannot be started again while its authorization code may be presented', async () => {
    const [first, second] = [mint(0), mint(1)]
    await families.start(first, {}, TTL)
    const found = await requireFound(families, first)
    await families.revoke(grantId)
    expect(await families.find(first)).toBeUndefined()
    expect(await families.rotate(found, second, {}, TTL)).toBeUndefined()
    expect(await families.start(mint(0), {}, TTL)).toBe(false)
    expect(await families.find(second)).toBeUndefined()
  })

  it('a family that is revoked before its start is never started', async () => {
    await families.revoke(grantId)
    expect(await families.start(mint(0), {}, TTL)).toBe(false)
  })

  it('at most one token of a family is usable, and used tokens stay used, after any sequence of operations', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('exchange' as const), of: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), of: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('start' as const), of: fc.constant(0) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        grantId = randomUUID()
        // The model: the tokens in order of issue. The last token is usable unless the family was revoked.
        const issued: string[] = []
        let isRevoked = false
        for (const { do: what, of } of steps) {
          if (what === 'start') {
            const token = mint(0)
            const isFirst = issued.length === 0 && !isRevoked
            expect(await families.start(token, {}, TTL)).toBe(isFirst)
            if (isFirst) issued.push(token)
          } else if (what === 'revoke') {
            await families.revoke(grantId)
            isRevoked = true
          } else {
            const token = issued.at(-1 - of)
            const found = token === undefined ? undefined : await families.find(token)
            if (!found) continue
            const next = mint(issued.length)
            const isWon = (await families.rotate(found, next, {}, TTL)) !== undefined
            expect(isWon).toBe(of === 0 && !isRevoked)
            if (isWon) issued.push(next)
          }
          const states = await Promise.all(issued.map(stateOf))
          const expected = issued.map((_, index) => (index === issued.length - 1 ? 'current' : 'used'))
          expect(states).toEqual(isRevoked ? issued.map(() => undefined) : expected)
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('the lifetime of token families', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('each rotation extends the lifetime of the family, and an unused family expires', async () => {
    const families = open(memoryStore())
    const mint = (generation: number) => format.mint({ grantId: 'grant', generation })
    const tokens = [mint(0), mint(1)] as const
    await families.start(tokens[0], {}, TTL)
    vi.setSystemTime(Date.now() + (TTL - 1) * 1000)
    expect(await exchange(families, tokens[0], tokens[1])).toMatchObject({ next: tokens[1] })
    vi.setSystemTime(Date.now() + (TTL - 1) * 1000)
    expect((await families.find(tokens[1]))?.state).toBe('current')
    vi.setSystemTime(Date.now() + 1000)
    expect(await families.find(tokens[1])).toBeUndefined()
    expect(await families.find(tokens[0])).toBeUndefined()
  })
})

describe('token families on a failing store', () => {
  const DEADLINE = 20
  let faulty: FaultyStore
  let families: TokenFamilies
  const mint = (generation: number) => format.mint({ grantId: 'grant', generation })

  beforeEach(() => {
    faulty = faultyStore(memoryStore(), { lateBy: Infinity })
    families = open(withDeadline(faulty.store, DEADLINE))
  })
  afterEach(() => families.close())

  it.each(FAULTS)(
    'a rotation during a fault of the store (fault: %s) leaves exactly one token usable',
    async (fault) => {
      const [first, second, third] = [mint(0), mint(1), mint(1)]
      await families.start(first, {}, TTL)
      const found = await requireFound(families, first)
      faulty.arm('replace refresh-family', fault)
      const outcome = await families.rotate(found, second, {}, TTL).catch(() => 'rejected')
      const isExchanged = fault === 'unanswered'
      expect(outcome).toEqual(isExchanged ? { next: second, isRetry: false } : 'rejected')
      await faulty.settled()
      const usable = isExchanged ? second : first
      expect((await families.find(usable))?.state).toBe('current')
      expect(await exchange(families, usable, isExchanged ? mint(2) : third)).toMatchObject({
        isRetry: false,
      })
    },
  )

  it.each(FAULTS)(
    'a start during a fault of the store (fault: %s) can be repeated, and succeeds once',
    async (fault) => {
      faulty.arm('create refresh-family', fault)
      const outcome = await families.start(mint(0), {}, TTL).catch(() => 'rejected')
      expect(outcome).toBe(fault === 'unanswered' ? true : 'rejected')
      await faulty.settled()
      const again = await Promise.all(
        [mint(0), mint(0), mint(0)].map((token) => families.start(token, {}, TTL)),
      )
      expect(again.filter(Boolean)).toHaveLength(outcome === true ? 0 : 1)
    },
  )

  it.each(FAULTS)(
    'a failed start, a second start during a fault (fault: %s) and a third start together start a family exactly once',
    async (fault) => {
      faulty.arm('create refresh-family', 'rejected')
      await expect(families.start(mint(0), {}, TTL)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      faulty.arm('replace refresh-family', fault)
      const outcome = await families.start(mint(0), {}, TTL).catch(() => 'rejected')
      await faulty.settled()
      expect(await families.start(mint(0), {}, TTL)).toBe(outcome === 'rejected')
    },
  )

  it('if the store answers none of several concurrent rotations, all are rolled back, whichever rotation was stored', async () => {
    for (const winner of [0, 1, 2]) {
      const grantId = `grant-${winner}`
      const first = format.mint({ grantId, generation: 0 })
      await families.start(first, {}, TTL)
      const found = await requireFound(families, first)
      faulty.arm()
      const attempts = [0, 1, 2].map((index) => {
        if (index === winner) faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
        else faulty.arm('replace refresh-family', 'rejected')
        return families
          .rotate(found, format.mint({ grantId, generation: 1 }), {}, TTL)
          .catch(() => 'rejected')
      })
      faulty.goAway()
      expect(await Promise.all(attempts)).toEqual(['rejected', 'rejected', 'rejected'])
      faulty.comeBack()
      expect((await families.find(first))?.state).toBe('current')
    }
  })

  it('a rotation that another process rolls back does not prevent the next rotation (fixed bug: the next rotation counted as a reuse and revoked the family)', async () => {
    const other = open(faulty.store)
    const [first, second, third] = [mint(0), mint(1), mint(1)]
    await families.start(first, {}, TTL)
    const found = await requireFound(families, first)
    const foundByOther = await requireFound(other, first)
    faulty.arm('replace refresh-family', 'rejected')
    await expect(families.rotate(found, second, {}, TTL)).rejects.toMatchObject({ status: 503 })
    faulty.arm()
    expect(await other.rotate(foundByOther, third, {}, TTL)).toEqual({ next: third, isRetry: false })
    expect(faulty.calls.filter((call) => call.startsWith('replace'))).toHaveLength(2)
    expect((await families.find(third))?.state).toBe('current')
  })

  it('finding a token rejects while the store is unavailable', async () => {
    const first = mint(0)
    await families.start(first, {}, TTL)
    const found = await requireFound(families, first)
    faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
    await expect(families.rotate(found, mint(1), {}, TTL)).rejects.toMatchObject({ status: 503 })
    await expect(families.find(first)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    await expect(families.start(mint(0), {}, TTL)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
  })

  it('a rotation that the store did not answer is rolled back in the background, but not after close()', async () => {
    const other = open(faulty.store)
    for (const isClosed of [false, true]) {
      const grantId = `grant-${isClosed}`
      const [first, second] = [0, 1].map((generation) => format.mint({ grantId, generation })) as [
        string,
        string,
      ]
      await families.start(first, {}, TTL)
      const found = await requireFound(families, first)
      faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
      await expect(families.rotate(found, second, {}, TTL)).rejects.toMatchObject({ status: 503 })
      if (isClosed) families.close()
      faulty.comeBack()
      await delay(250)
      expect((await other.find(first))?.state).toBe(isClosed ? 'used' : 'current')
    }
  })
})
