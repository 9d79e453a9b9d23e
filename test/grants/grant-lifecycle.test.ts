import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createGrantLifecycle, type GrantLifecycle } from '../../src/grants/grant-lifecycle.ts'
import { describeEachStore, watchWrites } from '../support/stores.ts'

const DAY = 86_400
const LIFETIMES = { refreshToken: 30 * DAY, delegatedAccessToken: 3600, storedConsent: 365 * DAY }
const START = Date.UTC(2026, 0, 1)

const now = () => Math.floor(Date.now() / 1000)

/** Makes a grant as an authorization does. */
async function make(lives: GrantLifecycle, grantId: string, more: object = {}): Promise<void> {
  const epochs = await lives.epochs.current({ accountId: 'alice' }, 'app')
  const record = { accountId: 'alice', clientId: 'app', iat: now(), exp: now() + 3600, epochs, ...more }
  await lives.records.create(grantId, record, 3600)
}

const idsOf = async (lives: GrantLifecycle, accountId = 'alice') =>
  (await lives.index.page(accountId, {})).items.map(({ grantId }) => grantId)

describe('a grant', () => {
  let store: Store
  let writes: string[]
  let lives: GrantLifecycle
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    ;({ store, writes } = watchWrites(memoryStore()))
    lives = createGrantLifecycle(store, LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())
  const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

  test('is listed before it lives longer, so that what can be used is always listed', async () => {
    await make(lives, 'g1')
    writes.splice(0)
    expect(await lives.begin('g1')).toBe(true)
    expect(writes.map((write) => write.replace(/:of:[^:]+/, ''))).toEqual([
      'add grants',
      expect.stringMatching(/^add grants:\d+$/),
      'replace grant:g1',
    ])
  })

  test('is listed for as long as it lives, whatever happens when, and no longer than a month more', async () => {
    const step = fc.record({
      grant: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('make', 'use', 'use', 'use', 'withdraw', 'delete'),
      days: fc.integer({ min: 0, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        vi.setSystemTime(START)
        const inner = memoryStore()
        const model = createGrantLifecycle(inner, LIFETIMES)
        let made = 0
        const current = new Map<string, string>()
        const usableUntil = new Map<string, number>()
        for (const { grant, what, days } of steps) {
          pass(days * DAY)
          let id = current.get(grant)
          if (what === 'make') {
            id = `${grant}${(made += 1)}`
            current.set(grant, id)
            await make(model, id)
            expect(await model.begin(id)).toBe(true)
            usableUntil.set(id, now() + LIFETIMES.refreshToken)
          } else if (id !== undefined && what === 'use') {
            const isUsable = (usableUntil.get(id) ?? 0) > now()
            const isKept = await model.keepAlive(id)
            if (isUsable) expect(isKept).toBe(true)
            if (isKept) usableUntil.set(id, now() + LIFETIMES.refreshToken)
          } else if (id !== undefined) {
            if (what === 'withdraw') await model.withdraw(id)
            else await model.delete(id)
            expect(await model.keepAlive(id)).toBe(false)
            expect(await model.begin(id)).toBe(false)
            usableUntil.delete(id)
          }
          const listed = await idsOf(model)
          expect(new Set(listed).size).toBe(listed.length)
          for (const [each, until] of usableUntil) if (until > now()) expect(listed).toContain(each)
          for (const each of listed)
            expect(await model.records.get(each)).toMatchObject({ accountId: 'alice' })
        }
        // Nothing is left behind, although nobody looks.
        pass(100 * DAY)
        expect(await idsOf(model)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('that is used day after day is written once a day, and put on another shelf once a month', async () => {
    await make(lives, 'g1')
    await lives.begin('g1')
    writes.splice(0)
    for (let count = 0; count < 120; count += 1) {
      pass(DAY / 4)
      expect(await lives.keepAlive('g1')).toBe(true)
    }
    expect(writes.filter((write) => write === 'replace grant:g1').length).toBeLessThanOrEqual(31)
    expect(writes.filter((write) => /^add grants:of:[^:]+:\d+$/.test(write))).toHaveLength(1)
    expect(await idsOf(lives)).toEqual(['g1'])
    expect((await lives.records.get('g1'))?.prolongedAt).toBeGreaterThan(now() - 2 * DAY)
  })

  test('of an older version is listed when it is prolonged, and prolonged when it is listed', async () => {
    await make(lives, 'old', { epochs: undefined, exp: now() + 31 * DAY })
    expect(await idsOf(lives)).toEqual([])
    expect(await lives.keepAlive('old')).toBe(true)
    expect(await idsOf(lives)).toEqual(['old'])
  })

  test('of an older version is gone at its next use if all was withdrawn before', async () => {
    await make(lives, 'old', { epochs: undefined, exp: now() + 31 * DAY })
    await lives.epochs.renew({ accountId: 'alice' })
    pass(29 * DAY)
    expect(await lives.keepAlive('old')).toBe(false)
    expect(await lives.records.get('old')).toBeUndefined()
    expect(await idsOf(lives)).toEqual([])
  })

  test('that was made in another epoch never comes into use, and is gone', async () => {
    await make(lives, 'one')
    await make(lives, 'two', { accountId: 'bob' })
    await lives.epochs.renew({ accountId: 'alice', clientId: 'app' })
    expect(await lives.begin('one')).toBe(false)
    expect(await lives.records.get('one')).toBeUndefined()
    expect(await idsOf(lives)).toEqual([])
    expect(await lives.begin('two')).toBe(true)
    await make(lives, 'three')
    expect(await lives.begin('three')).toBe(true)
  })

  test('outlives the epoch that it was made in', async () => {
    await lives.epochs.renew({ accountId: 'alice' })
    await make(lives, 'g1')
    await lives.begin('g1')
    for (let count = 0; count < 20; count += 1) {
      pass(20 * DAY)
      expect(await lives.keepAlive('g1')).toBe(true)
    }
    expect(await lives.epochs.current({ accountId: 'alice' }, 'app')).toEqual({})
    expect(await lives.begin('g1')).toBe(true)
  })

  test('whose entry could not be written stays usable, and is listed at the next attempt', async () => {
    await make(lives, 'g1')
    const away = createGrantLifecycle(
      { ...store, add: () => Promise.reject(new Error('read ECONNRESET')) },
      LIFETIMES,
    )
    await expect(away.begin('g1')).rejects.toThrow('ECONNRESET')
    expect((await lives.records.get('g1'))?.listedAt).toBeUndefined()
    expect(await lives.begin('g1')).toBe(true)
    expect(await idsOf(lives)).toEqual(['g1'])
  })
})

describeEachStore('the list of an account', (makeStore) => {
  let store: Store
  let lives: GrantLifecycle
  beforeEach(() => {
    store = makeStore()
    lives = createGrantLifecycle(store, LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())

  /** One that was authorized some days ago, and is used until today. */
  async function makeInUse(grantId: string, daysAgo: number, accountId = 'alice'): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: START + (100 - daysAgo) * DAY * 1000 })
    await make(lives, grantId, { accountId })
    expect(await lives.begin(grantId)).toBe(true)
    for (let left = daysAgo; left > 0; left -= 25) {
      vi.setSystemTime(START + (100 - left) * DAY * 1000)
      expect(await lives.keepAlive(grantId)).toBe(true)
    }
    vi.setSystemTime(START + 100 * DAY * 1000)
  }

  test('is in the order in which they were authorized, page by page, each once', async () => {
    for (const [id, daysAgo] of Object.entries({ c: 3, e: 1, a: 70, d: 2, b: 40 })) {
      await makeInUse(id, daysAgo)
    }
    const seen: string[] = []
    let pages = 0
    for (let after: string | undefined; ; pages += 1) {
      const { items, cursor } = await lives.index.page('alice', { cursor: after, limit: 2 })
      seen.push(...items.map(({ grantId }) => grantId))
      after = cursor
      if (after === undefined) break
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(pages).toBe(2)
  })

  test('skips what is gone, fills the page all the same, and tidies up', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await makeInUse(id, 5)
    await lives.records.delete('a')
    await lives.withdraw('b')
    const { items, cursor } = await lives.index.page('alice', { limit: 2 })
    expect(items.map(({ grantId }) => grantId)).toEqual(['c', 'd'])
    expect(cursor).toBeUndefined()
    const load = vi.fn(async () => [])
    const { createGrantIndex } = await import('../../src/grants/grant-index.ts')
    await createGrantIndex({ store, load }).page('alice', {})
    expect(load).toHaveBeenCalledWith(['c', 'd'])
  })

  test.each([
    ['of any length', 'x'.repeat(5000)],
    ['with colons', 'clients:of:alice'],
    ['of any alphabet', 'アカウント\u0000 😀'],
  ])('is kept for an account id %s', async (_name, accountId) => {
    await makeInUse('g1', 0, accountId)
    expect(await idsOf(lives, accountId)).toEqual(['g1'])
    expect(await idsOf(lives)).toEqual([])
  })
})

describeEachStore('the grants of one person for one application', (makeStore) => {
  const PAIR = { accountId: 'alice', userId: 'ann', clientId: 'app' }
  let lives: GrantLifecycle
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    lives = createGrantLifecycle(makeStore(), LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())

  async function use(grantId: string, pair: object = PAIR): Promise<void> {
    vi.setSystemTime(Date.now() + 1000)
    await make(lives, grantId, { ...PAIR, ...pair })
    expect(await lives.begin(grantId)).toBe(true)
  }
  const isCrowded = (accountId = 'alice') => lives.index.crowding(accountId)()

  test('are too many beyond 100 in use; what was revoked and what is of another pair does not count', async () => {
    for (let at = 0; at < 40; at += 1) await use(`a${at}`)
    await use('of bob', { userId: 'bob' })
    await use('of none', { userId: undefined })
    await use('of another application', { clientId: 'other' })
    expect(await isCrowded()).toBe(false)
    // Over the end of a shelf, with some that live on from the one before.
    for (let day = 0; day < 20; day += 1) {
      vi.setSystemTime(Date.now() + DAY * 1000)
      for (let at = 0; at < 40; at += 2) await lives.keepAlive(`a${at}`)
    }
    for (let at = 0; at < 61; at += 1) await use(`b${at}`)
    await make(lives, 'never used', PAIR)
    expect(await isCrowded()).toBe(true)
    expect(await isCrowded('bob')).toBe(false)
    expect(await lives.index.surplusOf(PAIR)).toEqual(['a0'])
    await lives.withdraw('a7')
    expect(await lives.index.surplusOf(PAIR)).toEqual([])
    await use('c')
    await use('d')
    expect(await lives.index.surplusOf(PAIR)).toEqual(['a0', 'a1'])
    expect(await lives.index.surplusOf({ ...PAIR, userId: 'bob' })).toEqual([])
  })

  test('are not counted where the store is away, and nothing fails', async () => {
    const away = createGrantLifecycle(
      { ...memoryStore(), range: () => Promise.reject(new Error('read ECONNRESET')) },
      LIFETIMES,
    )
    expect(await away.index.crowding('alice')()).toBe(false)
  })
})
