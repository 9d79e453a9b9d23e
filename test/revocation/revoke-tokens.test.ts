// Also runs on: Redis
import { beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { withDeadline } from '../../src/store/resilient-store.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import type { RevocationSpec } from '../../src/revocation/kept-until.ts'
import { createRevocations } from '../../src/revocation/revoke-tokens.ts'
import { FAULTS, faultyStore } from '../support/faulty-store.ts'
import { describeEachStore } from '../support/stores.ts'

const START = Date.UTC(2027, 0, 10, 12, 30)
const LIFETIME = 864_000
const MINUTE = 60_000

let time = START
beforeEach(() => {
  time = START
})

/** Creates the revocation services of a process on a store. */
function processOn(store: Store, { lifetime = LIFETIME, delegated = LIFETIME, ahead = 0 } = {}) {
  const now = () => time + ahead
  const set = createRevocationSet()
  const log = createRevocationLog(store, { now })
  const events: { of: string; id: string }[] = []
  const revocations = createRevocations({
    log,
    set,
    longestLifetime: createLongestLifetime(store, lifetime),
    longestDelegatedLifetime: createLongestLifetime(store, delegated, 'delegated'),
    events: { emit: (name, event) => void events.push({ name, ...event } as never) },
    now,
  })
  const isRevoked = (epoch: number, clientId = 'c1') =>
    set.isTokenRevoked({
      tokenId: 't1',
      clientId,
      scopes: [],
      keyId: 'k1',
      expiresAt: 2_000_000_000,
      claims: { access_epoch: epoch },
    })
  return { ...revocations, log, set, events, isRevoked }
}

/** Creates a process that has read all revocations in the store, as a process has after its start. */
async function startedOn(store: Store) {
  const process = processOn(store)
  let cursor: string | undefined
  for (let more = true; more;) {
    const page = await process.log.read(cursor)
    process.set.add(page.revocations)
    ;({ cursor, more } = page)
  }
  return process
}

const spec: RevocationSpec = { of: 'client', id: 'c1', below: 6 }
describeEachStore('revoke()', (makeStore) => {
  it('a revocation is known at once in the process that revokes, stored for all processes, and emitted as an event', async () => {
    const store = makeStore()
    const here = processOn(store)
    await here.revoke(spec, { of: 'token', id: 't9', until: START / 1000 + 60 })
    expect(here.isRevoked(5)).toBe(true)
    expect(here.isRevoked(6)).toBe(false)
    const elsewhere = await startedOn(store)
    expect(elsewhere.isRevoked(5)).toBe(true)
    expect(elsewhere.set.size).toBe(2)
    expect(here.events).toEqual([
      { name: 'token.revoked', of: 'client', id: 'c1' },
      { name: 'token.revoked', of: 'token', id: 't9' },
    ])
  })

  it('revoke() without a revocation stores nothing', async () => {
    const store = makeStore()
    const here = processOn(store)
    await here.revoke()
    expect(here.events).toEqual([])
    expect(await store.range('revocations:buckets', { limit: 1 })).toEqual([])
  })

  it('a revocation is kept for the longest token lifetime that any process has announced in the store', async () => {
    const store = makeStore()
    await createLongestLifetime(store, LIFETIME * 3).seconds()
    for (let times = 0; times < 10; times += 1) {
      await processOn(store).revoke(spec)
      time += MINUTE
    }
    time += 20 * MINUTE
    const { revocations } = await processOn(store).log.read(undefined)
    const end = START / 1000 + LIFETIME * 3
    // Repeated revocations within an hour are stored once.
    expect(revocations).toHaveLength(1)
    // Two minutes are added because clocks differ, and the end is rounded up to a full hour.
    expect(revocations[0]?.until).toBeGreaterThanOrEqual(end + 120)
    expect(revocations[0]?.until).toBeLessThan(end + 120 + 3600)
  })

  it('a revocation of a grant is kept for the longest lifetime of the tokens of grants', async () => {
    const store = makeStore()
    const here = processOn(store, { delegated: 3600 })
    await createLongestLifetime(store, 7200, 'delegated').seconds()
    await here.revoke({ of: 'grant', id: 'g1' }, { of: 'client', id: 'c1', below: 1 })
    const { revocations } = await here.log.read(undefined)
    const hours = Object.fromEntries(
      revocations.map(({ of, until }) => [of, Math.floor((until - START / 1000) / 3600)]),
    )
    expect(hours['grant']).toBeGreaterThanOrEqual(2)
    expect(hours['grant']).toBeLessThanOrEqual(3)
    expect(hours['client']).toBeGreaterThanOrEqual(LIFETIME / 3600)
  })

  it('a revocation with its own end is kept until two minutes after that end', async () => {
    const store = makeStore()
    await processOn(store).revoke({ of: 'token', id: 't1', until: START / 1000 + 60 })
    const { revocations } = await processOn(store).log.read(undefined)
    expect(revocations).toEqual([{ of: 'token', id: 't1', until: START / 1000 + 180 }])
  })
})

describe('a revocation that is not valid', () => {
  it.each<[string, RevocationSpec]>([
    ['an empty id', { of: 'token', id: '' }],
    ['a threshold that is not a number', { of: 'client', id: 'c1', below: Number.NaN }],
    ['an end that is not a number', { of: 'token', id: 't1', until: Number.NaN }],
    ['an operation and no threshold', { of: 'operation', id: 'a:b' } as never],
  ])('a revocation with %s is rejected before anything is revoked', async (_, wrong) => {
    const store = memoryStore()
    const here = processOn(store)
    await expect(here.revoke(spec, wrong)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    expect(here.set.size).toBe(0)
    expect((await startedOn(store)).set.size).toBe(0)
  })
})

describe('revoking while the store is unavailable', () => {
  it('a revocation that cannot be stored rejects, applies in this process, and emits no event', async () => {
    const faulty = faultyStore(memoryStore())
    const here = processOn(withDeadline(faulty.store, 20))
    faulty.goAway()
    await expect(here.revoke(spec)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(here.isRevoked(5)).toBe(true)
    expect(here.events).toEqual([])
  })
})

describeEachStore('the longest lifetime', (makeStore) => {
  it('the longest lifetime is the maximum of all lifetimes that processes announce concurrently, and never decreases', async () => {
    const store = makeStore()
    const lifetimes = [60, 3600, LIFETIME, 86_400].map((seconds) => createLongestLifetime(store, seconds))
    expect(lifetimes[0]?.secondsKnown).toBe(60)
    await Promise.all(lifetimes.flatMap((each) => [each.seconds(), each.seconds()]))
    for (const each of lifetimes) expect(await each.seconds()).toBe(LIFETIME)
    expect(lifetimes[0]?.secondsKnown).toBe(LIFETIME)
    expect(await createLongestLifetime(store, 5).seconds()).toBe(LIFETIME)
  })

  it('a longer lifetime that another process announces later is returned by the next read', async () => {
    const store = makeStore()
    const short = createLongestLifetime(store, 60)
    expect(await short.seconds()).toBe(60)
    await createLongestLifetime(store, 3600).seconds()
    expect(await short.seconds()).toBe(3600)
  })

  it('a process restores the longest lifetime to a store that has lost it', async () => {
    const store = makeStore()
    const long = createLongestLifetime(store, 3600)
    const short = createLongestLifetime(store, 60)
    await long.seconds()
    await short.seconds()
    await store.delete('signing-keys:longest-lifetime')
    expect(await short.seconds()).toBe(3600)
  })
})

describe('the longest lifetime on a failing store', () => {
  it.each(FAULTS)('reading the longest lifetime rejects if the store fails (fault: %s)', async (fault) => {
    for (let call = 0; call < 2; call += 1) {
      const inner = memoryStore()
      const faulty = faultyStore(inner, { lateBy: 20 })
      const lifetime = createLongestLifetime(withDeadline(faulty.store, 10), 60)
      faulty.arm(call, fault)
      await expect(lifetime.seconds()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      await faulty.settled()
      expect(await lifetime.seconds()).toBe(60)
    }
  })
})
