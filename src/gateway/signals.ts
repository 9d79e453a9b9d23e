import { setMaxListeners } from 'node:events'
import { GatehouseError } from '../errors.ts'
import type { GatewayRevocations } from './dependencies.ts'
import type { Principal, SignalOf } from './principal.ts'
import { EXPIRED, isExpired } from './verify-token.ts'

/** Signals that abort when a token is good no more. */
export interface Signals {
  /** The signal of a principal: the same one for all principals of one token, while it lives. */
  readonly signalOf: SignalOf
  /** Aborts all of them, and those that are asked for later. Idempotent. */
  close(): void
}

/** A token that somebody watches. */
interface Watched {
  readonly principal: Principal
  readonly controller: AbortController
}

/**
 * Milliseconds after which the clock is looked at again, though nothing is due: it may have been put forward, and the
 * machine may have slept meanwhile.
 */
const LOOK_EVERY = 1000

/** Milliseconds that revocations are gathered before what they mean for the tokens is looked at, all in one. */
const GATHER = 5

/**
 * Watches the tokens whose signal was read, and no others. One timer, for the one that expires first, keeps no process
 * alive; after revocations all of them are looked at, which is never made more than a tenth of the process's work.
 */
export function createSignals(
  revocations: Pick<GatewayRevocations, 'isRevoked' | 'mustRefuse' | 'onAdded'>,
): Signals {
  /** By token id: the cache of verified tokens may have forgotten a principal that is in use. */
  const watched = new Map<string, Watched>()
  let stopListening: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** Epoch seconds at which the first of them expires. */
  let soonest = Infinity
  let sweep: NodeJS.Timeout | undefined
  /** Before it, they are not looked at for the sake of revocations. By the clock that never jumps. */
  let restUntil = 0
  let closed = false

  function whyDead(principal: Principal, now: number): GatehouseError | undefined {
    if (closed) return new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
    if (isExpired(principal.expiresAt, now)) return new GatehouseError('ERR_TOKEN_EXPIRED', EXPIRED.problem)
    if (revocations.isRevoked(principal)) {
      return new GatehouseError('ERR_TOKEN_REVOKED', 'the access token has been revoked')
    }
    if (!revocations.mustRefuse) return undefined
    return new GatehouseError('ERR_NOT_READY', 'nobody knows any more which access tokens were revoked')
  }

  function abort({ principal, controller }: Watched, reason: GatehouseError): void {
    watched.delete(principal.tokenId)
    controller.abort(reason)
  }

  function abortDead(): void {
    const startedAt = performance.now()
    const now = Date.now() / 1000
    soonest = Infinity
    // Listeners may read further signals, or close the gateway: a Map goes on with what is there.
    for (const each of watched.values()) {
      const reason = whyDead(each.principal, now)
      if (reason) abort(each, reason)
      else soonest = Math.min(soonest, each.principal.expiresAt)
    }
    const endedAt = performance.now()
    restUntil = endedAt + (endedAt - startedAt) * 10
    if (watched.size === 0) rest()
    else schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    const due = Math.min(LOOK_EVERY, Math.max(0, soonest * 1000 - Date.now()))
    timer = setTimeout(look, due).unref()
  }

  function look(): void {
    if (revocations.mustRefuse || isExpired(soonest, Date.now() / 1000)) abortDead()
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
      const known = watched.get(principal.tokenId)
      const reason = whyDead(principal, Date.now() / 1000)
      // Nobody may see a signal that has not heard of it yet.
      if (reason && known) abort(known, reason)
      if (known) return known.controller.signal
      if (reason) return AbortSignal.abort(reason)

      const controller = new AbortController()
      // As many as there are streams with one token, which is no leak.
      setMaxListeners(0, controller.signal)
      watched.set(principal.tokenId, { principal, controller })
      stopListening ??= revocations.onAdded(hearOfMore)
      if (principal.expiresAt < soonest || watched.size === 1) {
        soonest = Math.min(soonest, principal.expiresAt)
        schedule()
      }
      return controller.signal
    },

    close() {
      closed = true
      abortDead()
    },
  }
}
