// Also runs on: Redis
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { GatehouseError } from '../../src/errors.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocations } from '../../src/revocation/revoke-tokens.ts'
import { withDeadline } from '../../src/store/resilient-store.ts'
import { auditOf, readAll } from '../audit/setup.ts'
import { commitsOf, finishersOf, thing, type Thing, UNFINISHED } from '../support/commits.ts'
import { FAULTS, faultyStore } from '../support/faulty-store.ts'
import { replicatedStore } from '../support/replicated-store.ts'
import { describeEachStore } from '../support/stores.ts'

const START = Date.UTC(2027, 0, 10, 12, 30)
const MINUTE = 60_000
const CLIENT = { subject: { of: 'client', id: 'c1' } }

let time = START
beforeEach(() => {
  time = START
})

/** One process, which makes changes, and finishes those of others. */
function processOn(store: Store, { ahead = 0 } = {}) {
  const now = () => time + ahead
  const set = createRevocationSet()
  const log = createRevocationLog(store, { now })
  const longestLifetime = createLongestLifetime(store, 864_000)
  const events: { name: string }[] = []
  const failures: unknown[] = []
  const audit = auditOf(store, { now })
  const sink = { emit: (name: string, event: object) => void events.push({ name, ...event }) }
  const logger = { ...silentLogger, error: (details: object) => void failures.push(details) }
  const revocations = createRevocations({ log, set, longestLifetime, events: sink, now })
  const commits = commitsOf(store, { audit, revocations, events: sink, logger, now })
  const client = thing(store, 'c1')
  const claims = (epoch: number, clientId: string) => ({
    tokenId: 't1',
    clientId,
    scopes: [],
    keyId: 'k1',
    expiresAt: 2_000_000_000,
    claims: { access_epoch: epoch },
  })
  return {
    ...commits,
    audit,
    log,
    events,
    failures,
    isRevoked: (epoch: number, clientId = 'c1') => set.isTokenRevoked(claims(epoch, clientId)),
    learn: async () => {
      for await (const page of log.inForce()) set.add(page)
    },
    /** Raises the epoch of the client, once. */
    disable: (isRemoval = true, from = 5) =>
      commits.commit({
        record: client.changeable,
        write: (stored) => (stored?.epoch === from ? { ...stored, epoch: from + 1 } : undefined),
        entry: () => ({ name: 'client.changed', clientId: 'c1', change: 'disabled' }),
        event: () => [
          'client.changed',
          { kind: 'apiKey', clientId: 'c1', accountId: 'a', change: 'disabled' },
        ],
        revokes: client.revocations,
        isRemoval,
        actor: 'ann',
      }),
    finishAll: (
      specs = finishersOf(async (id) => thing(store, id).revocations(await thing(store, id).get())),
    ) => commits.finishAll(specs),
  }
}

const unfinishedOn = (store: Store) => store.range(UNFINISHED, { limit: 1000 })
const add = (store: Store, what: unknown, at = START, part = 'aaaaaaaa') =>
  store.add(UNFINISHED, `${String(at).padStart(13, '0')}:${part}:${JSON.stringify(what)}`)
const namesOn = async (store: Store) => (await readAll(auditOf(store))).map(({ entry }) => entry.name)

async function newcomer(store: Store) {
  const process = processOn(store)
  await process.learn()
  return process
}

