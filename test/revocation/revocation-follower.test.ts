import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError } from '../../src/errors.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createRevocationFollower, type StalenessPolicy } from '../../src/revocation/revocation-follower.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import type { Revocation } from '../../src/revocation/revocation.ts'
import { createRevocationSet } from '../../src/revocation/revocation-set.ts'
import type { RevocationPage, RevocationSource } from '../../src/revocation/revocation-source.ts'

const START = Date.UTC(2027, 0, 10, 12)
const UNTIL = START / 1000 + 864_000
const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A source that does what the test says; by itself it has nothing new. */
function scriptedSource() {
  const heard = new Set<(revocation: Revocation) => void>()
  const missed = new Set<() => void>()
  const answers: (() => Promise<RevocationPage>)[] = []
  const cursors: (string | undefined)[] = []
  let subscriptions = 0
  const nothing = async (): Promise<RevocationPage> => page([])

  const source: RevocationSource = {
    read(cursor) {
      cursors.push(cursor)
      return (answers.shift() ?? nothing)()
    },
    async listen(listener, lost) {
      subscriptions += 1
      heard.add(listener)
      missed.add(lost)
      return async () => {
        heard.delete(listener)
        missed.delete(lost)
      }
    },
  }
  return {
    source,
    cursors,
    get subscriptions() {
      return subscriptions
    },
    get listeners() {
      return heard.size
    },
    /** The next readings that are not said yet answer so. */
    answer: (...next: (RevocationPage | Promise<RevocationPage> | Error)[]) =>
      answers.push(
        ...next.map((each) => async () => {
          if (each instanceof Error) throw each
          return each
        }),
      ),
    say: (revocation: Revocation) => heard.forEach((listener) => listener(revocation)),
    reconnect: () => missed.forEach((listener) => listener()),
  }
}

function page(ids: readonly string[], { cursor = 'end', more = false } = {}): RevocationPage {
  return { revocations: ids.map(token), cursor, more }
}

function token(id: string): Revocation {
  return { of: 'token', id, until: UNTIL }
}

function away() {
  return new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is away')
}

function setUp(policy: Partial<StalenessPolicy> = {}, source = scriptedSource()) {
  const set = createRevocationSet()
  const told: { isStale: boolean; ageSeconds: number }[] = []
  const follower = createRevocationFollower({
    source: source.source,
    set,
    policy: { pollIntervalSeconds: 5, whenStale: 'serve', maxStalenessSeconds: 60, ...policy },
    logger: silentLogger,
    onFreshness: (freshness) => told.push(freshness),
  })
  const isDead = (tokenId: string) =>
    set.isTokenRevoked({ tokenId, clientId: 'c1', scopes: [], keyId: 'k1', claims: {} })
  return { ...source, source, set, follower, told, isDead }
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)

// It stands among the recent ones of a time that nobody reads any more, so a poller never heard of it.
test('what a process wrote whose clock was minutes behind is heard of within the hour, without a message', async () => {
  const store = memoryStore()
  const { read } = createRevocationLog(store)
  const { follower, isDead } = setUp({}, { ...scriptedSource(), source: { read } })
  await follower.start()
  const slow = createRevocationLog(store, { now: () => Date.now() - 300_000 })
  await slow.add([token('a')])
  await seconds(300)
  expect(isDead('a')).toBe(false)
  await seconds(3600)
  expect(isDead('a')).toBe(true)
  await follower.close()
})

test('all are read anew once an hour, from their beginning, and otherwise only what is new', async () => {
  const { follower, cursors } = setUp({ pollIntervalSeconds: 60 })
  await follower.start()
  await seconds(3.5 * 3600)
  expect(cursors.filter((cursor) => cursor === undefined)).toHaveLength(4)
  expect(cursors.length).toBeGreaterThan(200)
  await follower.close()
})

