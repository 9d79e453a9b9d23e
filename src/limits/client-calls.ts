import type { CallLimits } from '../clients/call-limits.ts'
import type { SlotCounts } from '../store/contract.ts'

/**
 * The windows of limits. A window slides in slots: it has the present slot and the slots before it. So a window of a minute
 * is 54 to 60 seconds long, and a window of a day is 23 to 24 hours long.
 */
export const WINDOWS = [
  { limit: 'perMinute', name: 'minute', seconds: 60, slotSeconds: 6, slots: 10 },
  { limit: 'perDay', name: 'day', seconds: 86_400, slotSeconds: 3600, slots: 24 },
] as const satisfies readonly Window[]

/** A window of a limit. */
interface Window {
  readonly limit: keyof CallLimits
  /** The name of the limit in the headers. */
  readonly name: string
  readonly seconds: number
  readonly slotSeconds: number
  readonly slots: number
}

/** The share of a limit that a process may use before it tells the store: 1/40. */
const LEASE_SHARE = 40

/** The number of calls that a process may count before it tells the store: at least 1. */
const leaseOf = (limit: number): number => Math.max(1, Math.floor(limit / LEASE_SHARE))

/** The calls of one client in one window, as far as this process knows them. */
export class WindowCalls {
  readonly window: Window
  readonly limit: number
  readonly lease: number
  /** The calls by slot that the store has, the newest first. */
  #counts: number[]
  /** The slot of the first count, since the epoch. */
  #slot = 0
  #sum = 0
  /** The calls that the store does not have: not sent yet, and being sent. */
  #unsent = 0
  #sending = 0

  constructor(window: Window, limit: number) {
    this.window = window
    this.limit = limit
    this.lease = leaseOf(limit)
    this.#counts = Array.from({ length: window.slots }, () => 0)
  }

  /** Lets the slots pass that are over. @param now milliseconds since the epoch, by the clock of the store */
  moveTo(now: number): void {
    const slot = Math.floor(now / 1000 / this.window.slotSeconds)
    if (slot === this.#slot) return
    const passed = Math.min(this.window.slots, Math.max(0, slot - this.#slot))
    this.#counts = [...Array.from({ length: passed }, () => 0), ...this.#counts].slice(0, this.window.slots)
    this.#slot = slot
    this.#sum = this.#counts.reduce((sum, count) => sum + count, 0)
  }

  get used(): number {
    return this.#sum + this.#unsent + this.#sending
  }

  get isExceeded(): boolean {
    return this.used >= this.limit
  }

  /** Whether the store alone knows of as many calls as the limit. */
  get isKnownToBeExceeded(): boolean {
    return this.#sum >= this.limit
  }

  /** Whether the calls should be sent to the store. */
  get isLeaseUsed(): boolean {
    return this.#unsent >= this.lease
  }

  /** Whether no call may be counted before the store has them. The calls that are being sent have a lease of their own. */
  get mustTell(): boolean {
    return this.#unsent + this.#sending >= 2 * this.lease
  }

  add(): void {
    this.#unsent += 1
  }

  /** The calls to tell the store. They count as being sent until `told` or `notTold`. */
  startTelling(): number {
    const amount = this.#unsent
    this.#sending += amount
    this.#unsent = 0
    return amount
  }

  told(amount: number, { time, counts }: SlotCounts): void {
    this.#sending -= amount
    this.#counts = [...counts]
    this.#slot = Math.floor(time / 1000 / this.window.slotSeconds)
    this.#sum = counts.reduce((sum, count) => sum + count, 0)
  }

  /** The store may not have counted the calls. This process counts them alone, and does not send them again. */
  notTold(amount: number): void {
    this.#sending -= amount
    this.#counts[0] = (this.#counts[0] ?? 0) + amount
    this.#sum += amount
  }

  /** Seconds until so many slots are over that a call is within the limit. */
  secondsUntilFree(now: number): number {
    let { used } = this
    for (let at = this.#counts.length - 1; at >= 0; at -= 1) {
      used -= this.#counts[at] ?? 0
      if (used < this.limit) return this.#secondsUntilOver(at, now)
    }
    return this.#secondsUntilOver(0, now)
  }

  /** Seconds until the oldest slot with calls leaves the window. */
  secondsUntilReset(now: number): number {
    const oldest = this.#counts.findLastIndex((count) => count > 0)
    return this.#secondsUntilOver(Math.max(0, oldest), now)
  }

  /** Seconds until a slot leaves the window. @param back the number of slots before the present one */
  #secondsUntilOver(back: number, now: number): number {
    const { slotSeconds, slots } = this.window
    const end = (this.#slot - back + slots) * slotSeconds
    return Math.max(1, Math.ceil(end - now / 1000))
  }
}
