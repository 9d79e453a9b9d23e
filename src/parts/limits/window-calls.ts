import { storeUnavailable } from '../../errors.ts'
import type { SlotCounts } from '../../store/contract.ts'

/**
 * The windows of limits. A window slides in slots: it has the present slot and the slots before it. So a window of a
 * minute is 57 to 60 seconds long, and a window of a day is 23 to 24 hours long. A call counts from the moment when its
 * process sends it to the store, up to five seconds later.
 */
export const WINDOWS = [
  { limit: 'perMinute', name: 'minute', seconds: 60, slotSeconds: 3, slots: 20 },
  { limit: 'perDay', name: 'day', seconds: 86_400, slotSeconds: 3600, slots: 24 },
] as const

type Window = (typeof WINDOWS)[number]

/** @param key the stored id of a client, or the digest of a user */
export const counterKey = ({ name }: Pick<Window, 'name'>, key: string) => `limits:${name}:${key}`

/** A process counts 1/40 of a limit by itself before it asks the store. */
const LEASE_SHARE = 40

/** The calls of one client in one window, as far as this process knows, and the seconds until it has room again. */
export class WindowCalls {
  readonly window: Window
  readonly limit: number
  readonly lease: number
  readonly policy: string
  /** The calls by slot that the store has, the newest first. */
  #counts: number[]
  /** The calls by slot that the store certainly does not have, because it could not count them. */
  #alone: number[]
  /** The slot of the first count, since the epoch. */
  #slot = 0
  #sum = 0
  /** The calls that the store does not have yet: not sent, and being sent. */
  #unsent = 0
  #sending = 0
  /** What was claimed in the store for calls that were not made yet, and the slot of the first of these claims. */
  #claimed = 0
  #claimedIn = 0

  constructor(window: Window, limit: number) {
    this.window = window
    this.limit = limit
    this.policy = `"${window.name}";q=${limit};w=${window.seconds}`
    this.lease = Math.max(1, Math.floor(limit / LEASE_SHARE))
    this.#counts = zeros(window.slots)
    this.#alone = zeros(window.slots)
  }

  /** Lets the slots pass that are over. @param now milliseconds since the epoch, by the clock of the store */
  moveTo(now: number): void {
    const slot = Math.floor(now / 1000 / this.window.slotSeconds)
    if (slot === this.#slot) return
    const { slots } = this.window
    const passed = zeros(Math.min(slots, Math.max(0, slot - this.#slot)))
    this.#counts = [...passed, ...this.#counts].slice(0, slots)
    this.#alone = [...passed, ...this.#alone].slice(0, slots)
    this.#slot = slot
    this.#sum = sumOf(this.#counts) + sumOf(this.#alone)
    if (slot >= this.#claimedIn + slots) this.#claimed = 0
  }

  get used(): number {
    return this.#sum - this.#claimed + this.#unsent + this.#sending
  }

  get remaining(): number {
    return Math.max(0, this.limit - this.used)
  }

  /** Whether a call must not be counted, as far as this process knows. */
  get isExceeded(): boolean {
    return this.used >= this.limit
  }

  /** Whether the calls that the store knows are as many as the limit. */
  get isCertainlyExceeded(): boolean {
    return this.#sum - this.#claimed >= this.limit
  }

  get isLeaseUsed(): boolean {
    return this.#unsent >= this.lease
  }

  /** Before another call is counted. The calls being sent have a lease of their own. */
  get mustSend(): boolean {
    return this.#claimed === 0 && this.#unsent + this.#sending >= 2 * this.lease
  }

  add(): void {
    if (this.#claimed > 0) this.#claimed -= 1
    else this.#unsent += 1
  }

  /** The calls to send to the store. They count as being sent until `sent` or `notSent`. */
  startSending(): number {
    const amount = this.#unsent
    this.#sending += amount
    this.#unsent = 0
    return amount
  }

  /** @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` if the answer of the store has another form */
  sent(amount: number, { time, counts }: Pick<SlotCounts, 'time' | 'counts'>): void {
    const isValid = Array.isArray(counts) && [time, ...counts].every(Number.isFinite)
    if (!isValid || counts.length !== this.window.slots) {
      throw storeUnavailable('the store answered a count with invalid counts')
    }
    this.moveTo(time)
    this.#sending -= amount
    this.#counts = [...counts]
    this.#sum = sumOf(this.#counts) + sumOf(this.#alone)
  }

  /** Keeps what was claimed for calls that do not wait any more, for later calls. */
  keep(claimed: number): void {
    if (this.#claimed === 0) this.#claimedIn = this.#slot
    this.#claimed += claimed
  }

  /** Counts the calls here alone, unless the store may have counted them: no call counts twice. */
  notSent(amount: number, isCertain: boolean): void {
    this.#sending -= amount
    if (!isCertain) return
    this.#alone[0] = (this.#alone[0] ?? 0) + amount
    this.#sum += amount
  }

  /** Seconds until so many slots are over that a call is within the limit. */
  secondsUntilFree(now: number): number {
    let { used } = this
    for (let at = this.window.slots - 1; at >= 0; at -= 1) {
      used -= this.#inSlot(at)
      if (used < this.limit) return this.#secondsUntilOver(at, now)
    }
    return this.#secondsUntilOver(0, now)
  }

  /** Seconds until the oldest slot with calls leaves the window. */
  secondsUntilReset(now: number): number {
    let at = this.window.slots - 1
    while (at > 0 && this.#inSlot(at) === 0) at -= 1
    return this.#secondsUntilOver(at, now)
  }

  #inSlot(at: number): number {
    return (this.#counts[at] ?? 0) + (this.#alone[at] ?? 0)
  }

  /** @param back the number of slots before the present one */
  #secondsUntilOver(back: number, now: number): number {
    const { slotSeconds, slots } = this.window
    const end = (this.#slot - back + slots) * slotSeconds
    return Math.max(1, Math.ceil(end - now / 1000))
  }
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0)

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
