// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuditEntry, Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Audit } from '../../src/audit/audit.ts'
import type { EntryFields } from '../../src/audit/entry.ts'
import type { WithOutbox } from '../../src/audit/recording.ts'
import type { Changeable } from '../../src/commit/changeable.ts'
import { commitsOf, finishersOf } from '../support/commits.ts'
import { describeEachStore } from '../support/stores.ts'
import { auditOf, readAll } from './setup.ts'

const MINUTE = 60_000
const rename = { name: 'client.changed', clientId: 'c', accountId: 'acme', actor: 'anna', change: 'name' }
const ownRevocation = (tokenId: string) => ({
  name: 'token.revoked',
  clientId: 'c',
  accountId: 'acme',
  tokenId,
  reason: 'client-revoked-token' as const,
})

async function entriesOf(audit: Audit, since?: string): Promise<AuditEntry[]> {
  return (await readAll(audit, since)).map(({ entry }) => entry)
}

/** How many acts the entries cover. */
const actsOf = (entries: readonly AuditEntry[]) => entries.reduce((sum, { count = 1 }) => sum + count, 0)

/** Changes a record, together with an entry. */
async function change(audit: Audit, store: Store, fields: EntryFields, key = 'client:c') {
  const record: Changeable<WithOutbox> = {
    key,
    async change(write, ready) {
      await ready
      for (;;) {
        const text = await store.get(key)
        const stored = write(JSON.parse(text ?? '{}') as object)
        const next = JSON.stringify(stored)
        const isWritten = await (text === undefined
          ? store.create(key, next)
          : store.replace(key, text, next))
        if (isWritten) return { stored }
      }
    },
  }
  await commitsOf(store, { audit }).commit({ record, write: (stored) => stored, entry: () => fields })
}

describe('equal acts within a minute', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('the first act is an entry at once, and the others are one entry with a count when the minute is over', async () => {
    const audit = auditOf(memoryStore())
    const start = Date.now()
    await audit.record({ ...rename, address: '192.0.2.1' })
    for (let at = 1; at <= 5; at += 1) {
      await vi.advanceTimersByTimeAsync(1000)
      await audit.record({ ...rename, address: `192.0.2.${at + 1}` })
    }
    const before = await readAll(audit)
    expect(before.map(({ entry }) => entry)).toEqual([
      expect.objectContaining({ at: start, address: '192.0.2.1' }),
    ])
    expect(before[0]?.entry).not.toHaveProperty('count')
    await vi.advanceTimersByTimeAsync(MINUTE)
    await audit.settled()
    const counted = {
      ...rename,
      id: expect.any(String),
      at: start + 1000,
      until: start + 5000,
      outcome: 'success',
      address: '192.0.2.2',
      count: 5,
    }
    // A reader that goes on from its cursor gets the count, and what it has read has not changed.
    expect(await entriesOf(audit, before[0]?.cursor)).toEqual([counted])
    expect((await entriesOf(audit))[0]).toEqual(before[0]?.entry)
    expect((await audit.list({ accountId: 'acme' })).items[0]).toEqual(counted)
    await audit.record(rename)
    expect(await entriesOf(audit)).toHaveLength(3)
  })

  it('a change that is made again after a concurrent change is one act, and its entry has the latest name', async () => {
    const store = memoryStore()
    const audit = auditOf(store)
    const outbox = await audit.outbox()
    // The first attempt meets a concurrent rename, so the name before the change is another one in the second attempt.
    outbox.put({}, [{ ...rename, clientName: 'First' }])
    await store.set('client:c', JSON.stringify(outbox.put({}, [{ ...rename, clientName: 'Second' }])))
    await audit.append(outbox.made())
    expect(await entriesOf(audit)).toEqual([expect.objectContaining({ ...rename, clientName: 'Second' })])
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    await audit.settled()
    expect(await entriesOf(audit)).toHaveLength(1)
  })

  it('the tokens that a client revokes by itself are equal acts, those that the host revokes are not', async () => {
    const audit = auditOf(memoryStore())
    for (let at = 0; at < 5; at += 1) await audit.record(ownRevocation(`t${at}`))
    for (let at = 0; at < 5; at += 1) await audit.record({ ...ownRevocation(`t${at}`), reason: undefined })
    await vi.advanceTimersByTimeAsync(MINUTE)
    await audit.settled()
    const entries = await entriesOf(audit)
    expect(entries.map(({ tokenId, count }) => [tokenId, count])).toEqual([
      ['t0', undefined],
      ...['t0', 't1', 't2', 't3', 't4'].map((id) => [id, undefined]),
      [undefined, 4],
    ])
  })

  it.each([
    ['actor', { actor: 'ben' }],
    ['change', { change: 'logo' }],
    ['target', { target: 'payments' }],
    ['client', { clientId: 'd' }],
    ['outcome', { outcome: 'failure' }],
    ['reason', { reason: 'account-changed' }],
    ['grant', { grantId: 'g' }],
    ['scopes', { scopes: ['a:b'] }],
  ] as const)('acts with another %s are not equal', async (_, other) => {
    const audit = auditOf(memoryStore())
    await audit.record(rename)
    await audit.record({ ...rename, ...other })
    expect(await entriesOf(audit)).toHaveLength(2)
  })

  it('acts that belong to no client are entries of their own', async () => {
    const audit = auditOf(memoryStore())
    for (let at = 0; at < 5; at += 1) await audit.record({ name: 'catalog.reloaded' })
    expect(await entriesOf(audit)).toHaveLength(5)
  })

  it('from 600 entries of an account in an hour on, acts of different clients are counted for the account', async () => {
    const audit = auditOf(memoryStore())
    const created = (at: number) => ({
      name: 'client.created',
      kind: 'apiKey' as const,
      clientId: `c${at}`,
      accountId: 'acme',
      actor: 'acme/anna',
    })
    for (let at = 0; at < 700; at += 1) await audit.record(created(at))
    await audit.record({ ...created(0), accountId: 'bob' })
    expect(await entriesOf(audit)).toHaveLength(602)
    await vi.advanceTimersByTimeAsync(MINUTE)
    await audit.settled()
    const { clientId: _, ...act } = created(0)
    const entries = await entriesOf(audit)
    expect(entries).toHaveLength(603)
    expect(entries.at(-1)).toEqual(expect.objectContaining({ ...act, count: 99 }))
    expect(entries.at(-1)).not.toHaveProperty('clientId')
    expect(actsOf(entries)).toBe(701)

    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    for (let at = 0; at < 10; at += 1) await audit.record(created(at))
    expect(await entriesOf(audit)).toHaveLength(613)
  })
})

