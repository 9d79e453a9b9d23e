import { createLru } from '../async/lru.ts'
import { createRateLimit } from '../async/rate-limit.ts'
import type { Store } from './contract.ts'
import { digest } from './digest.ts'

/** Milliseconds between two batches that are sent to the store. */
const BATCH_MS = 1000
/** The most keys of a batch. Further keys are counted in this process alone. */
const MAX_KEYS = 500
/** The most keys of which this process knows that they have used up their bound in other processes. */
const MAX_BLOCKED = 10_000
const SLOTS = 6

/**
 * Creates a rate limit of all processes. Each process counts by itself, in a fixed amount of memory. Every second it
 * sends what it has counted to the store, and learns which keys have used up their bound in all processes together. If
 * the store has no counters, or is unavailable, the process counts alone.
 *
 * @param options.name the first part of the keys in the store
 * @param options.now returns the time in epoch seconds
 */
export function createSharedLimit(
  store: Pick<Store, 'count' | 'delete'>,
  options: { readonly name: string; readonly windowSeconds: number; readonly now: () => number },
) {
  const { name, windowSeconds, now } = options
  const slotSeconds = Math.ceil(windowSeconds / SLOTS)
  /** By stored key: until when all processes together have used up the bound, in epoch seconds. */
  const blocked = createLru<string, number>(MAX_BLOCKED)
  let batch = new Map<string, { amount: number; readonly max: number }>()
  let timer: NodeJS.Timeout | undefined

  // An address or an identifier must not be readable in the store, and a stranger may send a long one.
  const storedKey = (key: string) => `attempts:${name}:${digest(key)}`

  async function sendBatch(): Promise<void> {
    timer = undefined
    const sent = batch
    batch = new Map()
    await Promise.all([...sent].map(([key, { amount, max }]) => send(key, amount, max).catch(() => {})))
  }

  async function send(key: string, amount: number, max: number): Promise<void> {
    if (amount <= 0) return
    const counted = await store.count?.(key, amount, { slotSeconds, slots: SLOTS, claim: 0, max: 0 })
    const sum = counted?.counts.reduce((total, count) => total + count, 0) ?? 0
    if (sum >= max) blocked.set(key, now() + slotSeconds)
  }

  const shared = {
    waitSeconds: (key: string) => Math.ceil((blocked.get(storedKey(key)) ?? 0) - now()),
    add({ key: text, max }: { readonly key: string; readonly max: number }): void {
      const key = storedKey(text)
      const waiting = batch.get(key)
      if (waiting) waiting.amount += 1
      else if (batch.size < MAX_KEYS) batch.set(key, { amount: 1, max })
      timer ??= setTimeout(() => void sendBatch(), BATCH_MS).unref()
    },
    subtract(text: string): void {
      const waiting = batch.get(storedKey(text))
      if (waiting) waiting.amount -= 1
    },
    reset(text: string): void {
      const key = storedKey(text)
      batch.delete(key)
      blocked.delete(key)
      void store.delete(key).catch(() => {})
    },
  }
  return createRateLimit({ windowSeconds, now, ...(store.count && { shared }) })
}
