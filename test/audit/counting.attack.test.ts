import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { auditOf, readAll } from './setup.ts'

const rename = { name: 'client.changed', clientId: 'c', accountId: 'acme', actor: 'anna', change: 'name' }

describe('equal acts within a minute, and many others', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('10,000 different acts are watched at the same time; beyond that the oldest minutes end early', async () => {
    const audit = auditOf(memoryStore())
    const acts = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...rename,
        accountId: `a${from + at}`,
        clientId: `c${from + at}`,
      }))
    await audit.record(rename, rename, rename)
    await vi.advanceTimersByTimeAsync(6000)
    await audit.record(...acts(0, 9999))
    expect(await readAll(audit)).toHaveLength(10_000)
    await audit.record(...acts(9999, 1))
    await audit.settled()
    const entries = (await readAll(audit)).map(({ entry }) => entry)
    expect(entries).toHaveLength(10_002)
    expect(entries.at(-1)).toMatchObject({ clientId: 'c', count: 2 })
    expect(entries.reduce((acts, { count = 1 }) => acts + count, 0)).toBe(10_003)
  })
})
