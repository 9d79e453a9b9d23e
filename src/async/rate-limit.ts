import { createHmac, hash, randomBytes } from 'node:crypto'
import { createLru } from './lru.ts'

/** At most `max` acts of one key in a window, such as the attempts from an address. */
export interface Bound {
  readonly key: string
  readonly max: number
}

/** The part of a store that counts for all processes; see `store/contract.ts`. */
export interface SharedCounts {
  count?(
    key: string,
    amount: number,
    slots: { slotSeconds: number; slots: number; claim: number; max: number },
  ): Promise<{ readonly counts: readonly number[] }>
  delete(key: string): Promise<unknown>
}

/** The counters in a row. Each key has one counter in each row, which four bytes of the key's hash select. */
const ROW = 131_072
const ROWS = 2
/** So many counters are made when one is needed. A counter is two numbers: the acts, and the end of their window. */
const BLOCK = 512

/** Milliseconds between two batches that are sent to the store. */
const BATCH_MS = 1000
/** The most keys of a batch. Further keys are counted in this process alone. */
const MAX_KEYS = 500
/** A key is sent to the store from this share of its bound on, so that single mistakes cost no call of the store. */
const SENT_FROM = 1 / 4
/** The most keys of which this process knows that they have used up their bound in other processes. */
const MAX_BLOCKED = 10_000
const SLOTS = 6

/**
 * Limits acts by key. The window of a key begins with its first act, and admits as many acts as the bound says. The
 * next act after its end begins a new window.
 *
 * All keys share a fixed number of counters (a count-min sketch): in a table with one entry per key, an attacker
 * could evict all other keys with invented ones. With a hundred thousand attempts in one window, hardly any person
 * has to wait because of others. With far more, the password checks overload the server before all sign-ins are
 * rejected.
 *
 * With `shared`, all processes count together: every second, each sends what it has counted to the store, and learns
 * which keys have used up their bound. If the store has no counters, or is unavailable, it counts alone.
 * @param options.now returns the time in seconds
 */
export function createRateLimit(options: {
  readonly windowSeconds: number
  readonly now: () => number
  readonly shared?: { readonly name: string; readonly store: SharedCounts }
}) {
  const { windowSeconds, now, shared } = options
  const prefix = shared ? `attempts:${shared.name}:` : ''
  const blocks: Float64Array[] = []
  // The seed is secret, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)
  const slotSeconds = Math.ceil(windowSeconds / SLOTS)
  const blockedUntil = createLru<string, number>(MAX_BLOCKED)
  let batch = new Map<string, { amount: number; readonly max: number }>()
  let timer: NodeJS.Timeout | undefined

  // An end that is too far away is from before the clock was set back. Small steps back are ignored.
  const secondsTo = (end: number, max: number) => (end - now() > max + 1 ? 0 : Math.max(0, end - now()))
  const remaining = ({ block, at }: Counter) => secondsTo(block[at + 1] ?? 0, windowSeconds)
  const countOf = (counter: Counter) => (remaining(counter) > 0 ? (counter.block[counter.at] ?? 0) : 0)
  const counterAt = (place: number) => ({
    block: (blocks[Math.floor(place / BLOCK)] ??= new Float64Array(2 * BLOCK)),
    at: 2 * (place % BLOCK),
  })
  type Counter = ReturnType<typeof counterAt>

  function find({ key, max }: Bound) {
    // An address or an identifier must not be readable in the store, and a stranger may send a long one.
    const id = `${prefix}${hash('sha256', key, 'base64url')}`
    const random = createHmac('sha256', seed).update(id).digest()
    const counters = Array.from({ length: ROWS }, (_, row) =>
      counterAt(row * ROW + (random.readUInt32BE(4 * row) % ROW)),
    )
    /** The acts of the key, or more. */
    const count = () => Math.min(...counters.map(countOf))
    return { id, counters, count, isSent: () => count() >= max * SENT_FROM }
  }

  function waitSeconds(bounds: readonly Bound[]): number {
    const waits = bounds.map((bound) => {
      const { id, counters, count } = find(bound)
      const own = count() < bound.max ? 0 : Math.min(...counters.map(remaining))
      return Math.ceil(Math.max(own, secondsTo(blockedUntil.get(id) ?? 0, slotSeconds)))
    })
    return Math.max(0, ...waits)
  }

  function add(bound: Bound): void {
    const { id, counters, isSent } = find(bound)
    for (const counter of counters) {
      counter.block[counter.at] = countOf(counter) + 1
      if (remaining(counter) === 0) counter.block[counter.at + 1] = now() + windowSeconds
    }
    if (!shared?.store.count || !isSent()) return
    const { amount = 0 } = batch.get(id) ?? {}
    if (batch.has(id) || batch.size < MAX_KEYS) batch.set(id, { amount: amount + 1, max: bound.max })
    timer ??= setTimeout(() => void sendBatch(), BATCH_MS).unref()
  }

  async function sendBatch(): Promise<void> {
    timer = undefined
    const sent = batch
    batch = new Map()
    await Promise.all([...sent].map(([id, { amount, max }]) => send(id, amount, max).catch(() => {})))
  }

  async function send(id: string, amount: number, max: number): Promise<void> {
    if (amount <= 0) return
    const counted = await shared?.store.count?.(id, amount, { slotSeconds, slots: SLOTS, claim: 0, max: 0 })
    const sum = counted?.counts.reduce((total, count) => total + count, 0) ?? 0
    if (sum >= max) blockedUntil.set(id, now() + slotSeconds)
  }

  return {
    /** Seconds until all bounds admit another act; 0 if they do now. */
    waitSeconds,
    add,
    /** Counts an act if all bounds admit it. @returns 0 if it was counted; otherwise the seconds to wait */
    take(bounds: readonly Bound[]): number {
      const wait = waitSeconds(bounds)
      if (wait === 0) bounds.forEach(add)
      return wait
    },
    subtract(bound: Bound): void {
      const { id, counters } = find(bound)
      for (const counter of counters) counter.block[counter.at] = Math.max(countOf(counter) - 1, 0)
      const waiting = batch.get(id)
      if (waiting) waiting.amount -= 1
    },
    /** Begins to count from 0 in all processes, because an act succeeded. */
    reset(bound: Bound): void {
      const { id, counters, isSent } = find(bound)
      if (isSent()) void shared?.store.delete(id).catch(() => {})
      for (const { block, at } of counters) block[at] = 0
      batch.delete(id)
      blockedUntil.delete(id)
    },
  }
}