describeEachStore('a commit', (makeStore) => {
  it('changes the record, records the change, revokes what the record says, and leaves nothing to finish', async () => {
    const store = makeStore()
    await thing(store, 'c1').create(5)
    const here = processOn(store)
    const { before, stored, isChanged } = await here.disable()
    expect([before?.epoch, stored?.epoch, isChanged]).toEqual([5, 6, true])
    expect(here.isRevoked(5)).toBe(true)
    expect(here.isRevoked(6)).toBe(false)
    expect((await newcomer(store)).isRevoked(5)).toBe(true)
    expect((await here.audit.list()).items).toMatchObject([{ name: 'client.changed', change: 'disabled' }])
    expect(here.events).toMatchObject([{ name: 'client.changed' }, { name: 'token.revoked', actor: 'ann' }])
    await expect.poll(() => unfinishedOn(store)).toEqual([])
    expect(await thing(store, 'c1').get()).toEqual({ epoch: 6 })
    // A repeated call changes nothing, but revokes again what the record says.
    expect(await here.disable()).toMatchObject({ before: undefined, isChanged: false })
    expect((await here.audit.list()).items).toHaveLength(1)
    expect(here.events.map(({ name }) => name)).toEqual(['client.changed', 'token.revoked', 'token.revoked'])
  })

  it.each([7, {}, 'text', [{ foo: 1 }]])('changes a record whose outbox is corrupt: %o', async (corrupt) => {
    const store = makeStore()
    await store.create('thing:c1', JSON.stringify({ v: 1, epoch: 5, audit: corrupt }))
    await processOn(store).disable()
    expect(await namesOn(store)).toEqual(['client.changed'])
  })

  it('that is rejected leaves nothing', async () => {
    const store = makeStore()
    const here = processOn(store)
    const rejected = new GatehouseError('ERR_NOT_FOUND', 'no such client')
    const change = here.commit({
      record: thing(store, 'c1').changeable,
      write() {
        throw rejected
      },
    })
    await expect(change).rejects.toBe(rejected)
    await expect.poll(() => unfinishedOn(store)).toEqual([])
    expect(await namesOn(store)).toEqual([])
  })

  it('without a record is recorded once its proof is found', async () => {
    const store = makeStore()
    await store.create('interaction:1', 'asked')
    const entry = { name: 'consent.approved', clientId: 'c1' }
    const proof = { key: 'interaction:1', text: 'approved' }
    const here = processOn(store)
    await here.begin({ entry, proof })
    time += MINUTE
    await processOn(store).finishAll()
    expect(await namesOn(store)).toEqual([])
    await store.set('interaction:1', 'approved')
    time += MINUTE
    await processOn(store).finishAll()
    expect(await namesOn(store)).toEqual(['consent.approved'])
    // The one that was not made is dropped.
    here.cancel(await here.begin({ entry: { ...entry, clientId: 'c2' }, proof }))
    await here.end(await here.begin({ entry: { ...entry, clientId: 'c3' }, proof }))
    expect(await namesOn(store)).toEqual(['consent.approved', 'consent.approved'])
  })
})

