import { setMaxListeners } from 'node:events'

/** Callbacks of the signal of a token. */
interface SignalHooks {
  /**
   * Called before a caller reads the state of the signal: aborts the signal if the token is no longer valid.
   */
  refresh(): void
  /**
   * Called when a caller begins to wait for the signal. @param keepUntilExpiry whether the signal cannot detect when that
   * wait ends
   */
  wait(keepUntilExpiry: boolean): void
}

/**
 * Creates a signal that reports when a caller begins to wait for it. Signals without a waiting caller need not
 * be kept. Every signal can be read at any time.
 */
export function createTokenSignal({ refresh, wait }: SignalHooks): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  // Each stream with the token may add a listener. Many listeners are not a leak.
  setMaxListeners(0, signal)
  const { addEventListener, throwIfAborted } = signal

  /** @returns whether it is aborted, after its state was refreshed */
  function isAbortedNow(): boolean {
    if (!isAborted(signal)) refresh()
    return isAborted(signal)
  }

  Object.defineProperties(signal, {
    aborted: {
      get: function aborted() {
        if (isAbortedNow()) return true
        if (isReadByAny(aborted)) wait(true)
        return false
      },
    },
    reason: {
      get: () => (isAbortedNow() ? Reflect.get(AbortSignal.prototype, 'reason', signal) : undefined),
    },
    throwIfAborted: { value: () => isAbortedNow() && throwIfAborted.call(signal) },
    addEventListener: {
      value(...parameters: Parameters<typeof addEventListener>) {
        const isTooLate = isAbortedNow()
        addEventListener.apply(signal, parameters)
        if (!isTooLate) wait(false)
      },
    },
  })
  return controller
}

/** Whether a signal is aborted, without refreshing its state. */
export function isAborted(signal: AbortSignal): boolean {
  return Reflect.get(AbortSignal.prototype, 'aborted', signal)
}

const INTERNALS = 'node:internal/abort_controller'

/**
 * Whether `AbortSignal.any()` is the reader of a property. It holds its source signals weakly and adds no
 * listener to them. A source signal without another reference would never reach the combined signal.
 *
 * Node offers no other way to detect this: Node 24 records a combined signal at its sources (`kDependantSignals`)
 * only while that signal has a listener. If the reader is unknown, it counts as `AbortSignal.any()`.
 */
function isReadByAny(getter: () => unknown): boolean {
  const { prepareStackTrace, stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 1
    Error.prepareStackTrace = (_error, frames) => frames
    const trace: { stack?: NodeJS.CallSite[] } = {}
    Error.captureStackTrace(trace, getter)
    const file = trace.stack?.[0]?.getFileName()
    return typeof file !== 'string' || file === INTERNALS
  } catch {
    return true
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  }
}
