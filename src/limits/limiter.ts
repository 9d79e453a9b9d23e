import { storedIdOf } from '../clients/documents/document-id.ts'
import { createLru } from '../async/lru.ts'
import { periodically } from '../async/periodically.ts'
import { settlesWithin, withTimeout } from '../async/with-timeout.ts'
import type { CallLimits } from '../clients/call-limits.ts'
import { GatehouseError } from '../errors.ts'
import type { CallLimiter, CountedCall, ResponseHeaders } from '../gateway/call-limiter.ts'
import { CircuitOpenError } from '../store/circuit-breaker.ts'
import type { CountOptions, SlotCounts } from '../store/contract.ts'
import { WindowCalls, WINDOWS } from './window-calls.ts'

/** The most clients whose calls this process knows. The client that called the longest time ago is forgotten first. */
const MAX_CLIENTS = 50_000
/** Milliseconds after which the limits of a client are read again, and after which all calls are sent to the store. */
const REFRESH_MS = 5000
/** The most milliseconds that a call waits for the store. Then this process decides by what it knows. */
const MAX_WAIT_MS = 100

const NO_HEADERS: ResponseHeaders = Object.freeze({})

/** Counts in the store, or in this process. */
export type Count = (key: string, amount: number, options: CountOptions) => Promise<SlotCounts>

/** What a limiter needs. */
export interface LimiterParts {
  readonly count: Count
  /** The limits of clients without limits of their own. */
  readonly defaults: CallLimits
  /** The limits that a client has of its own. Rejects if they cannot be read. */
  readonly limitsOf: (clientId: string) => Promise<CallLimits | undefined>
  /** Called with the error of each failed count, and without an error after calls were counted in the store. */
  readonly onCounted: (error?: unknown) => void
}

/** What this process knows of a client. */
interface KnownClient {
  readonly limits: CallLimits
  readonly windows: readonly WindowCalls[]
  /** The header `RateLimit-Policy`. */
  readonly policy: string
  /** When the limits are read again, by the monotonic clock of the process. */
  refreshAt: number
  /** Milliseconds by which the clock of the store is ahead of the monotonic clock of the process. */
  ahead: number
  /** The calls that wait for the store, each with a function that says whether its place was claimed. */
  readonly waiting: ((isClaimed: boolean) => boolean)[]
  sending: Promise<void> | undefined
}

/**
 * Limits the calls of clients. Each process counts most calls by itself, and sends them to the store once its lease is
 * used: 1/40 of the limit. Calls beyond two leases claim their places in the store first. So a client can pass its
 * limit by at most two leases of each process. A client below its limit is never rejected, because only calls that were
 * made are counted.
 */
