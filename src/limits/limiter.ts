import { createLru } from '../async/lru.ts'
import { settlesWithin } from '../async/with-timeout.ts'
import type { CallLimits } from '../clients/call-limits.ts'
import type { CallLimiter, CountedCall, ResponseHeaders } from '../gateway/call-limiter.ts'
import type { SlotCounts } from '../store/contract.ts'
import { WindowCalls, WINDOWS } from './client-calls.ts'

/** The most clients whose calls this process knows. The client that called the longest time ago is forgotten first. */
const MAX_CLIENTS = 50_000
/** Milliseconds after which the limits of a client are read again, and what other processes have counted. */
const REFRESH_MS = 5000
/** The most milliseconds that a call waits for the store. Then this process decides by what it knows. */
const MAX_WAIT_MS = 100

const NO_HEADERS: ResponseHeaders = Object.freeze({})

/** Counts in the store, or in this process. */
export type Count = (
  key: string,
  amount: number,
  options: { readonly slotSeconds: number; readonly slots: number },
) => Promise<SlotCounts>

/** What a limiter needs. */
export interface LimiterParts {
  readonly count: Count
  /** The limits of a client. Never rejects. */
  readonly limitsOf: (clientId: string) => Promise<CallLimits | undefined>
  /** Called with the error of each failed count, and without an error after each count. */
  readonly onCounted: (error?: unknown) => void
}

/** What this process knows of a client. */
interface ClientCalls {
  readonly limits: CallLimits | undefined
  readonly windows: readonly WindowCalls[]
  /** The header `RateLimit-Policy`. */
  readonly policy: string
  /** When the limits are read again, by the monotonic clock of the process. */
  refreshAt: number
  /** Milliseconds by which the clock of the store is ahead of the clock of this process. */
  ahead: number
  telling: Promise<void> | undefined
}

/**
 * Limits the calls of clients. Each process counts most calls by itself, and tells the store once its lease is used: 1/40
 * of the limit. So a client can pass its limit by at most two leases of each process. A client below its limit is never
 * rejected, because only calls that were made are counted.
 */
export function createLimiter({ count, limitsOf, onCounted }: LimiterParts): CallLimiter {
  const clients = createLru<string, ClientCalls>(MAX_CLIENTS)
  const loading = new Map<string, Promise<ClientCalls>>()

  /** Tells the store of the calls of a client, and learns what all processes have counted. Never rejects. */
  function tell(clientId: string, calls: ClientCalls): Promise<void> {
    return (calls.telling ??= tellAll(clientId, calls).finally(() => (calls.telling = undefined)))
  }

  async function tellAll(clientId: string, calls: ClientCalls): Promise<void> {
    await Promise.all(
      calls.windows.map(async (each) => {
        const amount = each.startTelling()
        const { name, slotSeconds, slots } = each.window
        try {
          const counted = await count(`limits:${name}:${clientId}`, amount, { slotSeconds, slots })
          each.told(amount, counted)
          calls.ahead = counted.time - Date.now()
          onCounted()
        } catch (error) {
          each.notTold(amount)
          onCounted(error)
        }
      }),
    )
  }

  /** Reads the limits of a client, and what all processes have counted. */
  function load(clientId: string): Promise<ClientCalls> {
    const pending = loading.get(clientId) ?? loadNew(clientId).finally(() => loading.delete(clientId))
    loading.set(clientId, pending)
    return pending
  }

  async function loadNew(clientId: string): Promise<ClientCalls> {
    const before = clients.get(clientId)
    const limits = await limitsOf(clientId)
    const isSame =
      before && before.limits?.perMinute === limits?.perMinute && before.limits?.perDay === limits?.perDay
    if (before && !isSame) void tell(clientId, before)
    const calls = isSame ? before : newCalls(limits, before?.ahead)
    calls.refreshAt = performance.now() + REFRESH_MS
    clients.set(clientId, calls)
    if (calls.windows.length > 0) await settlesWithin(() => tell(clientId, calls), MAX_WAIT_MS)
    return calls
  }

  function headersOf(calls: ClientCalls, now: number): ResponseHeaders {
    if (calls.windows.length === 0) return NO_HEADERS
    let left = ''
    for (const each of calls.windows) {
      const remaining = Math.max(0, each.limit - each.used)
      left += `${left && ', '}"${each.window.name}";r=${remaining};t=${each.secondsUntilReset(now)}`
    }
    return { 'RateLimit-Policy': calls.policy, RateLimit: left }
  }

  /** Counts a call. @returns whether it was counted */
  function add(clientId: string, calls: ClientCalls, now: number, isAlone: boolean): boolean {
    for (const each of calls.windows) {
      each.moveTo(now)
      if (each.isExceeded || (each.mustTell && !isAlone)) return false
    }
    let isLeaseUsed = false
    for (const each of calls.windows) {
      each.add()
      isLeaseUsed ||= each.isLeaseUsed
    }
    if (isLeaseUsed && calls.telling === undefined) void tell(clientId, calls)
    return true
  }

  const nowOf = (calls: ClientCalls) => Date.now() + calls.ahead

  return {
    countAtOnce(clientId) {
      const calls = clients.get(clientId)
      if (calls === undefined || performance.now() > calls.refreshAt) return undefined
      const now = nowOf(calls)
      return add(clientId, calls, now, false) ? headersOf(calls, now) : undefined
    },

    async count(clientId): Promise<CountedCall> {
      const known = clients.get(clientId)
      const isFresh = known !== undefined && performance.now() <= known.refreshAt
      const calls = isFresh ? known : await load(clientId)
      const until = performance.now() + MAX_WAIT_MS
      for (let isOver = false; !isOver;) {
        isOver = performance.now() > until
        // If the store does not answer in time, this process decides by what it knows.
        if (add(clientId, calls, nowOf(calls), isOver)) return { headers: headersOf(calls, nowOf(calls)) }
        // As long as no slot is over, the calls that the store knows can only become more.
        if (calls.windows.some((each) => each.isKnownToBeExceeded)) break
        if (!isOver) await settlesWithin(() => tell(clientId, calls), until - performance.now())
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
    },
  }
}

function newCalls(limits: CallLimits | undefined, ahead = 0): ClientCalls {
  const windows = windowsOf(limits)
  const policies = windows.map(({ window, limit }) => `"${window.name}";q=${limit};w=${window.seconds}`)
  return { limits, windows, policy: policies.join(', '), refreshAt: 0, ahead, telling: undefined }
}

function windowsOf(limits: CallLimits | undefined): WindowCalls[] {
  return WINDOWS.flatMap((window) => {
    const limit = limits?.[window.limit]
    return limit === undefined ? [] : [new WindowCalls(window, limit)]
  })
}
