import { storedIdOf } from '../../clients/documents/document-id.ts'
import { createLru } from '../../async/lru.ts'
import { periodically } from '../../async/periodically.ts'
import { settlesWithin, withTimeout } from '../../async/with-timeout.ts'
import type { CallLimits } from '../../clients/call-limits.ts'
import { storeUnavailable } from '../../errors.ts'
import type { ResponseHeaders } from '../../gateway/error-responses.ts'
import type { CallLimiter, CountedCall } from '../../gateway/gateway-hooks.ts'
import { CircuitOpenError } from '../../store/circuit-breaker.ts'
import type { CountOptions, SlotCounts } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { counterKey, WindowCalls, WINDOWS } from './window-calls.ts'

/** The most callers that a process remembers. The caller whose last call is oldest is forgotten first. */
const MAX_KNOWN = 50_000
/** Milliseconds after which the limits of a client are read again, and after which all calls are sent to the store. */
const REFRESH_MS = 5000
/** If the store takes longer, this process decides by what it knows. */
const MAX_WAIT_MS = 100

const LIMITS = ['perMinute', 'perDay', 'perUser'] as const
const NO_HEADERS: ResponseHeaders = Object.freeze({})

export type Count = (key: string, amount: number, options: CountOptions) => Promise<SlotCounts>

interface SharedLimits extends CallLimits {
  readonly perUser?: number | undefined
}

interface LimiterParts {
  readonly count: Count
  /** The limits of a client whose own limits cannot be read. */
  readonly defaults: SharedLimits
  readonly limitsOf: (clientId: string) => Promise<SharedLimits>
  /** Called with the error of each failed count, and without an error after calls were counted in the store. */
  readonly onCounted: (error?: unknown) => void
}

interface Known {
  readonly key: string
  readonly limits: SharedLimits
  readonly windows: readonly WindowCalls[]
  readonly policy: string
  readonly client: Known | undefined
  /** All windows in which a call counts: those of the client, and of the user. */
  readonly all: readonly WindowCalls[]
  /** When the limits are read again, by the monotonic clock of the process. */
  refreshAt: number
  /** Milliseconds by which the clock of the store is ahead of the monotonic clock of the process. */
  ahead: number
  /** The calls that wait for the store, each with a function that says whether its place was claimed. */
  readonly waiting: ((isClaimed: boolean) => boolean)[]
  sending: Promise<void> | undefined
}

/**
 * Limits calls, with `RateLimit` headers. Each process counts most calls by itself, and sends them to the store once
 * its lease is used: 1/40 of the limit. Calls beyond two leases claim their places in the store first. So a client can
 * pass its limit by at most two leases of each process. A client below its limit is never rejected, because only calls
 * that were made are counted. A call with a user counts for the client, and for the user's share of its limits.
 */
