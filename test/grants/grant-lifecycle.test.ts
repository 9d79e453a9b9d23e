import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createGrantLifecycle, type GrantLifecycle } from '../../src/grants/grant-lifecycle.ts'
import { describeEachStore, watchWrites } from '../support/stores.ts'

const DAY = 86_400
const LIFETIMES = { refreshToken: 30 * DAY, delegatedAccessToken: 3600 }
const START = Date.UTC(2026, 0, 1)

const now = () => Math.floor(Date.now() / 1000)

/** Creates the record of a grant, as an authorization does. */
async function make(lifecycle: GrantLifecycle, grantId: string, more: object = {}): Promise<void> {
  const versions = await lifecycle.consentVersions.current({ accountId: 'alice' }, 'app')
  const record = { accountId: 'alice', clientId: 'app', iat: now(), exp: now() + 3600, versions, ...more }
  await lifecycle.records.create(grantId, record, 3600)
}

const idsOf = async (lifecycle: GrantLifecycle, accountId = 'alice') =>
  (await lifecycle.index.page(accountId, {})).items.map(({ grantId }) => grantId)

describe('the grant lifecycle', () => {
  let store: Store
  let writes: string[]
  let lifecycle: GrantLifecycle
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    ;({ store, writes } = watchWrites(memoryStore()))
    lifecycle = createGrantLifecycle(store, LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())
  const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

  it('a grant is listed before its record is extended, so that every usable grant is listed', async () => {
    await make(lifecycle, 'g1')
    writes.splice(0)
    expect(await lifecycle.activate('g1')).toBe(true)
    expect(writes.map((write) => write.replace(/:of:[^:]+/, ''))).toEqual([
      'add grants',
      expect.stringMatching(/^add grants:\d+$/),
      'replace grant:g1',
    ])
  })

  it('after any sequence of changes, a grant is listed while it is usable, and for at most a month after that', async () => {
    const step = fc.record({
      grant: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('make', 'use', 'use', 'use', 'revoke', 'delete'),
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
            expect(await model.activate(id)).toBe(true)
            usableUntil.set(id, now() + LIFETIMES.refreshToken)
          } else if (id !== undefined && what === 'use') {
            const isUsable = (usableUntil.get(id) ?? 0) > now()
            const isKept = await model.extend(id)
            if (isUsable) expect(isKept).toBe(true)
            if (isKept) usableUntil.set(id, now() + LIFETIMES.refreshToken)
          } else if (id !== undefined) {
            if (what === 'revoke') await model.revoke(id)
            else await model.delete(id)
            expect(await model.extend(id)).toBe(false)
            expect(await model.activate(id)).toBe(false)
            usableUntil.delete(id)
          }
          const listed = await idsOf(model)
          expect(new Set(listed).size).toBe(listed.length)
          for (const [each, until] of usableUntil) if (until > now()) expect(listed).toContain(each)
          for (const each of listed)
            expect(await model.records.get(each)).toMatchObject({ accountId: 'alice' })
        }
        // Expired entries vanish even if no process reads them.
        pass(100 * DAY)
        expect(await idsOf(model)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('a grant in use is written at most once a day, and is added to a new expiry bucket of its list once a month', async () => {
    await make(lifecycle, 'g1')
    await lifecycle.activate('g1')
    writes.splice(0)
    for (let count = 0; count < 120; count += 1) {
      pass(DAY / 4)
      expect(await lifecycle.extend('g1')).toBe(true)
    }
    expect(writes.filter((write) => write === 'replace grant:g1').length).toBeLessThanOrEqual(31)
    expect(writes.filter((write) => /^add grants:of:[^:]+:\d+$/.test(write))).toHaveLength(1)
    expect(await idsOf(lifecycle)).toEqual(['g1'])
    expect((await lifecycle.records.get('g1'))?.usedAt).toBeGreaterThan(now() - 2 * DAY)
  })

  it('a grant whose activation was lost in a failover is listed and extended at its next use', async () => {
    await make(lifecycle, 'lost', { exp: now() + 31 * DAY })
    expect(await idsOf(lifecycle)).toEqual([])
    expect(await lifecycle.extend('lost')).toBe(true)
    expect(await idsOf(lifecycle)).toEqual(['lost'])
  })

  it('a grant whose activation was lost is deleted at its next use if all grants of the account were revoked after the grant was made', async () => {
    await make(lifecycle, 'lost', { exp: now() + 31 * DAY })
    await lifecycle.consentVersions.renew({ accountId: 'alice' })
    pass(29 * DAY)
    expect(await lifecycle.extend('lost')).toBe(false)
    expect(await lifecycle.records.get('lost')).toBeUndefined()
    expect(await idsOf(lifecycle)).toEqual([])
  })

  it('a grant of an older consent version is never activated, and is deleted', async () => {
    await make(lifecycle, 'one')
    await make(lifecycle, 'two', { accountId: 'bob' })
    await lifecycle.consentVersions.renew({ accountId: 'alice', clientId: 'app' })
    expect(await lifecycle.activate('one')).toBe(false)
    expect(await lifecycle.records.get('one')).toBeUndefined()
    expect(await idsOf(lifecycle)).toEqual([])
    expect(await lifecycle.activate('two')).toBe(true)
    await make(lifecycle, 'three')
    expect(await lifecycle.activate('three')).toBe(true)
  })

  it('a grant stays active after the consent version with which it was made has expired in the store', async () => {
    await lifecycle.consentVersions.renew({ accountId: 'alice' })
    await make(lifecycle, 'g1')
    await lifecycle.activate('g1')
    for (let count = 0; count < 20; count += 1) {
      pass(20 * DAY)
      expect(await lifecycle.extend('g1')).toBe(true)
    }
    expect(await lifecycle.consentVersions.current({ accountId: 'alice' }, 'app')).toEqual({})
    expect(await lifecycle.activate('g1')).toBe(true)
  })

  it('if the list entry of a grant could not be written, the next activation of the grant writes the entry', async () => {
    await make(lifecycle, 'g1')
    const away = createGrantLifecycle(
      { ...store, add: () => Promise.reject(new Error('read ECONNRESET')) },
      LIFETIMES,
    )
    await expect(away.activate('g1')).rejects.toThrow('ECONNRESET')
    expect((await lifecycle.records.get('g1'))?.listedAt).toBeUndefined()
    expect(await lifecycle.activate('g1')).toBe(true)
    expect(await idsOf(lifecycle)).toEqual(['g1'])
  })
})

describeEachStore('the grants of an account', (makeStore) => {
  let store: Store
  let lifecycle: GrantLifecycle
  beforeEach(() => {
    store = makeStore()
    lifecycle = createGrantLifecycle(store, LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())

  /** Creates a grant that was authorized `daysAgo` days ago and has been used until today. */
  async function makeInUse(grantId: string, daysAgo: number, accountId = 'alice'): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: START + (100 - daysAgo) * DAY * 1000 })
    await make(lifecycle, grantId, { accountId })
    expect(await lifecycle.activate(grantId)).toBe(true)
    for (let left = daysAgo; left > 0; left -= 25) {
      vi.setSystemTime(START + (100 - left) * DAY * 1000)
      expect(await lifecycle.extend(grantId)).toBe(true)
    }
    vi.setSystemTime(START + 100 * DAY * 1000)
  }

  it('the pages of a list contain each grant once, in the order of authorization', async () => {
    for (const [id, daysAgo] of Object.entries({ c: 3, e: 1, a: 70, d: 2, b: 40 })) {
      await makeInUse(id, daysAgo)
    }
    const seen: string[] = []
    let pages = 0
    for (let after: string | undefined; ; pages += 1) {
      const { items, cursor } = await lifecycle.index.page('alice', { cursor: after, limit: 2 })
      seen.push(...items.map(({ grantId }) => grantId))
      after = cursor
      if (after === undefined) break
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(pages).toBe(2)
  })

  it('reading a page of grants skips deleted and revoked grants, and fills the page with later grants', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await makeInUse(id, 5)
    await lifecycle.records.delete('a')
    await lifecycle.revoke('b')
    const { items, cursor } = await lifecycle.index.page('alice', { limit: 2 })
    expect(items.map(({ grantId }) => grantId)).toEqual(['c', 'd'])
    expect(cursor).toBeUndefined()
  })

  it.each([
    ['of any length', 'x'.repeat(5000)],
    ['with colons', 'clients:of:alice'],
    ['with any characters', 'アカウント\u0000 😀'],
  ])('grants are listed for an account id %s', async (_name, accountId) => {
    await makeInUse('g1', 0, accountId)
    expect(await idsOf(lifecycle, accountId)).toEqual(['g1'])
    expect(await idsOf(lifecycle)).toEqual([])
  })
})

describeEachStore('the grants of one person for one application', (makeStore) => {
  const PAIR = { accountId: 'alice', userId: 'ann', clientId: 'app' }
  let lifecycle: GrantLifecycle
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    lifecycle = createGrantLifecycle(makeStore(), LIFETIMES)
  })
  afterEach(() => void vi.useRealTimers())

  async function use(grantId: string, pair: object = PAIR): Promise<void> {
    vi.setSystemTime(Date.now() + 1000)
    await make(lifecycle, grantId, { ...PAIR, ...pair })
    expect(await lifecycle.activate(grantId)).toBe(true)
  }
  const mayExceedLimit = (accountId = 'alice') => lifecycle.index.startLimitCheck(accountId)()

  it('a person with more than 100 grants in use for one application exceeds the limit, and revoked grants do not count', async () => {
    for (let at = 0; at < 40; at += 1) await use(`a${at}`)
    await use('of bob', { userId: 'bob' })
    await use('of none', { userId: undefined })
    await use('of another application', { clientId: 'other' })
    expect(await mayExceedLimit()).toBe(false)
    // In the next twenty days, half of the grants are extended. The list of grants is divided by expiry into
    // buckets. Each extended grant is then in two buckets: that of its first expiry and that of its new expiry.
    for (let day = 0; day < 20; day += 1) {
      vi.setSystemTime(Date.now() + DAY * 1000)
      for (let at = 0; at < 40; at += 2) await lifecycle.extend(`a${at}`)
    }
    for (let at = 0; at < 61; at += 1) await use(`b${at}`)
    await make(lifecycle, 'never used', PAIR)
    expect(await mayExceedLimit()).toBe(true)
    expect(await mayExceedLimit('bob')).toBe(false)
    expect(await lifecycle.index.listOverLimit(PAIR)).toEqual(['a0'])
    await lifecycle.revoke('a7')
    expect(await lifecycle.index.listOverLimit(PAIR)).toEqual([])
    await use('c')
    await use('d')
    expect(await lifecycle.index.listOverLimit(PAIR)).toEqual(['a0', 'a1'])
    expect(await lifecycle.index.listOverLimit({ ...PAIR, userId: 'bob' })).toEqual([])
  })

  it('the limit check of an account answers false while the store is unavailable', async () => {
    const away = createGrantLifecycle(
      { ...memoryStore(), range: () => Promise.reject(new Error('read ECONNRESET')) },
      LIFETIMES,
    )
    expect(await away.index.startLimitCheck('alice')()).toBe(false)
  })
})