describe('a commit on a failing store', () => {
  it.each([true, false])('is not made while the store is unavailable (removal: %s)', async (isRemoval) => {
    const inner = memoryStore()
    await thing(inner, 'c1').create(5)
    const faulty = faultyStore(inner)
    const here = processOn(withDeadline(faulty.store, 20))
    faulty.goAway()
    await expect(here.disable(isRemoval)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(await thing(inner, 'c1').get()).toEqual({ epoch: 5 })
    expect(here.isRevoked(5)).toBe(false)
    expect(here.events).toEqual([])
  })

  it('is made without being listed only if it removes access; its entry is then recorded', async () => {
    const inner = memoryStore()
    await thing(inner, 'c1').create(5)
    const faulty = faultyStore(inner)
    const here = processOn(faulty.store)
    faulty.arm(`add ${UNFINISHED}`, 'rejected')
    await expect(here.disable(false)).rejects.toThrow()
    expect(await thing(inner, 'c1').get()).toEqual({ epoch: 5 })
    // Otherwise it would count as equal to the first.
    time += 2 * MINUTE
    faulty.arm(`add ${UNFINISHED}`, 'rejected')
    await here.disable()
    expect(await thing(inner, 'c1').get()).toMatchObject({ epoch: 6 })
    expect(await namesOn(inner)).toEqual(['client.changed'])
  })

  it.each(FAULTS)(
    'is finished by another process, whichever call of the store failed (fault: %s)',
    async (fault) => {
      let isEveryCallTested = false
      for (let call = 0; !isEveryCallTested; call += 1) {
        const inner = memoryStore()
        await thing(inner, 'c1').create(5)
        await createLongestLifetime(inner, 864_000).seconds()
        const faulty = faultyStore(inner, { lateBy: 15 })
        const here = processOn(withDeadline(faulty.store, 10))
        faulty.arm(call, fault, { thenAway: true })
        await here.disable().catch(() => {})
        isEveryCallTested = faulty.calls.length <= call
        await faulty.settled()
        // What the process keeps in memory, because it could not list the change.
        faulty.comeBack()
        await here.audit.resume()
        await here.finishAll().catch(() => {})

        time += MINUTE
        const other = processOn(inner)
        await other.finishAll()
        const wasMade = (await thing(inner, 'c1').get())?.epoch === 6
        const known = await newcomer(inner)
        expect(known.isRevoked(5), `call ${call} ${faulty.calls[call]}`).toBe(wasMade)
        expect(known.isRevoked(6)).toBe(false)
        expect(await namesOn(inner), `call ${call} ${faulty.calls[call]}`).toEqual(
          wasMade ? ['client.changed'] : [],
        )

        // In the end nothing is listed.
        time += 20 * MINUTE
        await other.finishAll()
        expect(await unfinishedOn(inner)).toEqual([])
        time = START
      }
    },
  )

  it.each([
    ['an unavailable store', new GatehouseError('ERR_STORE_UNAVAILABLE', 'away')],
    ['an unexpected error', new TypeError('undefined is not a function')],
  ])('is finished by another process after %s', async (_, failure) => {
    const store = memoryStore()
    const client = thing(store, 'c1')
    const change = processOn(store).commit<Thing>({
      record: {
        ...client.changeable,
        async change(write, ready) {
          await client.changeable.change(write, ready)
          throw failure
        },
      },
      write: () => ({ epoch: 6 }),
      entry: () => ({ name: 'client.changed' }),
      revokes: client.revocations,
    })
    await expect(change).rejects.toBe(failure)
    time += MINUTE
    await processOn(store).finishAll()
    expect((await newcomer(store)).isRevoked(5)).toBe(true)
    expect(await namesOn(store)).toEqual(['client.changed'])
  })

  it('whose entry the trail does not take keeps it in its record, until another process moves it', async () => {
    const store = memoryStore()
    await thing(store, 'c1').create(5)
    const isOfTrail = (key: string) => key.startsWith('audit:')
    const away = async () => Promise.reject(new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away'))
    const here = processOn({
      ...store,
      create: async (...args) => (isOfTrail(args[0]) ? away() : store.create(...args)),
      replace: async (...args) => (isOfTrail(args[0]) ? away() : store.replace(...args)),
    })
    await here.disable(false)
    await here.audit.settled()
    expect(await namesOn(store)).toEqual([])
    expect(await thing(store, 'c1').get()).toMatchObject({ audit: [{ entry: { name: 'client.changed' } }] })
    time += MINUTE
    await processOn(store).finishAll()
    expect(await namesOn(store)).toEqual(['client.changed'])
    expect(await thing(store, 'c1').get()).toEqual({ epoch: 6 })
  })

  it('of a removal that could not be listed is recorded by a repeat at another process', async () => {
    const db = replicatedStore()
    // The list is on another server than the record.
    const addToList: Store['add'] = async (...args) => {
      if (!db.replicates) throw new Error('its server is away')
      await db.durable.add(...args)
    }
    await thing(db.durable, 'c1').create(5)
    db.replicates = false
    await expect(processOn({ ...db.durable, add: addToList }).disable()).rejects.toThrow('too few replicas')
    db.replicates = true
    await processOn(db.durable).disable()
    expect(await namesOn(db.durable)).toEqual(['client.changed'])
  })

  it('of a removal that could not be listed is finished later by its own process', async () => {
    const db = replicatedStore()
    const addToList: Store['add'] = async (...args) => {
      if (!db.replicates) throw new Error('its server is away')
      await db.durable.add(...args)
    }
    await thing(db.durable, 'c1').create(5)
    const here = processOn({ ...db.durable, add: addToList })
    db.replicates = false
    await expect(here.disable()).rejects.toThrow('too few replicas')
    db.replicates = true
    await here.finishAll()
    time += MINUTE
    await here.finishAll()
    expect(await namesOn(db.durable)).toEqual(['client.changed'])
    expect(here.isRevoked(5)).toBe(true)
  })

  it('a revoked token is recorded although neither the list nor the trail took it at first', async () => {
    const store = memoryStore()
    let isAway = true
    const failing =
      <A extends [string, ...unknown[]], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (isAway && /^(audit|changes)/.test(args[0]))
          throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away')
        return call(...args)
      }
    const partly = {
      ...store,
      add: failing(store.add),
      create: failing(store.create),
      replace: failing(store.replace),
    }
    const audit = auditOf(partly)
    const stop = audit.start()
    const { revoke } = commitsOf(partly, { audit })
    const until = Math.floor(Date.now() / 1000) + 60
    await revoke({ of: 'token', id: 't1', until }, { name: 'token.revoked', tokenId: 't1' })
    expect(await namesOn(store)).toEqual([])
    isAway = false
    await expect.poll(() => namesOn(store), { timeout: 5000 }).toEqual(['token.revoked'])
    // The last attempt is made when the process ends.
    isAway = true
    await revoke({ of: 'token', id: 't2', until }, { name: 'token.revoked', tokenId: 't2' })
    isAway = false
    await stop()
    expect(await namesOn(store)).toEqual(['token.revoked', 'token.revoked'])
  })
})

describe('finishing the changes of other processes', () => {
  it.each([0, -30_000, 30_000])(
    'a change that others finished is finished again after it was made late, even if the clock of its process differs by %i ms',
    async (ahead) => {
      const store = memoryStore()
      const client = thing(store, 'c1')
      await client.create(5)
      const here = processOn(store, { ahead })
      const other = processOn(store)
      const crash = here.commit<Thing>({
        record: {
          ...client.changeable,
          async change(write, ready) {
            await ready
            // The change is slow, so other processes finish it while it is made.
            for (let round = 0; round < 6; round += 1) {
              time += 20_000
              await other.finishAll()
            }
            await client.changeable.change(write, ready)
            throw new Error('and here it ends')
          },
        },
        write: (stored) => stored && { ...stored, epoch: stored.epoch + 1 },
        entry: () => ({ name: 'client.changed' }),
        revokes: client.revocations,
      })
      await expect(crash).rejects.toThrow('here it ends')
      expect((await newcomer(store)).isRevoked(5)).toBe(false)
      time += 90_000
      await other.finishAll()
      expect((await newcomer(store)).isRevoked(5)).toBe(true)
      expect(await namesOn(store)).toEqual(['client.changed'])
    },
  )

  it('several processes may do it at the same time', async () => {
    const store = memoryStore()
    await thing(store, 'c1').create(6)
    await add(store, CLIENT)
    time += MINUTE
    const others = Array.from({ length: 8 }, () => processOn(store))
    await Promise.all(others.map((each) => each.finishAll()))
    expect((await newcomer(store)).isRevoked(5)).toBe(true)
    time += 20 * MINUTE
    await Promise.all(others.map((each) => each.finishAll()))
    expect(await unfinishedOn(store)).toEqual([])
  })

  it('a change that began only 14 seconds ago is left to its process', async () => {
    const store = memoryStore()
    await thing(store, 'c1').create(6)
    await add(store, CLIENT)
    time += 14_000
    await processOn(store).finishAll()
    expect((await newcomer(store)).isRevoked(5)).toBe(false)
    expect(await unfinishedOn(store)).toHaveLength(1)
  })

  it('a change is finished even if the clock of the process that listed it was far behind or far ahead', async () => {
    for (const stamp of [0, START - 900 * MINUTE, START + 900 * MINUTE]) {
      const store = memoryStore()
      await thing(store, 'c1').create(6)
      await add(store, CLIENT, stamp)
      await processOn(store).finishAll()
      expect((await newcomer(store)).isRevoked(5)).toBe(true)
      expect(await unfinishedOn(store)).toEqual([])
    }
  })

  it('thousands of changes are finished, at most once a minute each', async () => {
    const store = memoryStore()
    const ids = Array.from({ length: 1500 }, (_, index) => `c${index}`)
    for (const [index, id] of ids.entries()) {
      for (const part of ['aaaaaaaa', 'bbbbbbbb'])
        await add(store, { subject: { of: 'client', id } }, START + index, part)
    }
    time += MINUTE
    const here = processOn(store)
    const finished: string[] = []
    const finishers = finishersOf(async (id) => {
      finished.push(id)
      return [{ of: 'client', id }]
    })
    await here.finishAll(finishers)
    expect(finished.toSorted()).toEqual(ids.toSorted())
    time += 30_000
    await here.finishAll(finishers)
    expect(finished).toHaveLength(1500)
    time += 20 * MINUTE
    await here.finishAll(finishers)
    expect(finished).toHaveLength(3000)
    expect(await unfinishedOn(store)).toEqual([])
  })

  it('a change that cannot be finished does not block others, and is tried again', async () => {
    const store = memoryStore()
    for (const id of ['broken', 'c2', 'c3']) await add(store, { subject: { of: 'client', id } })
    time += MINUTE
    const here = processOn(store)
    let isBroken = true
    const finishers = finishersOf(async (id) => {
      if (id === 'broken' && isBroken) throw new GatehouseError('ERR_STORE_CORRUPT', 'no record')
      return [{ of: 'client', id }]
    })
    await here.finishAll(finishers)
    expect(here.failures).toHaveLength(1)
    expect(['broken', 'c2', 'c3'].map((id) => here.isRevoked(0, id))).toEqual([false, true, true])
    isBroken = false
    await here.finishAll(finishers)
    expect(here.isRevoked(0, 'broken')).toBe(true)
  })

  it('rejects while the store is unavailable, after it has tried each change', async () => {
    const inner = memoryStore()
    for (const id of ['c1', 'c2', 'c3']) await add(inner, { subject: { of: 'client', id } })
    time += MINUTE
    const faulty = faultyStore(inner)
    const here = processOn(withDeadline(faulty.store, 20))
    faulty.arm(1, 'rejected', { thenAway: true })
    await expect(here.finishAll()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(faulty.calls).toHaveLength(4)
    expect(await unfinishedOn(inner)).toHaveLength(3)
  })

  it('does not wait for the audit trail to complete a revocation', async () => {
    const store = memoryStore()
    for (const id of ['c1', 'c2']) {
      await thing(store, id).create(6)
      await add(store, { record: `thing:${id}`, subject: { of: 'client', id } })
    }
    const entry = { name: 'client.changed', id: 'e', at: START, outcome: 'success' }
    await store.set('thing:c1', JSON.stringify({ v: 1, epoch: 6, audit: [{ entry, after: 0 }] }))
    const away = async () => Promise.reject(new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away'))
    const isOfTrail = (key: string) => key.startsWith('audit:')
    const other = processOn({
      ...store,
      create: async (...args) => (isOfTrail(args[0]) ? away() : store.create(...args)),
    })
    time += MINUTE
    await expect(other.finishAll()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(['c1', 'c2'].map((id) => other.isRevoked(5, id))).toEqual([true, true])
  })

  it('a change that takes long holds up no other, and stays listed until it is finished', async () => {
    const store = memoryStore()
    await add(store, { subject: { of: 'host', id: 'https://claude.ai' } })
    await add(store, CLIENT, START + 1)
    await thing(store, 'c1').create(6)
    const here = processOn(store)
    const client = async () => thing(store, 'c1').revocations(await thing(store, 'c1').get())
    time += 20 * MINUTE
    await here.finishAll({ ...finishersOf(client), host: async () => undefined })
    expect(here.isRevoked(5)).toBe(true)
    expect(await unfinishedOn(store)).toHaveLength(1)
    await here.finishAll(finishersOf(client))
    expect(await unfinishedOn(store)).toEqual([])
  })

  it('a revocation that was rejected several times, because nothing could be listed, is recorded once', async () => {
    const inner = memoryStore()
    const faulty = faultyStore(inner)
    const here = processOn(withDeadline(faulty.store, 20))
    const revoke = () =>
      here.revoke({ of: 'token', id: 't1', until: START / 1000 + 3600 }, { name: 'token.revoked' })
    const revokeGrant = async () => {
      const begun = await here.begin(
        { subject: { of: 'grant', id: 'g1' }, entry: { name: 'grant.revoked' } },
        true,
      )
      await faulty.store.ping()
      await here.end(begun)
    }
    faulty.goAway()
    for (let times = 0; times < 3; times += 1) {
      await expect(revoke()).rejects.toThrow()
      await expect(revokeGrant()).rejects.toThrow()
    }
    faulty.comeBack()
    await revoke()
    await revokeGrant()
    time += 20 * MINUTE
    await here.finishAll()
    expect(await namesOn(inner)).toEqual(['token.revoked', 'grant.revoked'])
  })

  it('corrupt members and those of newer versions stay for 30 days, and one without a time is removed', async () => {
    const store = memoryStore()
    await store.add(UNFINISHED, 'no-time')
    for (const text of ['{"subject":{"of":"planet","id":"mars"}}', 'nonsense', 'null'])
      await store.add(UNFINISHED, `${START}:aaaaaaaa:${text}`)
    const finish = vi.fn(async () => [])
    time += 60 * MINUTE
    await processOn(store).finishAll(finishersOf(finish))
    expect(await unfinishedOn(store)).toHaveLength(3)
    time += 30 * 86_400_000
    await processOn(store).finishAll(finishersOf(finish))
    expect(await unfinishedOn(store)).toEqual([])
    expect(finish).not.toHaveBeenCalled()
  })

  it('begins at the start, and goes on about every minute until stop() is called', async () => {
    vi.useFakeTimers()
    try {
      const store = memoryStore()
      await thing(store, 'c1').create(6)
      const warn = vi.fn<() => void>()
      const finish = vi.fn(async () => [])
      const { start } = commitsOf(store, { logger: { ...silentLogger, warn } })
      await add(store, CLIENT, Date.now() - MINUTE)
      const stop = start(finishersOf(finish))
      for (let ms = 0; ms < 1000 && finish.mock.calls.length === 0; ms += 1)
        await vi.advanceTimersByTimeAsync(1)
      expect(finish).toHaveBeenCalledOnce()
      await vi.advanceTimersByTimeAsync(480_000)
      expect(finish.mock.calls.length).toBeGreaterThan(3)
      expect(finish.mock.calls.length).toBeLessThan(13)
      finish.mockRejectedValue(new GatehouseError('ERR_STORE_UNAVAILABLE', 'away'))
      await vi.advanceTimersByTimeAsync(130_000)
      expect(warn).toHaveBeenCalled()
      await stop()
      finish.mockClear()
      await vi.advanceTimersByTimeAsync(600_000)
      expect(finish).not.toHaveBeenCalled()
    } finally {
      vi.useRealTimers()
    }
  })
})