export function createLimiter({ count, defaults, limitsOf, onCounted }: LimiterParts) {
  const clients = createLru<string, Known>(MAX_KNOWN)
  const users = createLru<string, Known>(MAX_KNOWN)
  const loading = new Map<string, Promise<Known>>()
  const unsent = new Set<Known>()

  /** Also claims places for the calls that wait, and learns what all processes have counted. */
  function send(calls: Known): Promise<void> {
    return (calls.sending ??= sendAll(calls).finally(() => {
      calls.sending = undefined
      if (calls.waiting.length > 0) void send(calls)
    }))
  }

  async function sendAll(calls: Known): Promise<void> {
    unsent.delete(calls)
    const waiting = calls.waiting.splice(0)
    const claimed = await Promise.all(calls.windows.map((each) => sendWindow(calls, each, waiting.length)))
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
  async function sendWindow(calls: Known, each: WindowCalls, claim: number): Promise<number> {
    const amount = each.startSending()
    const { slotSeconds, slots } = each.window
    try {
      const counted = await count(counterKey(each.window, calls.key), amount, {
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

  function claimPlace(calls: Known, milliseconds: number): Promise<boolean> {
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
      void send(calls)
    })
  }

  /** Takes at most twice `MAX_WAIT_MS`; three times if the limits of the client have changed. */
  function load(clientId: string): Promise<Known> {
    const pending = loading.get(clientId) ?? loadNew(clientId).finally(() => loading.delete(clientId))
    loading.set(clientId, pending)
    return pending
  }

  async function loadNew(clientId: string): Promise<Known> {
    const before = clients.get(clientId)
    // If the limits cannot be read, a client keeps the limits that it had.
    const limits = await withTimeout(MAX_WAIT_MS, () => limitsOf(clientId), TOO_LATE).catch(
      () => before?.limits ?? defaults,
    )
    const isSame = before !== undefined && LIMITS.every((name) => before.limits[name] === limits[name])
    if (before && !isSame) await settlesWithin(() => before.sending ?? send(before), MAX_WAIT_MS)
    const calls = isSame ? before : newCalls(storedIdOf(clientId), limits, before?.ahead)
    calls.refreshAt = performance.now() + REFRESH_MS
    clients.set(clientId, calls)
    if (calls.windows.length > 0) await settlesWithin(() => send(calls), MAX_WAIT_MS)
    return calls
  }

  /** The headers name what is left of each limit: of the client's, or of the user's share if less is left of it. */
  function headersOf({ client, windows, policy }: Known, now: number): ResponseHeaders {
    if (windows.length === 0) return NO_HEADERS
    const shown = client ? windows.map((each, at) => lessLeft(each, client.windows[at])) : windows
    let left = ''
    for (const each of shown) {
      left += `${left && ', '}"${each.window.name}";r=${each.remaining};t=${each.secondsUntilReset(now)}`
    }
    return { 'RateLimit-Policy': client ? policyOf(shown) : policy, RateLimit: left }
  }

  function add(calls: Known, now: number, isAlone: boolean): boolean {
    let mustWait = false
    for (const each of calls.all) {
      each.moveTo(now)
      mustWait ||= each.isExceeded || (each.mustSend && !isAlone)
    }
    if (mustWait) return false
    for (const each of calls.all) each.add()
    sendInTime(calls)
    if (calls.client) sendInTime(calls.client)
    return true
  }

  function sendInTime(calls: Known): void {
    const isLeaseUsed = calls.windows.some((each) => each.isLeaseUsed)
    if (isLeaseUsed && calls.sending === undefined) void send(calls)
    else if (calls.windows.length > 0) unsent.add(calls)
  }

  const nowOf = (calls: Known) => performance.now() + calls.ahead

  /** What this process knows of a user; of the client if there is no user, or if users have no share. */
  function ofUser(client: Known, user: string | undefined): Known {
    const { perUser, perMinute, perDay } = client.limits
    if (user === undefined || perUser === undefined || client.windows.length === 0) return client
    const id = `${client.key} ${user}`
    const known = users.get(id)
    if (known?.client === client) return known
    const share = (limit: number | undefined) => limit && Math.ceil(limit * perUser)
    const limits = { perMinute: share(perMinute), perDay: share(perDay) }
    const calls = newCalls(`user:${digest(id)}`, limits, client.ahead, client)
    users.set(id, calls)
    return calls
  }

  async function countAfterWait(clientId: string, user?: string): Promise<CountedCall> {
    const known = clients.get(clientId)
    const isFresh = known !== undefined && performance.now() <= known.refreshAt
    const until = performance.now() + MAX_WAIT_MS
    const calls = ofUser(isFresh ? known : await load(clientId), user)
    for (let isOver = false; !isOver;) {
      isOver = performance.now() > until
      // If the store does not answer in time, this process decides by what it knows.
      if (add(calls, nowOf(calls), isOver)) return { headers: headersOf(calls, nowOf(calls)) }
      // As long as no slot is over, the calls that the store knows can only become more.
      if (isOver || calls.all.some((each) => each.isCertainlyExceeded)) break
      // The user's place first: places of the client that no call uses would be missing in other processes.
      const [first = calls, then] = calls.client ? [calls, calls.client] : [calls]
      if (then) void send(then)
      if (!(await claimPlace(first, until - performance.now()))) continue
      if (!then || (await claimPlace(then, until - performance.now()))) {
        return { headers: headersOf(calls, nowOf(calls)) }
      }
      // A place of the user without a place of the client is left to a later call.
      for (const each of first.windows) each.keep(1)
    }
    const now = nowOf(calls)
    const exceeded = calls.all.filter((each) => each.isExceeded)
    return {
      headers: headersOf(calls, now),
      exceeded: {
        policies: [...new Set(exceeded.map(({ window }) => window.name))],
        retryAfter: Math.max(1, ...exceeded.map((each) => each.secondsUntilFree(now))),
      },
    }
  }

  /** Sends all calls that were not sent yet. Never rejects. */
  async function sendRest(): Promise<void> {
    for (const calls of unsent) {
      await calls.sending
      await send(calls)
    }
  }
  const stop = periodically(sendRest, REFRESH_MS)

  return {
    limiter: {
      countAtOnce(clientId, user) {
        const client = clients.get(clientId)
        if (client === undefined || performance.now() > client.refreshAt) return undefined
        const calls = ofUser(client, user)
        const now = nowOf(calls)
        return add(calls, now, false) ? headersOf(calls, now) : undefined
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

const TOO_LATE = { error: () => storeUnavailable('the limits could not be read in time'), keepsAlive: false }

const policyOf = (windows: readonly WindowCalls[]) => windows.map(({ policy }) => policy).join(', ')

const lessLeft = (one: WindowCalls, other = one) => (other.remaining < one.remaining ? other : one)

function newCalls(
  key: string,
  limits: SharedLimits,
  ahead = Date.now() - performance.now(),
  client?: Known,
): Known {
  const windows = WINDOWS.flatMap((window) => {
    const limit = limits[window.limit]
    return limit === undefined ? [] : [new WindowCalls(window, limit)]
  })
  const all = [...(client?.windows ?? []), ...windows]
  const policy = policyOf(windows)
  return { key, limits, windows, policy, client, all, refreshAt: 0, ahead, waiting: [], sending: undefined }
}