describeEachStore('counts of processes that stop', (makeStore) => {
  let data: string
  let ahead = 0
  beforeEach(() => {
    data = randomUUID()
    ahead = 0
  })
  const open = () => makeStore(data)
  const process = (store = open()) => auditOf(store, { now: () => Date.now() + ahead })

  it('another process writes the count of a process that stopped, once', async () => {
    const store = open()
    const killed = process(store)
    for (let at = 0; at < 20; at += 1) await change(killed, store, rename)
    await killed.settled()
    expect(await entriesOf(process())).toHaveLength(1)
    const [one, two] = [process(), process()]
    ahead = MINUTE
    await one.resume()
    expect(await entriesOf(process())).toHaveLength(1)
    ahead = 4 * MINUTE
    await Promise.all([one.resume(), two.resume()])
    await two.resume()
    const entries = await entriesOf(process())
    expect(entries.map(({ count }) => count)).toEqual([undefined, 19])
    await vi.waitFor(async () => expect(await store.get('client:c')).toBe('{}'))
    expect(await store.range('audit:counted', { limit: 10 })).toEqual([])
  })

  it('a change whose process stopped before its entry waited to be counted is in the count', async () => {
    const store = open()
    let isKilled = false
    const failing = new Proxy(store, {
      get(target, name: keyof Store) {
        if (name !== 'add') return target[name]
        return (index: string, member: string, ttl?: number) =>
          isKilled && index === 'audit:counted' ? new Promise(() => {}) : target.add(index, member, ttl)
      },
    })
    const killed = process(failing)
    for (let at = 0; at < 5; at += 1) await change(killed, store, rename)
    await vi.waitFor(async () => expect(await store.get('client:c')).toBe('{}'))
    isKilled = true
    void change(killed, store, rename)
    await vi.waitFor(async () => expect(await store.get('client:c')).toMatch('"into"'))
    ahead = 4 * MINUTE
    const other = process()
    const now = () => Date.now() + ahead
    await commitsOf(store, { audit: other, now }).finishAll(finishersOf(async () => []))
    await other.resume()
    const entries = await entriesOf(process())
    expect(entries.map(({ count }) => count)).toEqual([undefined, 5])
  })

  it('a count that was written, but whose acts still wait, is not written again', async () => {
    const store = open()
    let isKilled = false
    const failing = new Proxy(store, {
      get(target, name: keyof Store) {
        if (name !== 'remove') return target[name]
        return (index: string, member: string) =>
          isKilled && index === 'audit:counted' ? new Promise(() => {}) : target.remove(index, member)
      },
    })
    const killed = process(failing)
    for (let at = 0; at < 5; at += 1) await killed.record(ownRevocation(`t${at}`))
    isKilled = true
    ahead = 4 * MINUTE
    void killed.resume()
    await vi.waitFor(async () => expect(await entriesOf(process())).toHaveLength(2))
    await process().resume()
    expect(actsOf(await entriesOf(process()))).toBe(5)
    expect(await store.range('audit:counted', { limit: 10 })).toEqual([])
  })

  it('two processes count for themselves, and every act is in one entry', async () => {
    const processes = [process(), process()]
    await Promise.all(
      processes.map(async (audit) => {
        const stop = audit.start()
        for (let at = 0; at < 50; at += 1) await audit.record(ownRevocation(`t${at}`))
        await stop()
      }),
    )
    const entries = await entriesOf(process())
    expect(entries).toHaveLength(4)
    expect(actsOf(entries)).toBe(100)
  })

  it('a change that did not happen is not counted', async () => {
    const audit = process()
    const stop = audit.start()
    await audit.record(rename)
    for (let at = 0; at < 3; at += 1) {
      const outbox = await audit.outbox()
      outbox.put({}, [rename])
      audit.withdraw(outbox.made())
    }
    await audit.record(rename)
    await stop()
    expect((await entriesOf(process())).map(({ count }) => count)).toEqual([undefined, 1])
  })
})