export function createLimiter({ count, defaults, limitsOf, onCounted }: LimiterParts) {
  const clients = createLru<string, KnownClient>(MAX_CLIENTS)
  const loading = new Map<string, Promise<KnownClient>>()
  /** The clients that may have calls to send. */
  const unsent = new Map<string, KnownClient>()

  /** Sends the calls of a client, claims places for those that wait, and learns what all processes have counted. */
  function send(clientId: string, calls: KnownClient): Promise<void> {
    return (calls.sending ??= sendAll(clientId, calls).finally(() => {
      calls.sending = undefined
      if (calls.waiting.length > 0) void send(clientId, calls)
    }))
  }

  async function sendAll(clientId: string, calls: KnownClient): Promise<void> {
    unsent.delete(clientId)
    const waiting = calls.waiting.splice(0)
    const claimed = await Promise.all(
      calls.windows.map((each) => sendWindow(clientId, calls, each, waiting.length)),
    )
    let places = Math.min(...claimed)
    for (const answer of waiting) {
      // A call that waits no more leaves its place to a later call.
      if (answer(places > 0) && places > 0) places -= 1
    }
    for (const [at, each] of calls.windows.entries()) {
      each.keep((claimed[at] ?? 0) - Math.min(...claimed) + places)
    }
  }

  /** @returns the places that were claimed in a window; 0 if the store could not count */
  async function sendWindow(
    clientId: string,
    calls: KnownClient,
    each: WindowCalls,
    claim: number,
  ): Promise<number> {
    const amount = each.startSending()
    const { name, slotSeconds, slots } = each.window
    try {
      const counted = await count(`limits:${name}:${storedIdOf(clientId)}`, amount, {
        slotSeconds,
        slots,
        claim,
        max: each.limit,
      })
      calls.ahead = counted.time - performance.now()
      each.sent(amount, counted)
      // A full or read-only store still answers a count of no calls.
      if (amount > 0 || counted.claimed > 0) onCounted()
      return Math.min(claim, counted.claimed)
    } catch (error) {
      each.notSent(amount, error instanceof CircuitOpenError)
      onCounted(error)
      return 0
    }
  }

  /** Waits until a place was claimed for a call, or until the time is over. @returns whether it was claimed */
  function claimPlace(clientId: string, calls: KnownClient, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      let isWaiting = true
      const answer = (isClaimed: boolean): boolean => {
        const wasWaiting = isWaiting
        isWaiting = false
        clearTimeout(timer)
        resolve(isClaimed && wasWaiting)
        return wasWaiting
      }
      const timer = setTimeout(() => answer(false), Math.max(0, milliseconds)).unref()
      calls.waiting.push(answer)
      void send(clientId, calls)
    })
  }

  /** Reads the limits of a client, and what all processes have counted. Takes at most twice `MAX_WAIT_MS`. */
  function load(clientId: string): Promise<KnownClient> {
    const pending = loading.get(clientId) ?? loadNew(clientId).finally(() => loading.delete(clientId))
    loading.set(clientId, pending)
    return pending
  }

  async function loadNew(clientId: string): Promise<KnownClient> {
    const before = clients.get(clientId)
    // If the limits cannot be read, a client keeps the limits that it had.
    const limits = await withTimeout(MAX_WAIT_MS, () => limitsOf(clientId), TOO_LATE).then(
      (own) => own ?? defaults,
      () => before?.limits ?? defaults,
    )
    const isSame =
      before !== undefined &&
      before.limits.perMinute === limits.perMinute &&
      before.limits.perDay === limits.perDay
    if (before && !isSame) await (before.sending ?? settlesWithin(() => send(clientId, before), MAX_WAIT_MS))
    const calls = isSame ? before : newCalls(limits, before?.ahead)
    calls.refreshAt = performance.now() + REFRESH_MS
    clients.set(clientId, calls)
    if (calls.windows.length > 0) await settlesWithin(() => send(clientId, calls), MAX_WAIT_MS)
    return calls
  }

  function headersOf(calls: KnownClient, now: number): ResponseHeaders {
    if (calls.windows.length === 0) return NO_HEADERS
    let left = ''
    for (const each of calls.windows) {
      const remaining = Math.max(0, each.limit - each.used)
      left += `${left && ', '}"${each.window.name}";r=${remaining};t=${each.secondsUntilReset(now)}`
    }
    return { 'RateLimit-Policy': calls.policy, RateLimit: left }
  }

  /** Counts a call. @param isAlone whether the store does not answer. @returns whether it was counted */
  function add(clientId: string, calls: KnownClient, now: number, isAlone: boolean): boolean {
    for (const each of calls.windows) {
      each.moveTo(now)
      if (each.isExceeded || (each.mustSend && !isAlone)) return false
    }
    let isLeaseUsed = false
    for (const each of calls.windows) {
      each.add()
      isLeaseUsed ||= each.isLeaseUsed
    }
    if (isLeaseUsed && calls.sending === undefined) void send(clientId, calls)
    else if (calls.windows.length > 0) unsent.set(clientId, calls)
    return true
  }

  const nowOf = (calls: KnownClient) => performance.now() + calls.ahead

  async function countAfterWait(clientId: string): Promise<CountedCall> {
    const known = clients.get(clientId)
    const isFresh = known !== undefined && performance.now() <= known.refreshAt
    const until = performance.now() + MAX_WAIT_MS
    const calls = isFresh ? known : await load(clientId)
    for (let isOver = false; !isOver;) {
      isOver = performance.now() > until
      // If the store does not answer in time, this process decides by what it knows.
      if (add(clientId, calls, nowOf(calls), isOver)) return { headers: headersOf(calls, nowOf(calls)) }
      // As long as no slot is over, the calls that the store knows can only become more.
      if (isOver || calls.windows.some((each) => each.isCertainlyExceeded)) break
      if (await claimPlace(clientId, calls, until - performance.now())) {
        return { headers: headersOf(calls, nowOf(calls)) }
      }
    }
    const now = nowOf(calls)
    const exceeded = calls.windows.filter((each) => each.isExceeded)
    return {
      headers: headersOf(calls, now),
      exceeded: {
        policies: exceeded.map(({ window }) => window.name),
        retryAfter: Math.max(1, ...exceeded.map((each) => each.secondsUntilFree(now))),
      },
    }
  }

  /** Sends all calls that were not sent yet. Never rejects. */
  async function sendRest(): Promise<void> {
    for (const [clientId, calls] of unsent) {
      await calls.sending
      await send(clientId, calls)
    }
  }
  const stop = periodically(sendRest, REFRESH_MS)

  return {
    limiter: {
      countAtOnce(clientId) {
        const calls = clients.get(clientId)
        if (calls === undefined || performance.now() > calls.refreshAt) return undefined
        const now = nowOf(calls)
        return add(clientId, calls, now, false) ? headersOf(calls, now) : undefined
      },
      count: countAfterWait,
    } satisfies CallLimiter,
    /** Sends the last calls, and stops. Never rejects. */
    async close(): Promise<void> {
      stop()
      await settlesWithin(sendRest, 1000)
    },
  }
}

const TOO_LATE = {
  error: () => new GatehouseError('ERR_STORE_UNAVAILABLE', 'the limits could not be read in time'),
  keepsAlive: false,
}

function newCalls(limits: CallLimits, ahead = Date.now() - performance.now()): KnownClient {
  const windows = WINDOWS.flatMap((window) => {
    const limit = limits[window.limit]
    return limit === undefined ? [] : [new WindowCalls(window, limit)]
  })
  const policies = windows.map(({ window, limit }) => `"${window.name}";q=${limit};w=${window.seconds}`)
  return {
    limits,
    windows,
    policy: policies.join(', '),
    refreshAt: 0,
    ahead,
    waiting: [],
    sending: undefined,
  }
}
