import assert from 'node:assert/strict'
import { competitors, type StorePromises } from './promise.ts'

/** A window of ten slots, which is longer than a check. */
const LONG = { slotSeconds: 1000, slots: 10, claim: 0, max: 0 }
const SHORT = { slotSeconds: 1, slots: 2, claim: 0, max: 0 }

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** Promises about `count`. A store without `count` keeps all of them. */
export const counters: StorePromises = {
  async 'count adds up what all stores count at the same time'(stage) {
    const { store, other, key } = stage
    if (!store.count) return
    await Promise.all(competitors(stage).map(async (each) => each.count?.(key('a'), 2, LONG)))
    const found = await other.count?.(key('a'), 0, LONG)
    assert.equal(found?.counts.length, LONG.slots)
    assert.equal(sumOf(found?.counts ?? []), 2 * competitors(stage).length)
    // Without an amount, nothing is counted.
    assert.equal(sumOf((await store.count(key('a'), 0, LONG)).counts), sumOf(found?.counts ?? []))
    assert.equal(sumOf((await store.count(key('b'), 1, LONG)).counts), 1)
    await store.delete(key('a'))
    await store.delete(key('b'))
    assert.equal(sumOf((await other.count?.(key('a'), 0, LONG))?.counts ?? []), 0)
  },

  async 'stores that claim at the same time get no more than the maximum together, and all of it'(stage) {
    const { store, key } = stage
    if (!store.count) return
    const claims = await Promise.all(
      competitors(stage).map(async (each) => each.count?.(key('a'), 0, { ...LONG, claim: 5, max: 300 })),
    )
    const claimed = sumOf(claims.map((each) => each?.claimed ?? 0))
    const found = await store.count(key('a'), 0, LONG)
    assert.equal(claimed, 300)
    assert.equal(sumOf(found.counts), 300)
    // An amount is added although the maximum is reached.
    const beyond = await store.count(key('a'), 2, { ...LONG, claim: 5, max: 300 })
    assert.equal(beyond.claimed, 0)
    assert.equal(sumOf(beyond.counts), 302)
    await store.delete(key('a'))
  },

  async 'count answers with the time in milliseconds, and a slot leaves the counts when its time is over'({
    store,
    key,
    elapse,
  }) {
    if (!store.count) return
    const first = await store.count(key('a'), 3, SHORT)
    assert.ok(Math.abs(first.time - Date.now()) < 3_600_000, 'the time is not milliseconds since the epoch')
    assert.equal(first.counts[0], 3)
    await elapse(SHORT.slotSeconds * SHORT.slots)
    const later = await store.count(key('a'), 1, SHORT)
    assert.equal(sumOf(later.counts), 1)
    assert.ok(later.time > first.time)
    await store.delete(key('a'))
  },
}
