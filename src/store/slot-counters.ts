import type { CountOptions, SlotCounts, Store } from './contract.ts'

/** The oldest are dropped, and count from 0 again. */
const MAX_COUNTERS = 100_000

/** Counters in the memory of this process, with the method `count` of a store. */
export function createSlotCounters(now: () => number = Date.now) {
  /** By key: counts by slot. A key that was counted last is the last one of the map. */
  const counters = new Map<string, Map<number, number>>()

  return {
    count(key: string, amount: number, options: CountOptions): SlotCounts {
      const bySlot = counters.get(key) ?? new Map<number, number>()
      const counted = countInSlots(bySlot, now(), amount, options)
      counters.delete(key)
      if (bySlot.size > 0) counters.set(key, bySlot)
      const [oldest] = counters.keys()
      if (counters.size > MAX_COUNTERS && oldest !== undefined) counters.delete(oldest)
      return counted
    },
    delete: (key: string) => counters.delete(key),
    clear: () => counters.clear(),
  }
}

/**
 * Counts as `count` of a store. Changes `bySlot`, which has the counts of one key by slot.
 * @param time milliseconds since the epoch
 */
export function countInSlots(
  bySlot: Map<number, number>,
  time: number,
  amount: number,
  { slotSeconds, slots, claim, max }: CountOptions,
): SlotCounts {
  const slot = Math.floor(time / 1000 / slotSeconds)
  for (const each of bySlot.keys()) if (each <= slot - slots || each > slot) bySlot.delete(each)
  const before = [...bySlot.values()].reduce((sum, count) => sum + count, 0)
  const claimed = Math.max(0, Math.min(claim, max - before - amount))
  if (amount + claimed > 0) bySlot.set(slot, (bySlot.get(slot) ?? 0) + amount + claimed)
  return {
    claimed,
    time,
    counts: Array.from({ length: slots }, (_, back) => bySlot.get(slot - back) ?? 0),
  }
}

/** If the store cannot count, this process counts alone. */
export function createClaim(store: Pick<Store, 'count'>, slots: Omit<CountOptions, 'claim'>) {
  const own = createSlotCounters()
  const options = { ...slots, claim: 1 }
  /** Counts one act of a key, such as a person. False if the slots have `max` acts already. */
  return async function claim(key: string): Promise<boolean> {
    const counted = await store.count?.(key, 0, options).catch(() => undefined)
    return (counted ?? own.count(key, 0, options)).claimed === 1
  }
}
