import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createLastUsed } from '../../src/clients/last-used.ts'
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

/** What was written is there once the promises that are under way have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('usage', () => {
  it('is one write an hour, however many tokens there are', async () => {
    const { store, calls } = watched(memoryStore())
    const usage = createLastUsed({ store, logger: silentLogger })
    for (let count = 0; count < 1000; count += 1) usage.touch('busy')
    vi.setSystemTime(START + HOUR / 2 - 1)
    usage.touch('busy')
    expect(calls.map(({ method }) => method)).toEqual(['set'])
    expect(await usage.lastUsed(['busy', 'idle'])).toEqual([hourOf(START), undefined])

    vi.setSystemTime(START + HOUR / 2)
    usage.touch('busy')
    usage.touch('busy')
    expect(calls.filter(({ method }) => method === 'set')).toHaveLength(2)
    expect(await usage.lastUsed(['busy'])).toEqual([hourOf(START + HOUR)])
  })

  it('never fails and never waits: a failure is logged, and the next token tries again', async () => {
    const { store, calls, faults } = watched(memoryStore())
    const debug = vi.fn<(details: object, message: string) => void>()
    const usage = createLastUsed({ store, logger: { ...silentLogger, debug } })
    faults.set('set', new Error('connection lost'))
    expect(usage.touch('key')).toBeUndefined()
    await settled()
    expect(debug).toHaveBeenCalledExactlyOnceWith(
      { clientId: 'key', error: faults.get('set') },
      expect.stringContaining('last used'),
    )

    faults.clear()
    usage.touch('key')
    usage.touch('key')
    expect(calls).toHaveLength(2)
    expect(await usage.lastUsed(['key'])).toEqual([hourOf(START)])
  })

  it('remembers a bounded number of clients, the last ones written', () => {
    const { store, calls } = watched(memoryStore())
    const usage = createLastUsed({ store, logger: silentLogger })
    for (let index = 0; index < 50_001; index += 1) usage.touch(`client-${index}`)
    calls.length = 0
    usage.touch('client-1')
    usage.touch('client-50000')
    expect(calls).toEqual([])
    // The first one had to make room.
    usage.touch('client-0')
    expect(calls).toHaveLength(1)
  })

  it('is forgotten with the client', async () => {
    const store = memoryStore()
    const usage = createLastUsed({ store, logger: silentLogger })
    usage.touch('gone')
    await usage.forget('gone')
    expect(await usage.lastUsed(['gone'])).toEqual([undefined])
    expect(await store.get('client-usage:gone')).toBeUndefined()
  })
})