describe('starting', () => {
  test('reads all pages, one after the other, and then goes on from the last', async () => {
    const { follower, isDead, answer, cursors } = setUp()
    answer(page(['a'], { cursor: 'one', more: true }), page(['b'], { cursor: 'two' }))
    await follower.start()
    expect(isDead('a') && isDead('b')).toBe(true)
    expect(isDead('c')).toBe(false)
    await seconds(5)
    expect(cursors).toEqual([undefined, 'one', 'two'])
    await follower.close()
  })

  test('listens before it reads, so that nothing in between is missed', async () => {
    const { source, follower, isDead, say, answer } = setUp()
    let go: (answer: RevocationPage) => void = () => {}
    answer(new Promise<RevocationPage>((resolve) => (go = resolve)))
    const started = follower.start()
    await nextTurn()
    expect(source.cursors).toHaveLength(1)
    say(token('said while reading'))
    expect(isDead('said while reading')).toBe(true)
    go(page(['read']))
    await started
    expect(isDead('read')).toBe(true)
    await follower.close()
  })

  test('fails as the source fails, and is tried again with one subscription', async () => {
    const { source, follower, told, answer } = setUp()
    answer(away(), away())
    await expect(follower.start()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    await expect(follower.start()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    await follower.start()
    expect(source.subscriptions).toBe(1)
    expect(told).toEqual([])
    await follower.close()
    expect(source.listeners).toBe(0)
  })

  test('fails as listening fails, and listens at the next attempt', async () => {
    const script = scriptedSource()
    const { listen } = script.source
    let attempts = 0
    script.source.listen = async (...args) => {
      attempts += 1
      if (attempts === 1 || !listen) throw away()
      return listen(...args)
    }
    const { follower, isDead } = setUp({}, script)
    await expect(follower.start()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(script.cursors).toEqual([])
    await follower.start()
    script.say(token('a'))
    expect(isDead('a')).toBe(true)
    await follower.close()
  })

  test('many at once are one', async () => {
    const { source, follower, cursors } = setUp()
    await Promise.all([follower.start(), follower.start(), follower.start()])
    await follower.start()
    expect(source.subscriptions).toBe(1)
    expect(cursors).toHaveLength(2)
    await seconds(20)
    // Not once for each start.
    expect(cursors.length).toBeLessThanOrEqual(2 + 20 / 3.5)
    await follower.close()
  })

  test('a source that cannot tell is read only', async () => {
    const script = scriptedSource()
    delete script.source.listen
    const { follower, isDead, answer } = setUp({}, script)
    answer(page([]), page(['a']))
    await follower.start()
    await seconds(5)
    expect(isDead('a')).toBe(true)
    await follower.close()
  })

  test('a large first load gives way to other work between its pages', async () => {
    const { follower, answer } = setUp()
    answer(...Array.from({ length: 20 }, (_, index) => page([`${index}`], { more: index < 19 })))
    let turns = 0
    let isLoading = true
    const count = () => {
      turns += 1
      if (isLoading) setImmediate(count)
    }
    setImmediate(count)
    await follower.start()
    isLoading = false
    expect(turns).toBeGreaterThanOrEqual(19)
    await follower.close()
  })
})

describe('following', () => {
  test('hears at once', async () => {
    const { follower, isDead, say, cursors } = setUp()
    await follower.start()
    say(token('a'))
    expect(isDead('a')).toBe(true)
    expect(cursors).toHaveLength(1)
    await follower.close()
  })

  test('what was missed is late by the time between two readings at most', async () => {
    const { follower, isDead, answer, cursors } = setUp()
    await follower.start()
    for (let round = 0; round < 50; round += 1) {
      answer(page([`missed ${round}`]))
      await seconds(5)
      expect(isDead(`missed ${round}`)).toBe(true)
    }
    // But not much more often than it has to.
    expect(cursors.length).toBeLessThan(50 * 1.5)
    await follower.close()
  })

  test('reads at once when the subscription was lost and is there again', async () => {
    const { follower, isDead, answer, reconnect } = setUp()
    await follower.start()
    answer(page(['a']))
    reconnect()
    await nextTurn()
    expect(isDead('a')).toBe(true)
    await follower.close()
  })

  test('reads once more if it was lost while a reading was under way, which may have come past what was missed', async () => {
    const { follower, isDead, answer, reconnect, cursors } = setUp()
    await follower.start()
    let go: (answer: RevocationPage) => void = () => {}
    answer(new Promise<RevocationPage>((resolve) => (go = resolve)), page(['a']))
    await seconds(5)
    reconnect()
    reconnect()
    go(page([]))
    await nextTurn()
    expect(isDead('a')).toBe(true)
    expect(cursors).toHaveLength(3)
    await follower.close()
  })

  test('reads one at a time, however slow the source is', async () => {
    const { source, follower, reconnect } = setUp()
    let under = 0
    let most = 0
    source.source.read = async () => {
      most = Math.max(most, (under += 1))
      await new Promise((resolve) => setTimeout(resolve, 12_000))
      under -= 1
      return page([])
    }
    const started = follower.start()
    await seconds(12)
    await started
    for (let round = 0; round < 20; round += 1) {
      reconnect()
      await seconds(3)
    }
    expect(most).toBe(1)
    await follower.close()
  })

  test('forgets what has expired', async () => {
    const { follower, set, answer } = setUp()
    answer({ ...page([]), revocations: [{ ...token('a'), until: START / 1000 + 60 }, token('b')] })
    await follower.start()
    expect(set.size).toBe(2)
    await seconds(60 + 600 + 70)
    expect(set.size).toBe(1)
    await follower.close()
  })
})

describe('a clock that jumps', () => {
  test.each([
    ['forward', HOUR],
    ['back', -HOUR],
  ])('%s: all that are in force are read anew', async (_, by) => {
    const { follower, cursors } = setUp()
    await follower.start()
    await seconds(5)
    expect(cursors.slice(1)).toEqual(['end'])
    vi.setSystemTime(Date.now() + by)
    await seconds(5)
    expect(cursors[2]).toBeUndefined()
    await seconds(5)
    expect(cursors[3]).toBe('end')
    await follower.close()
  })

  test('by seconds is nothing to speak of', async () => {
    const { follower, cursors } = setUp()
    await follower.start()
    for (const by of [20_000, -20_000, 29_000, -29_000]) {
      vi.setSystemTime(Date.now() + by)
      await seconds(5)
    }
    expect(cursors.slice(1)).not.toContain(undefined)
    await follower.close()
  })

  test('by years, and is put back within the hour: nothing is forgotten, even if the store is away then', async () => {
    const { follower, isDead, answer } = setUp()
    answer(page(['a']))
    await follower.start()
    const years = 5 * 365 * 24 * HOUR
    vi.setSystemTime(Date.now() + years)
    await seconds(3000)
    answer(...Array.from({ length: 10 }, away))
    vi.setSystemTime(Date.now() - years)
    expect(isDead('a')).toBe(true)
    await seconds(20)
    expect(isDead('a')).toBe(true)
    await follower.close()
  })

  test('while reading is noticed before anything is forgotten', async () => {
    const { follower, isDead, answer, cursors } = setUp()
    let go: (answer: RevocationPage) => void = () => {}
    answer(page(['a']))
    await follower.start()
    await seconds(56)
    answer(new Promise<RevocationPage>((resolve) => (go = resolve)))
    const count = cursors.length
    // By now what has expired is due to be forgotten.
    await seconds(8)
    vi.setSystemTime(Date.now() + 5 * 365 * 24 * HOUR)
    go(page([]))
    await seconds(5)
    expect(isDead('a')).toBe(true)
    expect(cursors[count + 1]).toBeUndefined()
    await follower.close()
  })
})

describe('contact', () => {
  test('is not there before the start, and then it is; nobody is told', async () => {
    const { follower, told } = setUp()
    expect(follower.freshness.isStale).toBe(true)
    await seconds(3)
    expect(follower.freshness).toEqual({ isStale: true, ageSeconds: 3 })
    await follower.start()
    expect(follower.freshness).toEqual({ isStale: false, ageSeconds: 0 })
    expect(told).toEqual([])
    await follower.close()
  })

  test('that is lost and comes back is told once each, and its age is since all were known', async () => {
    const { follower, told, answer } = setUp()
    await follower.start()
    for (let turn = 1; turn <= 3; turn += 1) {
      answer(...Array.from({ length: 4 }, away))
      await seconds(5)
      expect(told).toHaveLength(turn * 2 - 1)
      expect(follower.freshness.isStale).toBe(true)
      expect(follower.freshness.ageSeconds).toBeGreaterThanOrEqual(5)
      await seconds(30)
      expect(told).toHaveLength(turn * 2)
      expect(follower.freshness.isStale).toBe(false)
    }
    expect(told.map(({ isStale }) => isStale)).toEqual([true, false, true, false, true, false])
    await follower.close()
  })

  test('with a source that never answers is lost after three times the interval, told once, and tried again', async () => {
    const { follower, told, answer, isDead } = setUp()
    await follower.start()
    answer(new Promise(() => {}), page(['a']))
    await seconds(14)
    expect(told).toEqual([])
    await seconds(6)
    expect(told.map(({ isStale }) => isStale)).toEqual([true])
    expect(follower.freshness.isStale).toBe(true)
    await seconds(60)
    expect(isDead('a')).toBe(true)
    expect(told.map(({ isStale }) => isStale)).toEqual([true, false])
    await follower.close()
  })

  test('that never was rejects, if told to reject, and lets through if not', async () => {
    expect(setUp({ whenStale: 'reject' }).follower.mustReject).toBe(true)
    expect(setUp().follower.mustReject).toBe(false)
  })

  test('that is lost rejects after the seconds that were set, and not before, until it is back', async () => {
    const { follower, answer } = setUp({ whenStale: 'reject', maxStalenessSeconds: 60 })
    await follower.start()
    answer(...Array.from({ length: 30 }, away))
    await seconds(60)
    expect(follower.mustReject).toBe(false)
    await seconds(1)
    expect(follower.mustReject).toBe(true)
    await seconds(100)
    expect(follower.mustReject).toBe(false)
    await follower.close()
  })

  test('that is lost never rejects where serving is to go on', async () => {
    const { follower, isDead, answer } = setUp({ whenStale: 'serve', maxStalenessSeconds: 1 })
    answer(page(['a']))
    await follower.start()
    answer(...Array.from({ length: 1000 }, away))
    await seconds(2000)
    expect(follower.mustReject).toBe(false)
    expect(isDead('a')).toBe(true)
    await follower.close()
  })

  test('that was lost while the machine slept is noticed: only the clock has gone on', async () => {
    const { follower } = setUp({ whenStale: 'reject' })
    await follower.start()
    vi.setSystemTime(Date.now() + HOUR)
    expect(follower.mustReject).toBe(true)
    await seconds(5)
    expect(follower.mustReject).toBe(false)
    await follower.close()
  })
})

describe('closing', () => {
  test('ends the subscription and the readings, and may be repeated', async () => {
    const { source, follower, cursors } = setUp()
    await follower.start()
    await follower.close()
    await follower.close()
    await seconds(60)
    expect(cursors).toHaveLength(1)
    expect(source.listeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('while it begins to listen leaves no subscription behind', async () => {
    const script = scriptedSource()
    const { listen } = script.source
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    script.source.listen = async (...args) => {
      await gate
      return (await listen?.(...args)) ?? (async () => {})
    }
    const { follower } = setUp({}, script)
    const started = follower.start()
    await follower.close()
    go()
    await expect(started).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(script.listeners).toBe(0)
    expect(script.cursors).toEqual([])
  })

  test.each([
    ['succeeds', page(['a'], { more: true })],
    ['fails', away()],
  ])('while it reads for the first time, which then %s, leaves nothing behind', async (_, outcome) => {
    const { source, follower, answer, cursors, told } = setUp()
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    answer(
      gate.then(() => {
        if (outcome instanceof Error) throw outcome
        return outcome
      }),
    )
    const started = follower.start()
    await nextTurn()
    expect(cursors).toHaveLength(1)
    const closed = follower.close()
    go()
    await expect(started).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await closed
    await seconds(60)
    expect(cursors).toHaveLength(1)
    expect(source.listeners).toBe(0)
    expect(told).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('while it reads later tells nobody that freshness is lost, and reads no further', async () => {
    const { follower, answer, cursors, told } = setUp()
    await follower.start()
    let fail: (error: Error) => void = () => {}
    answer(new Promise<RevocationPage>((_, reject) => (fail = reject)))
    await seconds(5)
    await follower.close()
    fail(away())
    await seconds(60)
    expect(cursors).toHaveLength(2)
    expect(told).toEqual([])
  })

  test('before it has started keeps it from starting', async () => {
    const { source, follower, cursors } = setUp()
    await follower.close()
    await expect(follower.start()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(source.subscriptions).toBe(0)
    expect(cursors).toEqual([])
  })

  test('ends a request of the source that is under way', async () => {
    const script = scriptedSource()
    let ended = 0
    script.source.close = () => void (ended += 1)
    const { follower } = setUp({}, script)
    await follower.start()
    await follower.close()
    expect(ended).toBe(1)
  })

  test('does not fail where the end of the subscription does', async () => {
    const script = scriptedSource()
    script.source.listen = async () => async () => {
      throw away()
    }
    const { follower } = setUp({}, script)
    await follower.start()
    await expect(follower.close()).resolves.toBeUndefined()
  })
})
