// Also runs on: Redis
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { withDeadline } from '../../src/store/resilient-store.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import type { Revocation } from '../../src/revocation/revocation.ts'
import type { RevocationSource } from '../../src/revocation/revocation-source.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { describeEachStore } from '../support/stores.ts'

const START = Date.UTC(2027, 0, 10, 12)
const SECOND = START / 1000
const MINUTE = 60_000
const DAY = 86_400

/** The current time. Each log may have a clock that is ahead of this time. */
let time = START
beforeEach(() => {
  time = START
})

function logOf(store: Store, aheadMs = 0) {
  return createRevocationLog(store, { now: () => time + aheadMs })
}

function token(id: string | number, until = SECOND + 10 * DAY): Revocation {
  return { of: 'token', id: String(id), until }
}

function tokens(count: number, until?: number): Revocation[] {
  return Array.from({ length: count }, (_, index) => token(index, until))
}

/** Reads all pages from a cursor on. */
async function readOn(source: RevocationSource, from?: string) {
  const pages: Revocation[][] = []
  let cursor = from
  for (let more = true; more;) {
    const page = await source.read(cursor)
    pages.push([...page.revocations])
    ;({ cursor, more } = page)
    if (pages.length > 100) throw new Error('reading does not come to an end')
  }
  const ids = pages.flat().map(({ id }) => id)
  return { pages, ids: new Set(ids), cursor: cursor ?? '', count: ids.length }
}

function idsOf(revocations: readonly Revocation[]): Set<string> {
  return new Set(revocations.map(({ id }) => id))
}

/** The bucket of the revocations that end at `until`. */
function bucketName(until: number): string {
  return `revocations:buckets:${Math.ceil(until / 3600)}`
}

