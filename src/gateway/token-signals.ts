import { getEventListeners } from 'node:events'
import { GatehouseError } from '../errors.ts'
import type { GatewayRevocations } from './dependencies.ts'
import type { Principal, SignalOf } from './principal.ts'
import { createTokenSignal, isAborted } from './token-signal.ts'
import { EXPIRED, isExpired } from './verify-token.ts'

/** Signals that abort when a token is good no more. */
export interface Signals {
  /** The signal of a principal: the same one for all principals of one token, while it lives. */
  readonly signalOf: SignalOf
  /** Aborts all of them, and those that are asked for later. Idempotent. */
  close(): void
}

/** A token whose signal somebody waits for. */
interface Watched {
  readonly principal: Principal
  readonly controller: AbortController
  /** Whether it is kept without a listener too. */
  forGood: boolean
}

/**
 * Milliseconds after which the clock is looked at again, though nothing is due: it may have been put forward, and the
 * machine may have slept meanwhile.
 */
const LOOK_EVERY = 1000

/** Milliseconds that revocations are gathered before what they mean for the tokens is looked at, all in one. */
const GATHER = 5

/** Milliseconds after which signals that have lost their listeners are released. */
const RELEASE_EVERY = 10_000

/**
 * Watches the tokens whose signal has a listener, and no others: a signal without one finds out when it is read, and
 * lives as long as its reader holds it. One timer, for the token that expires first, keeps no process alive; after
 * revocations all of them are looked at, which is never made more than a tenth of the process's work.
 */
export function createTokenSignals(
  revocations: Pick<GatewayRevocations, 'isRevoked' | 'mustReject' | 'onAdded'>,
): Signals {
  /** By token id: the cache of verified tokens may have forgotten a principal that is in use. */
  const watched = new Map<string, Watched>()
  /** The signals that somebody still holds, by token id. */
  const signals = new Map<string, WeakRef<AbortSignal>>()
  const released = new FinalizationRegistry<string>((tokenId) => {
    if (signals.get(tokenId)?.deref() === undefined) signals.delete(tokenId)
  })
  let stopListening: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** Epoch seconds at which the first of them expires. */
  let soonest = Infinity
  let sweep: NodeJS.Timeout | undefined
  /** Before it, they are not looked at for the sake of revocations. By the clock that never jumps. */
  let restUntil = 0
  /** When those without listeners are released next. By the same clock. */
  let releaseAt = 0
  let closed = false

  function whyDead(principal: Principal, now: number): GatehouseError | undefined {
    if (closed) return new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
    if (isExpired(principal.expiresAt, now)) return new GatehouseError('ERR_TOKEN_EXPIRED', EXPIRED.problem)
    if (revocations.isRevoked(principal)) {
      return new GatehouseError('ERR_TOKEN_REVOKED', 'the access token has been revoked')
    }
    if (!revocations.mustReject) return undefined
    return new GatehouseError('ERR_NOT_READY', 'nobody knows any more which access tokens were revoked')
  }

  function make(principal: Principal): AbortSignal {
    const { tokenId } = principal
    const controller = createTokenSignal({
      refresh() {
        const reason = whyDead(principal, Date.now() / 1000)
        if (reason) abort(principal, controller, reason)
      },
      wait(forGood) {
        const known = watched.get(tokenId)
        if (known) known.forGood ||= forGood
        else watch({ principal, controller, forGood })
      },
    })
    signals.set(tokenId, new WeakRef(controller.signal))
    released.register(controller.signal, tokenId)
    return controller.signal
  }

  function watch(entry: Watched): void {
    if (watched.size === 0) releaseAt = performance.now() + RELEASE_EVERY
    watched.set(entry.principal.tokenId, entry)
    stopListening ??= revocations.onAdded(hearOfMore)
    if (entry.principal.expiresAt < soonest || watched.size === 1) {
      soonest = Math.min(soonest, entry.principal.expiresAt)
      schedule()
    }
  }

  function abort({ tokenId }: Principal, controller: AbortController, reason: GatehouseError): void {
    watched.delete(tokenId)
    controller.abort(reason)
  }

  /** Aborts the signals of tokens that are good no more, and releases those that nobody waits for. */
  function abortDead(): void {
    const startedAt = performance.now()
    const now = Date.now() / 1000
    soonest = Infinity
    // Listeners may read further signals, or close the gateway: a Map goes on with what is there.
    for (const each of watched.values()) {
      const reason = whyDead(each.principal, now)
      if (reason) abort(each.principal, each.controller, reason)
      else if (!isWaitedFor(each)) watched.delete(each.principal.tokenId)
      else soonest = Math.min(soonest, each.principal.expiresAt)
    }
    const endedAt = performance.now()
    restUntil = endedAt + (endedAt - startedAt) * 10
    releaseAt = Math.max(restUntil, endedAt + RELEASE_EVERY)
    if (watched.size === 0) rest()
    else schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    const due = Math.min(LOOK_EVERY, Math.max(0, soonest * 1000 - Date.now()))
    timer = setTimeout(look, due).unref()
  }

  function look(): void {
    const isDue = isExpired(soonest, Date.now() / 1000) || performance.now() >= releaseAt
    if (revocations.mustReject || isDue) abortDead()
    else schedule()
  }

  function hearOfMore(): void {
    // However many come, there is one look, and then a pause that grows with what it costs.
    sweep ??= setTimeout(lookAtAll, Math.max(GATHER, restUntil - performance.now())).unref()
  }

  function lookAtAll(): void {
    sweep = undefined
    abortDead()
  }

  /** Nobody watches anything. */
  function rest(): void {
    clearTimeout(timer)
    clearTimeout(sweep)
    sweep = undefined
    stopListening?.()
    stopListening = undefined
  }

  return {
    signalOf(principal) {
      const known = signals.get(principal.tokenId)?.deref()
      // To read it is to let it find out: nobody may see a signal that does not know yet.
      if (known !== undefined && !isAborted(known) && known.aborted !== undefined) return known
      const reason = whyDead(principal, Date.now() / 1000)
      return reason ? AbortSignal.abort(reason) : make(principal)
    },

    close() {
      closed = true
      abortDead()
    },
  }
}

function isWaitedFor({ forGood, controller }: Watched): boolean {
  return forGood || getEventListeners(controller.signal, 'abort').length > 0
}
