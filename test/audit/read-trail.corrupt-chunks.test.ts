import { beforeEach, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import type { Store } from 'koa-gatehouse'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import type { StoreWithMemory } from '../../src/store/met-corrupt-records.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { describeEachStore } from '../support/stores.ts'
import type { Audit } from '../../src/audit/audit.ts'
import type { AuditRecord } from '../../src/audit/read-trail.ts'
import { auditOf, readAll } from './setup.ts'

const changed = (target: string) => ({ name: 'client.changed', target, accountId: 'acme' })

/** Corrupt values that replace a chunk. */
const CORRUPT: readonly [what: string, valueOf: (text: string) => string][] = [
  ['garbage', () => 'garbage'],
  ['an empty object', () => '{}'],
  ['a truncated text', (text) => text.slice(0, text.length / 2)],
  ['a chunk of another version', (text) => text.replace('"v":1', '"v":2')],
  ['a chunk with entries of other types', (text) => text.replaceAll('"name":', '"Name":')],
]

describeEachStore('a corrupt chunk of the audit trail', (makeStore) => {
  let data: string
  let store: Store
  let errors: object[]
  beforeEach(begin)

  /** Begins with an empty store. */
  function begin(): void {
    data = randomUUID()
    store = makeStore(data)
    errors = []
  }

  /** Runs a story for each corrupt value, each time on an empty store. */
  async function forEachValue(story: (valueOf: (text: string) => string, what: string) => Promise<void>) {
    for (const [what, valueOf] of CORRUPT) {
      begin()
      await story(valueOf, what)
    }
  }

  /** Another process on the same data. */
  function open(): { audit: Audit; memory: StoreWithMemory } {
    const error = (details: object) => void errors.push(details)
    const resilient = createResilientStore(makeStore(data), 2000, { ...silentLogger, error })
    return { audit: auditOf(resilient.store), memory: resilient.store }
  }

  /** Writes full chunks, each with one entry per place. */
  async function fill(count: number): Promise<string[]> {
    const targets = Array.from({ length: count }, (_, at) => `t${at}`)
    const { audit } = open()
    for (const target of targets) await audit.record(changed(target))
    return targets
  }

  async function corrupt(number: number, valueOf: (text: string) => string): Promise<string> {
    const key = `audit:changes:${number}`
    const text = (await store.get(key)) ?? ''
    expect(text).not.toBe('')
    await store.set(key, valueOf(text), 3600)
    return valueOf(text)
  }

  const targetsOf = (records: readonly AuditRecord[]) => records.map(({ entry }) => entry.target)

  it('reading goes on behind a corrupt chunk, and says that entries are missing', () =>
    forEachValue(async (valueOf, what) => {
      const targets = await fill(48)
      await corrupt(2, valueOf)
      const { audit, memory } = open()
      const records = await readAll(audit)
      expect(targetsOf(records), what).toEqual([...targets.slice(0, 16), ...targets.slice(32)])
      expect(records.filter(({ missed }) => missed).map(({ entry }) => entry.target)).toEqual(['t32'])
      // A reader that goes on is told once.
      expect((await readAll(audit, records.at(20)?.cursor)).some(({ missed }) => missed)).toBe(false)
      expect((await readAll(audit, records.at(10)?.cursor)).filter(({ missed }) => missed)).toHaveLength(1)
      expect(errors).toEqual([expect.objectContaining({ key: 'audit:changes:2' })])
      expect(memory.metCorrupt?.list()).toEqual(['audit:changes:2'])
    }))

  it('lists say that entries are missing if a chunk is corrupt', () =>
    forEachValue(async (valueOf, what) => {
      const targets = await fill(48)
      await corrupt(2, valueOf)
      const { audit, memory } = open()
      for (const filter of [{}, { accountId: 'acme' }]) {
        const page = await audit.list({ ...filter, limit: 500 })
        expect(
          page.items.map(({ target }) => target),
          what,
        ).toEqual([...targets.slice(0, 16), ...targets.slice(32)].toReversed())
        expect(page.missed).toBe(true)
        expect((await audit.list({ ...filter, limit: 5 })).missed).toBeUndefined()
      }
      expect(memory.metCorrupt?.list()).toEqual(['audit:changes:2'])
    }))

  it('a trail of corrupt chunks is never an empty list', async () => {
    await fill(40)
    for (const number of [1, 2, 3]) await corrupt(number, () => 'garbage')
    const { audit } = open()
    expect(await audit.list()).toEqual({ items: [], missed: true })
    expect(await audit.list({ accountId: 'acme' })).toEqual({ items: [], missed: true })
    await expect(readAll(audit)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    await audit.record(changed('later'))
    const records = await readAll(audit)
    expect(records).toMatchObject([{ entry: { target: 'later' }, missed: true }])
  })

  it('pages lead to the entries that are older than many corrupt chunks', async () => {
    const targets = await fill(400)
    for (let number = 2; number <= 25; number += 1) await corrupt(number, () => 'garbage')
    for (const filter of [{}, { accountId: 'acme' }]) {
      const { audit } = open()
      const found: (string | undefined)[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = await audit.list({ ...filter, limit: 2, cursor })
        found.push(...page.items.map(({ target }) => target))
        if (found.length === 0) expect(page.missed).toBe(true)
        ;({ cursor } = page)
        pages += 1
      } while (cursor !== undefined && pages < 100)
      expect(found).toEqual(targets.slice(0, 16).toReversed())
    }
  })

  it('writing goes on in a new chunk if the last chunk is corrupt, which stays as it is', () =>
    forEachValue(async (valueOf, what) => {
      await fill(20)
      const before = open()
      await before.audit.record(changed('before'))
      const text = await corrupt(2, valueOf)
      const { audit } = open()
      for (const each of [audit, before.audit]) {
        await each.record(changed('after'))
        await each.settled()
      }
      const records = await readAll(audit)
      expect(targetsOf(records).slice(-2)).toEqual(['after', 'after'])
      expect(records.filter(({ missed }) => missed)).toHaveLength(1)
      expect(await store.get('audit:changes:2'), what).toBe(text)
    }))

  it('one corrupt entry hides no other entry of its chunk', async () => {
    const targets = await fill(20)
    const records = await readAll(open().audit)
    await corrupt(2, (text) => {
      const chunk = JSON.parse(text) as { entries: unknown[] }
      return JSON.stringify({ ...chunk, entries: chunk.entries.with(1, { id: 'x' }) })
    })
    const { audit } = open()
    await audit.record(changed('later'))
    const left = [...targets.filter((target) => target !== 't17'), 'later']
    expect(targetsOf(await readAll(audit))).toEqual(left)
    expect((await audit.list()).items.map(({ target }) => target)).toEqual(left.toReversed())
    expect((await audit.list()).missed).toBe(true)
    // A reader whose cursor is before, at or behind the corrupt entry goes on after its cursor.
    expect(targetsOf(await readAll(audit, records[16]?.cursor))).toEqual(['t18', 't19', 'later'])
    expect(targetsOf(await readAll(audit, records[17]?.cursor))).toEqual(['t18', 't19', 'later'])
    expect((await readAll(audit, records[18]?.cursor)).some(({ missed }) => missed)).toBe(false)
  })

  it('a reader whose own entry is in a corrupt chunk goes on with the next chunk', async () => {
    const targets = await fill(40)
    const records = await readAll(open().audit)
    await corrupt(1, () => 'garbage')
    const rest = await readAll(open().audit, records[5]?.cursor)
    expect(targetsOf(rest)).toEqual(targets.slice(16))
    expect(rest.map(({ missed }) => missed ?? false)).toEqual([
      true,
      ...Array.from({ length: 23 }, () => false),
    ])
  })

  it('a corrupt number of the last chunk is repaired, and hides no entry', async () => {
    const targets = await fill(200)
    await store.set('audit:changes:head', 'garbage')
    const { audit, memory } = open()
    expect(targetsOf(await readAll(audit))).toEqual(targets)
    expect((await audit.list({ limit: 500 })).items).toHaveLength(200)
    expect(memory.metCorrupt?.list()).toEqual(['audit:changes:head'])
    for (let at = 0; at < 20; at += 1) await audit.record(changed(`later${at}`))
    expect(Number(await store.get('audit:changes:head'))).toBeGreaterThan(10)
  })

  it('a corrupt number of the last chunk is an error if no chunk is found without it', async () => {
    await fill(200)
    for (let number = 1; number < 12; number += 1) await store.delete(`audit:changes:${number}`)
    await store.set('audit:changes:head', 'garbage')
    const { audit } = open()
    await expect(audit.list()).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    await expect(readAll(audit)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
  })
})
