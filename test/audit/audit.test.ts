// Also runs on: Redis
import { beforeEach, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { describeEachStore } from '../support/stores.ts'
import { FAULTS, faultyStore } from '../support/faulty-store.ts'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import { silentLogger } from '../../src/host/logger.ts'
import type { Audit } from '../../src/audit/audit.ts'
import { auditOf, readAll, targetsOf } from './setup.ts'

const texts = (count: number, prefix = '') => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
const changed = (target: string, more: object = {}) => ({ name: 'client.changed', target, ...more })

describeEachStore('the audit trail', (makeStore) => {
  let data: string
  beforeEach(() => {
    data = randomUUID()
  })
  const open = () => makeStore(data)

  it('an entry has the fields that are known, an id, a time and an outcome', async () => {
    const audit = auditOf(open())
    const before = Date.now()
    await audit.record({
      name: 'client.created',
      actor: 'anna',
      clientId: 'c',
      userAgent: 'x'.repeat(300),
      reason: undefined,
    })
    const { items } = await audit.list()
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{16}$/),
        at: expect.any(Number),
        name: 'client.created',
        outcome: 'success',
        actor: 'anna',
        clientId: 'c',
        userAgent: 'x'.repeat(200),
      },
    ])
    expect(items[0]?.at).toBeGreaterThanOrEqual(before)
  })

  it('a trail without entries is empty', async () => {
    const audit = auditOf(open())
    expect(await audit.list()).toEqual({ items: [] })
    expect(await audit.list({ accountId: 'acme' })).toEqual({ items: [] })
    expect(await readAll(audit)).toEqual([])
  })

  it('entries are read in the order in which they were recorded, and listed newest first', async () => {
    const audit = auditOf(open())
    for (const target of texts(40)) await audit.record(changed(target))
    expect(await targetsOf(audit)).toEqual(texts(40))
    const { items, cursor } = await audit.list({ limit: 25 })
    expect(items.map(({ target }) => target)).toEqual(texts(40).toReversed().slice(0, 25))
    const rest = await audit.list({ limit: 25, cursor })
    expect(rest.items.map(({ target }) => target)).toEqual(texts(40).toReversed().slice(25))
    expect(rest.cursor).toBeUndefined()
  })

  it('lists of an account, a client and an actor are complete over many pages', async () => {
    const audit = auditOf(open())
    await audit.record(
      ...texts(300).map((target, at) =>
        changed(target, {
          accountId: `account${at % 3}`,
          clientId: `client${at % 7}`,
          actor: `actor${at % 11}`,
        }),
      ),
    )
    for (const [filter, is] of [
      [{ accountId: 'account1' }, (at: number) => at % 3 === 1],
      [{ clientId: 'client5' }, (at: number) => at % 7 === 5],
      [{ actor: 'actor10' }, (at: number) => at % 11 === 10],
      [{}, () => true],
    ] as const) {
      const found: (string | undefined)[] = []
      let cursor: string | undefined
      do {
        const page = await audit.list({ ...filter, cursor, limit: 7 })
        found.push(...page.items.map(({ target }) => target))
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(found).toEqual(
        texts(300)
          .filter((_, at) => is(at))
          .toReversed(),
      )
    }
  })

  it('the list of a host of client documents has what happened to the host and to its clients', async () => {
    const audit = auditOf(open())
    await audit.record(
      { name: 'consent.approved', accountId: 'acme', clientId: 'https://claude.ai/a.json', target: '1' },
      { name: 'consent.approved', accountId: 'acme', clientId: 'https://claude.ai/b.json', target: '2' },
      { name: 'consent.approved', accountId: 'acme', clientId: 'https://other.example/a.json', target: '3' },
      { name: 'document_host.blocked', target: 'claude.ai' },
      changed('claude.ai', { clientId: 'c' }),
    )
    const { items } = await audit.list({ documentHost: 'claude.ai' })
    expect(items.map(({ target }) => target)).toEqual(['claude.ai', '2', '1'])
    await expect(audit.list({ documentHost: 'claude.ai', clientId: 'c' })).rejects.toThrow('at most one of')
  })

  it('a reader that goes on from its cursor gets each entry once, also from another process', async () => {
    const [one, other] = [auditOf(open()), auditOf(open())]
    const seen: (string | undefined)[] = []
    let since: string | undefined
    for (const round of texts(12)) {
      await Promise.all([one.record(changed(`${round}a`)), other.record(changed(`${round}b`))])
      await one.record(...texts(Number(round) * 3, `${round}c`).map((target) => changed(target)))
      for await (const { entry, cursor } of auditOf(open()).read({ since })) {
        seen.push(entry.target)
        since = cursor
        // A reader may stop anywhere.
        if (Math.random() < 0.1) break
      }
    }
    seen.push(...(await targetsOf(other, since)))
    expect(seen).toEqual(await targetsOf(one))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(12 * 2 + 3 * 66)
  })

  it('two processes at once write thousands of entries: none is lost, none is doubled, and the order of each is kept', async () => {
    const writers = [auditOf(open()), auditOf(open())]
    await Promise.all(
      writers.map(async (audit, writer) => {
        for (let from = 0; from < 2000; from += 40) {
          await Promise.all(texts(40).map((_, at) => audit.record(changed(`${writer}:${from + at}`))))
        }
      }),
    )
    const all = await targetsOf(auditOf(open()))
    expect(all).toHaveLength(4000)
    for (const writer of [0, 1]) {
      const own = all.filter((target) => target?.startsWith(`${writer}:`))
      // The order of calls at the same time is not promised: each reads the end of the trail first.
      const batches = own.map((target) => Math.floor(Number(target?.slice(2)) / 40))
      expect(batches).toEqual(batches.toSorted((one, other) => one - other))
      expect(new Set(own)).toEqual(new Set(texts(2000, `${writer}:`)))
    }
  })

  it('a process that wrote nothing while others filled the trail goes on at its end', async () => {
    const bounds = { maxEntries: 64 }
    const [busy, empty, full] = [0, 1, 2].map(() => auditOf(open(), { bounds })) as [Audit, Audit, Audit]
    await empty.entry(changed('learns that the trail is empty'))
    await full.record(...texts(16, 'early ').map((target) => changed(target)))
    for (let at = 0; at < 10; at += 1) {
      await busy.record(...texts(20, `${at}:`).map((target) => changed(target)))
    }
    await empty.record(changed('late 1'))
    await full.record(changed('late 2'))
    const later = auditOf(open(), { bounds })
    expect((await targetsOf(later)).slice(-3)).toEqual(['9:19', 'late 1', 'late 2'])
    const { items } = await later.list({ limit: 3 })
    expect(items.map(({ target }) => target)).toEqual(['late 2', 'late 1', '9:19'])
  })

  it('the cursor of an entry that was deleted continues at the oldest entry that is left, and the reader is told', async () => {
    const audit = auditOf(open(), { bounds: { maxEntries: 64 } })
    await audit.record(changed('first'))
    const [first] = await readAll(audit)
    for (const target of texts(200)) await audit.record(changed(target))
    const left = await readAll(audit, first?.cursor)
    expect(left.length).toBeGreaterThan(40)
    expect(left.length).toBeLessThanOrEqual(80)
    expect(left.map(({ entry }) => entry.target)).toEqual(texts(200).slice(-left.length))
    expect(left.map(({ missed }) => missed)).toEqual([true, ...left.slice(1).map(() => undefined)])
    const { items } = await audit.list({ limit: 500 })
    expect(items).toHaveLength(left.length)
    expect(await readAll(audit, left.at(-1)?.cursor)).toEqual([])
  })

  it('entries that are too old are neither read nor listed', async () => {
    let now = Date.now() - 10 * 86_400_000
    const audit = auditOf(open(), { now: () => now, bounds: { maxAgeDays: 7 } })
    await audit.record(changed('old', { accountId: 'a' }))
    now = Date.now()
    await audit.record(changed('new', { accountId: 'a' }))
    expect(await targetsOf(audit)).toEqual(['new'])
    expect((await audit.list({ accountId: 'a' })).items.map(({ target }) => target)).toEqual(['new'])
  })

  it('a process whose clock is wrong changes nothing in the order', async () => {
    const [slow, right] = [auditOf(open(), { now: () => Date.now() - 60_000 }), auditOf(open())]
    await right.record(changed('1'))
    await slow.record(changed('2'))
    await right.record(changed('3'))
    expect(await targetsOf(right)).toEqual(['1', '2', '3'])
  })

  it('an entry that was appended already is not appended again, also by another process', async () => {
    const audit = auditOf(open())
    const entry = await audit.entry(changed('once'))
    await audit.append([entry])
    await audit.record(...texts(100).map((target) => changed(target)))
    await audit.append([entry, entry])
    await auditOf(open()).append([entry])
    expect((await targetsOf(audit)).filter((target) => target === 'once')).toEqual(['once'])
  })

  it('invalid arguments are rejected', async () => {
    const audit = auditOf(open())
    await expect(audit.list({ accountId: 'a', clientId: 'c' })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await expect(audit.list({ limit: 501 })).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    await expect(audit.list({ cursor: '1' })).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    await expect(audit.list({ trail: 'other' as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await expect(readAll(audit, 'x')).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  })

  it('an aborted reader stops', async () => {
    const audit = auditOf(open())
    await audit.record(...texts(30).map((target) => changed(target)))
    const abort = new AbortController()
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const { entry } of audit.read({ signal: abort.signal })) {
        seen.push(entry)
        abort.abort()
      }
    })()
    await expect(reading).rejects.toThrow('aborted')
    expect(seen).toHaveLength(1)
  })

  it.each(FAULTS)('whichever call of a write is %s, the entry is in the trail once', async (fault) => {
    const faulty = faultyStore(open(), { lateBy: 150 })
    const { store, stop } = createResilientStore(faulty.store, 100, silentLogger)
    const audit = auditOf(store)
    await audit.record(...texts(15).map((target) => changed(target)))
    const expected = texts(15)
    for (let call = 0; call < 8; call += 1) {
      faulty.arm(call, fault)
      await audit.record(changed(`${call}x`, { accountId: 'a' }))
      await faulty.settled()
      faulty.comeBack()
      await audit.resume().catch(() => {})
      await audit.resume()
      expected.push(`${call}x`)
    }
    stop()
    const targets = await targetsOf(auditOf(open()))
    expect(targets).toHaveLength(expected.length)
    expect(new Set(targets)).toEqual(new Set(expected))
  })
})
