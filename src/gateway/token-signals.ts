import { GatehouseError } from '../errors.ts'
import type { GatewayRevocations } from './dependencies.ts'
import type { Principal, SignalOf } from './principal.ts'
import { createSignalWatch } from './signal-watch.ts'
import { createTokenSignal, isAborted } from './token-signal.ts'
import { EXPIRED, isExpired, REVOKED } from './verify-token.ts'

/** The signals of tokens. A signal aborts when its token is no longer valid. */
export interface TokenSignals {
  /**
   * The signal of a principal. As long as a caller has a reference to the signal, all principals of the same
   * token share it.
   */
  readonly signalOf: SignalOf
  /**
   * Aborts all signals that a caller waits for, by a listener or by `AbortSignal.any()`. Every other signal is aborted when it is next read or
   * requested. Idempotent.
   */
  close(): void
}

/**
 * Creates the signals of tokens on request. Only tokens whose signal a caller waits for are watched. A signal
 * that no caller waits for checks its token each time it is read. It exists as long as a caller has a
 * reference to it.
 */
export function createTokenSignals(
  revocations: Pick<GatewayRevocations, 'isTokenRevoked' | 'mustReject' | 'onAdded'>,
): TokenSignals {
  const watch = createSignalWatch(revocations, reasonToAbort)
  /** The signals to which callers have a reference, by token id. */
  const signals = new Map<string, WeakRef<AbortSignal>>()
  const collected = new FinalizationRegistry<string>((tokenId) => {
    if (signals.get(tokenId)?.deref() === undefined) signals.delete(tokenId)
  })
  let closed = false

  function reasonToAbort(principal: Principal, now = Date.now() / 1000): GatehouseError | undefined {
    if (closed) return new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
    if (isExpired(principal.expiresAt, now)) return new GatehouseError('ERR_TOKEN_EXPIRED', EXPIRED.problem)
    if (revocations.isTokenRevoked(principal)) return new GatehouseError('ERR_TOKEN_REVOKED', REVOKED.problem)
    if (!revocations.mustReject) return undefined
    return new GatehouseError(
      'ERR_NOT_READY',
      'the revocations are too stale to know whether the token is valid',
    )
  }

  function createSignal(principal: Principal): AbortSignal {
    const { tokenId } = principal
    const controller = createTokenSignal({
      refresh() {
        const reason = reasonToAbort(principal)
        if (reason === undefined) return
        watch.remove(tokenId)
        controller.abort(reason)
      },
      wait: (keepUntilExpiry) => watch.add({ principal, controller, keepUntilExpiry }),
    })
    signals.set(tokenId, new WeakRef(controller.signal))
    collected.register(controller.signal, tokenId)
    return controller.signal
  }

  return {
    signalOf(principal) {
      const known = signals.get(principal.tokenId)?.deref()
      if (known !== undefined && !isAborted(known)) return known
      const reason = reasonToAbort(principal)
      return reason ? AbortSignal.abort(reason) : createSignal(principal)
    },

    close() {
      closed = true
      watch.sweep()
    },
  }
}
