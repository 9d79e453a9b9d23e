import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createLastUses } from '../../src/clients/last-used.ts'
import { watched } from './setup.ts'

const START = Date.UTC(2030, 0, 1, 10, 30)
const HOUR = 3_600_000
const hourOf = (time: number) => Math.floor(time / HOUR) * 3600

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Resolves after the pending writes. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the last uses of clients', () => {
  it('any number of tokens of one client in one hour makes one write', async () => {
    const { store, calls } = watched(memoryStore())
    const lastUses = createLastUses({ store, logger: silentLogger })
    for (let count = 0; count < 1000; count += 1) lastUses.record('busy')
    vi.setSystemTime(START + HOUR / 2 - 1)
    lastUses.record('busy')
    expect(calls.map(({ method }) => method)).toEqual(['set'])
    expect(await lastUses.get(['busy', 'idle'])).toEqual([hourOf(START), undefined])

    vi.setSystemTime(START + HOUR / 2)
    lastUses.record('busy')
    lastUses.record('busy')
    expect(calls.filter(({ method }) => method === 'set')).toHaveLength(2)
    expect(await lastUses.get(['busy'])).toEqual([hourOf(START + HOUR)])
  })

  it('record() never fails and never waits, a failed write is logged, and the next token tries the write again', async () => {
    const { store, calls, faults } = watched(memoryStore())
    const debug = vi.fn<(details: object, message: string) => void>()
    const lastUses = createLastUses({ store, logger: { ...silentLogger, debug } })
    faults.set('set', new Error('connection lost'))
    expect(lastUses.record('key')).toBeUndefined()
    await settled()
    expect(debug).toHaveBeenCalledExactlyOnceWith(
      { clientId: 'key', err: faults.get('set') },
      expect.stringContaining('last use'),
    )

    faults.clear()
    lastUses.record('key')
    lastUses.record('key')
    expect(calls).toHaveLength(2)
    expect(await lastUses.get(['key'])).toEqual([hourOf(START)])
  })

  it('the cache of written uses has a bounded size', () => {
    const { store, calls } = watched(memoryStore())
    const lastUses = createLastUses({ store, logger: silentLogger })
    for (let index = 0; index < 50_001; index += 1) lastUses.record(`client-${index}`)
    calls.length = 0
    lastUses.record('client-1')
    lastUses.record('client-50000')
    expect(calls).toEqual([])
    // The first client was dropped from the cache.
    lastUses.record('client-0')
    expect(calls).toHaveLength(1)
  })

  it('deleting a client deletes the stored time of its last use', async () => {
    const store = memoryStore()
    const lastUses = createLastUses({ store, logger: silentLogger })
    lastUses.record('gone')
    await lastUses.delete('gone')
    expect(await lastUses.get(['gone'])).toEqual([undefined])
    expect(await store.get('client-usage:gone')).toBeUndefined()
  })
})