describeEachStore('the revocation log', (makeStore) => {
  it('reading an empty log returns a cursor and no revocations', async () => {
    const log = logOf(makeStore())
    const first = await readOn(log)
    expect(first.count).toBe(0)
    await log.add([token('a')])
    expect((await readOn(log, first.cursor)).ids).toEqual(new Set(['a']))
  })

  it('full and partial buckets are read completely, in pages', async () => {
    const store = makeStore()
    const made = [
      ...tokens(1500),
      ...tokens(2500, SECOND + 9 * DAY).slice(1500),
      token('last', SECOND + 11 * DAY),
    ]
    await logOf(store).add(made)
    time += 20 * MINUTE
    const { pages, ids, count } = await readOn(logOf(store))
    expect(ids).toEqual(idsOf(made))
    expect(count).toBe(made.length)
    expect(Math.max(...pages.map((page) => page.length))).toBe(1000)
  })

  it('recent revocations that fill more than one page are read in pages, across their indexes', async () => {
    const store = makeStore()
    const log = logOf(store)
    const { cursor } = await readOn(log)
    await log.add(tokens(1100))
    time += 10.5 * MINUTE
    // The first page of the read below moves the start of later polls past this entry. So only the other pages
    // of this read can return the entry.
    await log.add([token('in the next index')])
    time += 2.3 * MINUTE
    await log.add([token('at last')])
    const { pages, ids } = await readOn(log, cursor)
    expect(ids.size).toBe(1102)
    expect(ids).toContain('in the next index')
    expect(ids).toContain('at last')
    expect(Math.max(...pages.map((page) => page.length))).toBe(1000)
  })

  it('revocations added during a full read are not missed, in any bucket', async () => {
    const store = makeStore()
    const log = logOf(store)
    await log.add([...tokens(1200), token('later', SECOND + 12 * DAY)])
    time += 20 * MINUTE
    const first = await log.read(undefined)
    // Some new entries sort before the position that the read has reached, and some sort after this position.
    await log.add(Array.from({ length: 50 }, (_, index) => token(`new ${index}`)))
    await log.add([
      token('in an earlier bucket', SECOND + DAY),
      token('in a bucket of its own', SECOND + 13 * DAY),
    ])
    const { ids } = await readOn(log, first.cursor)
    expect(new Set([...ids, ...idsOf(first.revocations)]).size).toBe(1201 + 52)
  })

  it('an entry that is added before the position of a slow read is read by the next poll', async () => {
    const store = makeStore()
    const reader = logOf(store)
    const { cursor } = await readOn(reader)
    await logOf(store).add(tokens(1500))
    const first = await reader.read(cursor)
    expect(first.more).toBe(true)
    // The entry sorts before the position that the read has reached.
    await logOf(store, -30_000).add([token('late')])
    time += 3 * MINUTE
    const rest = await readOn(reader, first.cursor)
    expect(rest.ids).not.toContain('late')
    expect((await readOn(reader, rest.cursor)).ids).toContain('late')
  })

  it('a repeated revocation is stored once in its bucket', async () => {
    const store = makeStore()
    for (let times = 0; times < 5; times += 1) await logOf(store).add([token('a'), token('b')])
    time += 20 * MINUTE
    expect((await readOn(logOf(store))).count).toBe(2)
  })

  it.each([-30_000, 30_000])(
    'a reader misses no revocation of a writer whose clock differs from the clock of the reader by %i ms',
    async (ahead) => {
      const store = makeStore()
      const reader = logOf(store)
      const writer = logOf(store, ahead)
      let { cursor } = await readOn(reader)
      // The rounds take longer than the span of one index, so they cover the change to the next index.
      for (let round = 0; round < 200; round += 1) {
        await writer.add([token(round)])
        const next = await readOn(reader, cursor)
        expect(next.ids, `round ${round}`).toContain(String(round))
        cursor = next.cursor
        time += 5000
      }
    },
  )

  it('a cursor of one process is valid in another process whose clock differs by a minute', async () => {
    const store = makeStore()
    const [one, other] = [logOf(store, -30_000), logOf(store, 30_000)]
    await one.add([token('old')])
    time += 20 * MINUTE
    let { cursor } = await readOn(one)
    for (let round = 0; round < 20; round += 1) {
      await [one, other][round % 2]?.add([token(round)])
      const next = await readOn(round % 3 ? one : other, cursor)
      expect(next.ids).toContain(String(round))
      // The read continues at the cursor, and does not start again with all revocations.
      expect(next.ids).not.toContain('old')
      cursor = next.cursor
      time += 40_000
    }
  })

  it('a read begins with all revocations in force if its cursor is too old, from the future, or invalid', async () => {
    const store = makeStore()
    await logOf(store).add([token('a')])
    time += 20 * MINUTE
    const { cursor } = await readOn(logOf(store))
    for (const spoilt of [
      String(START - 60 * MINUTE),
      String(START + 60 * MINUTE),
      '0',
      '',
      'x'.repeat(5000),
      '{"since":0}',
      `${cursor}\n`,
      `${cursor}x.r.${Math.floor(START / 600_000) + 2}.AAAA`,
      `${cursor}.s.families.eA`,
      `${cursor}.r.0.AAAA`,
      '999999999999999',
    ]) {
      expect([spoilt, (await readOn(logOf(store), spoilt)).ids]).toEqual([spoilt, new Set(['a'])])
    }
  })

  it('a read with a forged cursor accesses only indexes of revocations', async () => {
    const inner = makeStore()
    const faulty = faultyStore(inner)
    const log = logOf(faulty.store)
    await log.add([token('a')])
    const places = ['eA', 'AAAAAAAAAAAAAAAAAAAAAA', '____________', '9P___w']
    for (const after of places) {
      for (const place of [
        `s.0.${after}`,
        `s.99999999.${after}`,
        `r.${Math.floor(START / 600_000)}.${after}`,
      ]) {
        faulty.arm()
        const { pages } = await readOn(log, `${START - 1000}.${place}`)
        expect(pages.flat().every(({ of }) => of === 'token')).toBe(true)
        expect(faulty.calls.length).toBeLessThan(20)
        expect(faulty.calls.filter((call) => !/^range revocations:[a-z]+(:\d+)?$/.test(call))).toEqual([])
      }
    }
  })

  it('cursors are safe in a URL, and contain no ids', async () => {
    const log = logOf(makeStore())
    const made = [
      ...tokens(1000),
      { of: 'client', id: 'the-client', scopes: ['s'.repeat(4096)], until: SECOND + 10 * DAY } as const,
    ]
    await log.add(made)
    const first = await log.read(undefined)
    const second = await readOn(log, first.cursor)
    const { cursor: amongRecent } = await log.read(second.cursor)
    for (const cursor of [first.cursor, second.cursor, amongRecent]) {
      expect(cursor).toMatch(/^[\w.-]{13,100}$/)
      expect(encodeURIComponent(cursor)).toBe(cursor)
      expect(Buffer.from(cursor.split('.').at(-1) ?? '', 'base64url').toString()).not.toContain('the-client')
    }
    expect(first.more && first.cursor.includes('.s.')).toBe(true)
    expect(amongRecent).toContain('.r.')
  })

  it('without new revocations the cursor changes at most once in three minutes, and never becomes too old', async () => {
    const log = logOf(makeStore())
    let { cursor } = await readOn(log)
    const seen = new Set([cursor])
    for (let second = 0; second < 3600; second += 5) {
      time += 5000
      const next = await readOn(log, cursor)
      // No read starts again with all revocations, which would take two pages.
      expect(next.pages).toHaveLength(1)
      ;({ cursor } = next)
      seen.add(cursor)
    }
    expect(seen.size).toBeLessThanOrEqual(1 + 60 / 3)
    await log.add([token('a')])
    expect((await readOn(log, cursor)).ids).toEqual(new Set(['a']))
  })

  it('corrupt revocations and revocations of newer versions are omitted from reads and messages', async () => {
    const store = makeStore()
    const log = logOf(store)
    const received: Revocation[] = []
    const unsubscribe = await log.listen?.(
      (revocation) => received.push(revocation),
      () => {},
    )
    await log.add([token('a')])
    const strange = ['{"of":"planet","id":"mars","until":9}', 'nonsense', '{}', '[1]', 'null', '\u{10FFFF}']
    const bucket = bucketName(SECOND + 10 * DAY)
    for (const text of strange) {
      await store.add(bucket, `${'0'.repeat(16)}:${text}`)
      await store.add(bucket, text)
      await store.add(`revocations:recent:${Math.floor(START / 600_000)}`, `${START}:aaaaaaaa:${text}`)
      await store.publish('revocations', text)
    }
    await store.add('revocations:buckets', 'something new')
    await log.add([token('b')])
    // Messages that go through different nodes of a cluster arrive in any order.
    await expect.poll(() => received.map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
    expect((await readOn(log)).ids).toEqual(new Set(['a', 'b']))
    await unsubscribe?.()
  })

  it('a store that has lost its indexes keeps revocations that are added after the loss', async () => {
    const store = makeStore()
    const log = logOf(store)
    await log.add([token('lost')])
    for (const index of ['revocations:buckets', bucketName(SECOND + 10 * DAY)]) {
      const members = await store.range(index, { limit: 1000 })
      expect(members).toHaveLength(1)
      for (const member of members) await store.remove(index, member)
    }
    await log.add([token('a')])
    time += 20 * MINUTE
    expect((await readOn(logOf(store))).ids).toEqual(new Set(['a']))
  })

  it('a process whose clock is years ahead removes no revocation that other processes need', async () => {
    const store = makeStore()
    await logOf(store).add([token('a')])
    expect((await readOn(logOf(store, 5 * 365 * DAY * 1000))).ids).toEqual(new Set())
    time += 20 * MINUTE
    expect((await readOn(logOf(store))).ids).toEqual(new Set(['a']))
  })

  it('expired buckets are not read, and a bucket leaves the list of buckets once all entries of the bucket have expired in the store', async () => {
    const store = makeStore()
    const log = logOf(store)
    await log.add([token('over', SECOND + 60), token('a')])
    const bucket = bucketName(SECOND + 60)
    time += 3 * 3600 * 1000
    expect((await readOn(log)).ids).toEqual(new Set(['a']))
    for (const member of await store.range(bucket, { limit: 10 })) await store.remove(bucket, member)
    expect(await store.range('revocations:buckets', { limit: 10 })).toHaveLength(2)
    time += 2 * DAY * 1000
    await readOn(log)
    expect(await store.range('revocations:buckets', { limit: 10 })).toHaveLength(1)
  })

  it('a subscriber receives each stored revocation immediately and exactly once', async () => {
    const store = makeStore()
    const log = logOf(store)
    const received: string[] = []
    const unsubscribe = await log.listen?.(
      ({ id }) => received.push(id),
      () => {},
    )
    await logOf(store, 30_000).add([token('a'), token('b')])
    await expect.poll(() => received.toSorted()).toEqual(['a', 'b'])
    await unsubscribe?.()
  })
})

describe('the revocation log on a failing store', () => {
  it.each(['rejected', 'unanswered', 'silent', 'late'] as const)(
    'adding a revocation rejects, whichever call of the store fails (fault: %s), and succeeds when it is repeated',
    async (fault) => {
      for (let call = 0; call < 3; call += 1) {
        const inner = memoryStore()
        const faulty = faultyStore(inner, { lateBy: 30 })
        const log = logOf(withDeadline(faulty.store, 20))
        faulty.arm(call, fault)
        await expect(log.add([token('a')])).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
        faulty.comeBack()
        await faulty.settled()
        await log.add([token('a')])
        time += 20 * MINUTE
        const { ids, count } = await readOn(logOf(inner))
        expect(ids).toEqual(new Set(['a']))
        expect(count).toBe(1)
        time = START
      }
    },
  )

  it.each(['rejected', 'unanswered', 'silent'] as const)(
    'adding a revocation succeeds even if publishing the revocation fails (fault: %s), and a poll reads the revocation',
    async (fault) => {
      const inner = memoryStore()
      const faulty = faultyStore(inner)
      const { cursor } = await readOn(logOf(inner))
      faulty.arm(3, fault)
      await logOf(withDeadline(faulty.store, 20)).add([token('a')])
      expect(faulty.calls[3]).toBe('publish revocations')
      expect((await readOn(logOf(inner), cursor)).ids).toEqual(new Set(['a']))
    },
  )

  // Fixed bug: other processes learned of the revocation with their next poll.
  it('a message that cannot be published is published as soon as the store answers', async () => {
    const inner = memoryStore()
    const faulty = faultyStore(inner)
    const received: string[] = []
    await createRevocationLog(inner).listen(
      ({ id }) => void received.push(id),
      () => {},
    )
    faulty.arm('publish revocations', 'rejected', { thenAway: true })
    await logOf(faulty.store).add([token('a')])
    await vi.waitFor(() =>
      expect(faulty.calls.filter((call) => call.startsWith('publish')).length).toBeGreaterThan(2),
    )
    expect(received).toEqual([])
    faulty.comeBack()
    await vi.waitFor(() => expect(received).toEqual(['a']))
  })

  it('a revocation that was not stored is not published', async () => {
    const inner = memoryStore()
    const faulty = faultyStore(inner)
    faulty.goAway()
    await expect(logOf(faulty.store).add([token('a')])).rejects.toThrow('ECONNRESET')
    expect(faulty.calls.filter((call) => call.startsWith('publish'))).toEqual([])
  })

  it('a failed read can be repeated with the same cursor', async () => {
    const faulty = faultyStore(memoryStore())
    const log = logOf(withDeadline(faulty.store, 20))
    await log.add(tokens(1500))
    const { cursor } = await log.read(undefined)
    for (const from of [undefined, cursor, String(START - MINUTE)]) {
      faulty.goAway()
      await expect(log.read(from)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      faulty.comeBack()
    }
    expect((await readOn(log, cursor)).ids.size).toBeGreaterThanOrEqual(500)
  })
})

it('all entries expire: a bucket within two hours after its end, recent revocations within an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  const inner = memoryStore()
  const indexes = new Set<string>()
  const add: Store['add'] = (index, ...more) => {
    indexes.add(index)
    return inner.add(index, ...more)
  }
  await logOf({ ...inner, add }).add([token('a', SECOND + 60), token('b', SECOND + 10 * DAY)])
  const filled = async (afterSeconds: number) => {
    vi.setSystemTime(START + afterSeconds * 1000)
    const members = await Promise.all([...indexes].map((index) => inner.range(index, { limit: 10 })))
    return [...indexes].filter((_, at) => members[at]?.length).map((name) => name.split(':')[1])
  }
  expect(await filled(0)).toHaveLength(4)
  expect(await filled(1800)).toContain('recent')
  expect(await filled(3600)).not.toContain('recent')
  expect(await filled(60 + 3500)).toHaveLength(3)
  expect(await filled(60 + 7300)).toHaveLength(2)
  expect(await filled(10 * DAY + 3500)).toHaveLength(2)
  expect(await filled(10 * DAY + 7300)).toEqual([])
  vi.useRealTimers()
})
