// Also runs on: Redis
import { expect, it, onTestFinished, vi } from 'vitest'
import { randomUUID } from 'node:crypto'
import { commitsOf, finishersOf } from '../../support/commits.ts'
import { FAULTS, faultyStore } from '../../support/faulty-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { createResilientStore } from '../../../src/store/resilient-store.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { auditOf } from '../../audit/setup.ts'
import { createDatabase, NEVER, productsNamed, startProcess } from './processes.ts'

const DEADLINE_MS = 2000

describeEachStore('the audit trail of the products', (makeStore) => {
  it('a change of the products is one entry, with what was added and removed, however many processes adopt it', async () => {
    const [data, database] = [randomUUID(), createDatabase('a:read+write', 'b')]
    const here = await startProcess(makeStore(data), database.load)
    const there = await startProcess(makeStore(data), database.load)
    database.products = productsNamed('a:read+list', 'c')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.ids()).toEqual(['a', 'c']))
    await Promise.all([here.sync.synchronize(), there.sync.synchronize()])
    expect((await there.audit.list()).items).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Number),
        name: 'catalog.reloaded',
        outcome: 'success',
        added: ['a/a:list', 'c/c:read'],
        removed: ['a/a:write', 'b/b:read'],
      },
    ])
  })

  it('neither the first products nor a start or reload with the same operations is a change', async () => {
    const [data, database] = [randomUUID(), createDatabase('a', 'b')]
    const here = await startProcess(makeStore(data), database.load)
    await startProcess(makeStore(data), productsNamed('b', 'a'))
    await here.sync.reload()
    expect((await here.audit.list()).items).toEqual([])
  })

  it('a process that starts with other products is recorded', async () => {
    const data = randomUUID()
    await startProcess(makeStore(data), productsNamed('a', 'b'))
    const { audit } = await startProcess(makeStore(data), productsNamed('a'))
    expect((await audit.list()).items).toMatchObject([{ removed: ['b/b:read'] }])
  })

  it('an entry names at most 100 operations, and says how many more there are', async () => {
    const [data, database] = [randomUUID(), createDatabase('a')]
    const here = await startProcess(makeStore(data), database.load)
    database.products = productsNamed('a', ...Array.from({ length: 250 }, (_, at) => `p${at}`))
    await here.sync.reload()
    const [entry] = (await here.audit.list()).items
    expect(entry?.added).toHaveLength(101)
    expect(entry?.added?.at(-1)).toBe('and 150 more')
    expect(entry).not.toHaveProperty('removed')
  })

  it.each(FAULTS)('a change whose write is %s is recorded once, when it is made', async (fault) => {
    const [data, database] = [randomUUID(), createDatabase('a', 'b')]
    const faulty = faultyStore(makeStore(data), { lateBy: 150 })
    const { store, stop } = createResilientStore(faulty.store, DEADLINE_MS, silentLogger)
    const here = await startProcess(store, database.load, { pollIntervalMs: NEVER })
    // The deadline passes only when the write without an answer was made.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    database.products = productsNamed('b')
    faulty.arm('replace catalog', fault)
    const rejected = expect(here.sync.reload()).rejects.toThrow()
    await until(async () => {
      // Some stores pause for a millisecond after a write.
      await vi.advanceTimersByTimeAsync(1)
      expect(faulty.calls.join()).toContain('replace catalog')
    })
    await vi.advanceTimersByTimeAsync(DEADLINE_MS)
    await rejected
    vi.useRealTimers()
    await faulty.settled()
    faulty.comeBack()
    await vi.waitFor(() => here.sync.synchronize())
    stop()
    // Another process moves the entry from the record to the trail.
    const now = () => Date.now() + 60_000
    const later = auditOf(makeStore(data), { now })
    await commitsOf(makeStore(data), { audit: later, now }).finishAll(finishersOf(async () => []))
    const { items } = await later.list()
    expect(items).toMatchObject([{ name: 'catalog.reloaded', removed: ['a/a:read'] }])
  })
})
