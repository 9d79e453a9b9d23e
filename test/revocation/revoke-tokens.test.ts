// Also runs on: Redis
import { beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { GatehouseError } from '../../src/errors.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { withDeadline } from '../../src/store/deadline.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import type { RevocationSpec } from '../../src/revocation/kept-until.ts'
import { createRevocations, type Subject } from '../../src/revocation/revoke-tokens.ts'
import { auditOf, readAll } from '../audit/setup.ts'
import { FAULTS, faultyStore } from '../support/faulty-store.ts'
import { describeEachStore } from '../support/stores.ts'

const START = Date.UTC(2027, 0, 10, 12, 30)
const LIFETIME = 864_000
const MINUTE = 60_000
const PENDING = 'revocations:pending'

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
  const failures: unknown[] = []
  const revocations = createRevocations({
    store,
    log,
    set,
    longestLifetime: createLongestLifetime(store, lifetime),
    longestDelegatedLifetime: createLongestLifetime(store, delegated, 'delegated'),
    events: { emit: (name, event) => void events.push({ name, ...event } as never) },
    logger: { ...silentLogger, error: (details) => void failures.push(details) },
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
  return { ...revocations, log, set, events, failures, isRevoked }
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
const client: Subject = { of: 'client', id: 'c1' }

function pendingOn(store: Store) {
  return store.range(PENDING, { limit: 1000 })
}

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

  it('revokeWith() makes the change, revokes its tokens, and leaves no pending entry', async () => {
    const store = makeStore()
    const here = processOn(store)
    let pendingInside: string[] = []
    const result = await here.revokeWith(client, async () => {
      pendingInside = await pendingOn(store)
      expect(here.isRevoked(5)).toBe(false)
      return { result: 'done', revoked: [spec], actor: 'ann' }
    })
    expect(result).toBe('done')
    expect(pendingInside).toHaveLength(1)
    expect(await pendingOn(store)).toEqual([])
    expect((await startedOn(store)).isRevoked(5)).toBe(true)
    expect(here.events).toEqual([{ name: 'token.revoked', of: 'client', id: 'c1', actor: 'ann' }])
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

  it('revokeWith() makes no change while the store is unavailable', async () => {
    const faulty = faultyStore(memoryStore())
    const here = processOn(withDeadline(faulty.store, 20))
    faulty.goAway()
    let isMade = false
    const attempt = here.revokeWith(client, async () => {
      isMade = true
      return { result: undefined, revoked: [spec] }
    })
    await expect(attempt).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(isMade).toBe(false)
  })
})

describe('resuming revocations', () => {
  /**
   * Returns functions for a client in the store: `countUp` raises its epoch, `finish` returns its revocation.
   */
  function clientOn(store: Store) {
    return {
      async countUp() {
        for (;;) {
          const before = await store.get('client')
          if (before === undefined) await store.create('client', '5')
          else if (await store.replace('client', before, String(Number(before) + 1))) return
        }
      },
      async finish(subject: Subject): Promise<RevocationSpec[]> {
        const epoch = await store.get(subject.id === 'c1' ? 'client' : 'other')
        return epoch === undefined ? [] : [{ of: 'client', id: subject.id, below: Number(epoch) }]
      },
    }
  }

  it.each(FAULTS)(
    'another process completes a failed revocation, whichever call of the store failed (fault: %s)',
    async (fault) => {
      let isEveryCallTested = false
      for (let call = 0; !isEveryCallTested; call += 1) {
        const inner = memoryStore()
        await inner.set('client', '5')
        await createLongestLifetime(inner, LIFETIME).seconds()
        const faulty = faultyStore(inner, { lateBy: 15 })
        const store = withDeadline(faulty.store, 10)
        const here = processOn(store)
        faulty.arm(call, fault, { thenAway: true })
        await here
          .revokeWith(client, async () => {
            await clientOn(store).countUp()
            return { result: undefined, revoked: [spec] }
          })
          .catch(() => {})
        isEveryCallTested = faulty.calls.length <= call
        await faulty.settled()

        time += MINUTE
        const other = processOn(inner)
        await other.resumeAll(clientOn(inner).finish)
        const wasMade = (await inner.get('client')) === '6'
        const known = await startedOn(inner)
        expect(known.isRevoked(5), `call ${call} ${faulty.calls[call]}`).toBe(wasMade)
        expect(known.isRevoked(6)).toBe(false)

        // In the end no pending entry is left.
        time += 20 * MINUTE
        await other.resumeAll(clientOn(inner).finish)
        expect(await pendingOn(inner)).toEqual([])
        time = START
      }
    },
  )

  it.each([0, -30_000, 30_000])(
    'a pending revocation that other processes resumed is resumed again after its change has failed, even if the clock of its process differs by %i ms',
    async (ahead) => {
      const store = memoryStore()
      await store.set('client', '5')
      const here = processOn(store, { ahead })
      const other = processOn(store)
      const { countUp, finish } = clientOn(store)
      const crash = here.revokeWith(client, async () => {
        // The change is slow, so other processes resume its pending revocation while the change still runs.
        for (let round = 0; round < 6; round += 1) {
          time += 20_000
          await other.resumeAll(finish)
        }
        await countUp()
        throw new Error('and here it ends')
      })
      await expect(crash).rejects.toThrow('here it ends')
      expect((await startedOn(store)).isRevoked(5)).toBe(false)
      time += 90_000
      await other.resumeAll(finish)
      expect((await startedOn(store)).isRevoked(5)).toBe(true)
    },
  )

  it('several processes can resume a revocation at the same time', async () => {
    const store = memoryStore()
    await store.set('client', '6')
    await store.add(PENDING, `${START}:aaaaaaaa:${JSON.stringify(client)}`)
    time += MINUTE
    const others = Array.from({ length: 8 }, () => processOn(store))
    await Promise.all(others.map((each) => each.resumeAll(clientOn(store).finish)))
    expect((await startedOn(store)).isRevoked(5)).toBe(true)
    time += 20 * MINUTE
    await Promise.all(others.map((each) => each.resumeAll(clientOn(store).finish)))
    expect(await pendingOn(store)).toEqual([])
  })

  it('a revocation that has been pending for only 14 seconds is not resumed', async () => {
    const store = memoryStore()
    await store.set('client', '6')
    await store.add(PENDING, `${START}:aaaaaaaa:${JSON.stringify(client)}`)
    time += 14_000
    await processOn(store).resumeAll(clientOn(store).finish)
    expect((await startedOn(store)).isRevoked(5)).toBe(false)
    expect(await pendingOn(store)).toHaveLength(1)
  })

  it('a pending revocation is resumed even if the clock of the process that wrote it was far behind or far ahead', async () => {
    for (const stamp of [0, START - 900 * MINUTE, START + 900 * MINUTE]) {
      const store = memoryStore()
      await store.set('client', '6')
      await store.add(PENDING, `${String(stamp).padStart(13, '0')}:aaaaaaaa:${JSON.stringify(client)}`)
      await processOn(store).resumeAll(clientOn(store).finish)
      expect((await startedOn(store)).isRevoked(5)).toBe(true)
      expect(await pendingOn(store)).toEqual([])
    }
  })

  it('thousands of pending revocations are resumed, at most once a minute for each subject', async () => {
    const store = memoryStore()
    const subjects = Array.from({ length: 1500 }, (_, index) => ({ of: 'grant', id: `g${index}` }) as const)
    for (const [index, subject] of subjects.entries()) {
      for (const part of ['aaaaaaaa', 'bbbbbbbb']) {
        await store.add(PENDING, `${START + index}:${part}:${JSON.stringify(subject)}`)
      }
    }
    time += MINUTE
    const here = processOn(store)
    const finished: string[] = []
    const finish = async ({ id }: Subject): Promise<RevocationSpec[]> => {
      finished.push(id)
      return [{ of: 'grant', id }]
    }
    await here.resumeAll(finish)
    expect(finished.toSorted()).toEqual(subjects.map(({ id }) => id).toSorted())
    time += 30_000
    await here.resumeAll(finish)
    expect(finished).toHaveLength(1500)
    time += 20 * MINUTE
    await here.resumeAll(finish)
    expect(finished).toHaveLength(3000)
    expect(await pendingOn(store)).toEqual([])
    expect((await startedOn(store)).set.size).toBe(1500)
    // This process emits one event for each revocation that it wrote.
    expect(here.events.length).toBe(3000)
  })

  it('a revocation that cannot be completed does not block other revocations, and is retried', async () => {
    const store = memoryStore()
    for (const id of ['broken', 'c2', 'c3']) {
      await store.add(PENDING, `${START}:aaaaaaaa:${JSON.stringify({ of: 'client', id })}`)
    }
    time += MINUTE
    const here = processOn(store)
    let isBroken = true
    const finish = async ({ id }: Subject): Promise<RevocationSpec[]> => {
      if (id === 'broken' && isBroken) throw new GatehouseError('ERR_STORE_CORRUPT', 'no record')
      return [{ of: 'client', id }]
    }
    await here.resumeAll(finish)
    expect(here.failures).toHaveLength(1)
    expect(['broken', 'c2', 'c3'].map((id) => here.isRevoked(0, id))).toEqual([false, true, true])
    isBroken = false
    await here.resumeAll(finish)
    expect(here.isRevoked(0, 'broken')).toBe(true)
  })

  it('resuming stops with an error while the store is unavailable', async () => {
    const inner = memoryStore()
    await inner.set('client', '6')
    for (const id of ['c1', 'c2', 'c3']) {
      await inner.add(PENDING, `${START}:aaaaaaaa:${JSON.stringify({ of: 'client', id })}`)
    }
    time += MINUTE
    const faulty = faultyStore(inner)
    const here = processOn(withDeadline(faulty.store, 20))
    faulty.arm(1, 'rejected', { thenAway: true })
    const resuming = here.resumeAll(clientOn(withDeadline(faulty.store, 20)).finish)
    await expect(resuming).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(faulty.calls).toHaveLength(2)
    expect(await pendingOn(inner)).toHaveLength(3)
  })

  it('corrupt entries and entries of newer versions stay until every token that they may concern has expired', async () => {
    const store = memoryStore()
    for (const text of ['{"of":"planet","id":"mars"}', 'nonsense', 'null']) {
      await store.add(PENDING, `${START}:aaaaaaaa:${text}`)
    }
    const finished: Subject[] = []
    const finish = async (subject: Subject): Promise<RevocationSpec[]> => {
      finished.push(subject)
      return []
    }
    time += 60 * MINUTE
    await processOn(store).resumeAll(finish)
    expect(await pendingOn(store)).toHaveLength(3)
    time += LIFETIME * 1000
    await processOn(store).resumeAll(finish)
    expect(await pendingOn(store)).toEqual([])
    expect(finished).toEqual([])
  })
})

describe('revokeWith() with a failing change', () => {
  it('a change that rejects with a 4xx error leaves no pending entry', async () => {
    const store = memoryStore()
    const change = async () => {
      throw new GatehouseError('ERR_NOT_FOUND', 'no such client')
    }
    await expect(processOn(store).revokeWith(client, change)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(await pendingOn(store)).toEqual([])
  })

  it.each([
    ['an unavailable store', new GatehouseError('ERR_STORE_UNAVAILABLE', 'away')],
    ['a corrupt record', new GatehouseError('ERR_STORE_CORRUPT', 'broken')],
    ['an unexpected error', new TypeError('undefined is not a function')],
  ])('another process completes a change that failed because of %s', async (_, failure) => {
    const store = memoryStore()
    const change = async () => {
      throw failure
    }
    await expect(processOn(store).revokeWith(client, change)).rejects.toBe(failure)
    time += MINUTE
    await processOn(store).resumeAll(async () => [spec])
    expect((await startedOn(store)).isRevoked(5)).toBe(true)
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

describeEachStore('the revocation of one token', (makeStore) => {
  it('is recorded once the store takes its audit entry, although neither the list nor the trail took it at first', async () => {
    const store = makeStore()
    let isAway = true
    // The list of pending revocations and the audit trail are on another server than the log of revocations.
    const failing =
      <A extends [string, ...unknown[]], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (isAway && /^(audit|revocations:pending)/.test(args[0]))
          throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away')
        return call(...args)
      }
    const { add, create, replace } = store
    const partly = { ...store, add: failing(add), create: failing(create), replace: failing(replace) }
    const audit = auditOf(partly)
    const stop = audit.start()
    const { revokeToken } = createRevocations({
      store: partly,
      log: createRevocationLog(store),
      set: createRevocationSet(),
      longestLifetime: createLongestLifetime(store, LIFETIME),
      audit,
      logger: silentLogger,
    })
    const until = Math.floor(Date.now() / 1000) + 60
    await revokeToken({ id: 't1', until }, { name: 'token.revoked', tokenId: 't1' })
    isAway = false
    const names = async () => (await readAll(auditOf(store))).map(({ entry }) => entry.name)
    await expect.poll(names, { timeout: 5000 }).toEqual(['token.revoked'])
    await stop()
    expect(await names()).toEqual(['token.revoked'])
  })
})
