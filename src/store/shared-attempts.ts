import { createLru } from '../async/lru.ts'
import { createAttemptCounters } from './attempt-counters.ts'
import type { Store } from './contract.ts'
import { digest } from './digest.ts'

/** Milliseconds between two batches that are sent to the store. */
const BATCH_MS = 1000
/** The most keys of a batch. Further keys are counted in this process alone. */
const MAX_KEYS = 500
/** A key is sent to the store from this share of its limit on, so that single mistakes cost no call of the store. */
const SENT_FROM = 1 / 4
/** The most keys of which this process knows that they have used up their limit in other processes. */
const MAX_BLOCKED = 10_000
const SLOTS = 6

/** How attempts are limited. */
interface AttemptOptions {
  /** The first part of the keys in the store. */
  readonly name: string
  readonly max: number
  /** Seconds from the first attempt until the count is reset. */
  readonly windowSeconds: number
  /** Returns the time in epoch seconds. */
  readonly now: () => number
}

/**
 * Limits attempts by key, such as an address. Each process counts by itself, in a fixed amount of memory. Every second it
 * sends what it has counted to the store, and learns which keys have used up their limit in all processes together. If the
 * store has no counters, or is unavailable, the process counts alone.
 */
export function createSharedAttempts(
  store: Pick<Store, 'count' | 'delete'>,
  { name, max, windowSeconds, now }: AttemptOptions,
) {
  const counterOf = createAttemptCounters({ max, windowSeconds, now })
  /** By key: until when all processes together have used up the limit, in epoch seconds. */
  const blocked = createLru<string, number>(MAX_BLOCKED)
  let batch = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function enqueue(key: string, amount: number): void {
    if (!store.count || (batch.size >= MAX_KEYS && !batch.has(key))) return
    batch.set(key, (batch.get(key) ?? 0) + amount)
    timer ??= setTimeout(() => void sendBatch(), BATCH_MS).unref()
  }

  async function sendBatch(): Promise<void> {
    timer = undefined
    const sent = batch
    batch = new Map()
    await Promise.all([...sent].map(([key, amount]) => send(key, amount).catch(() => {})))
  }

  async function send(key: string, amount: number): Promise<void> {
    if (amount <= 0) return
    const slotSeconds = Math.ceil(windowSeconds / SLOTS)
    const options = { slotSeconds, slots: SLOTS, claim: 0, max: 0 }
    const counted = await store.count?.(storedKey(key), amount, options)
    const sum = counted?.counts.reduce((total, count) => total + count, 0) ?? 0
    if (sum >= max) blocked.set(key, now() + slotSeconds)
  }

  const storedKey = (key: string) => `attempts:${name}:${key}`

  return function attemptsOf(text: string) {
    // An address or an identifier must not be readable in the store, and a stranger may send a long one.
    const key = digest(text)
    const own = counterOf(key)
    return {
      /** Seconds until another attempt is allowed; 0 if it is allowed now. */
      waitSeconds: (): number => Math.max(own.waitSeconds(), Math.ceil((blocked.get(key) ?? 0) - now()), 0),
      add(): void {
        own.add()
        if (own.count() >= max * SENT_FROM) enqueue(key, 1)
      },
      /** Takes an attempt back, because it succeeded. */
      subtract(): void {
        own.subtract()
        if (batch.has(key)) enqueue(key, -1)
      },
      /** Begins to count from 0 in all processes, because an attempt succeeded. */
      reset(): void {
        const wasSent = own.count() >= max * SENT_FROM
        own.reset()
        batch.delete(key)
        blocked.delete(key)
        if (wasSent) void store.delete(storedKey(key)).catch(() => {})
      },
    }
  }
}
