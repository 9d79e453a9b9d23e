import { setMaxListeners } from 'node:events'

/** Callbacks of the signal of a token. */
interface SignalHooks {
  /**
   * Called before a caller reads the state of the signal. Aborts the signal if the token is no longer valid.
   */
  refresh(): void
  /**
   * Called when a caller begins to wait for the signal.
   *
   * @param keepUntilExpiry true if the signal cannot detect when the caller stops waiting
   */
  wait(keepUntilExpiry: boolean): void
}

/**
 * Creates the controller of a signal that calls `wait` when a caller begins to wait for the signal. So the
 * creator needs to watch only signals that a caller waits for. All other signals can still be read at any
 * time, because each read calls `refresh` first.
 */
export function createTokenSignal({ refresh, wait }: SignalHooks): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  // Each stream that uses the token may add a listener, so Node must not report many listeners as a leak.
  setMaxListeners(0, signal)
  const { addEventListener, throwIfAborted } = signal

  /** Refreshes the state of the signal. @returns whether the signal is aborted */
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
        const wasAborted = isAbortedNow()
        addEventListener.apply(signal, parameters)
        if (!wasAborted) wait(false)
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
 * Whether `AbortSignal.any()` is the reader of a property. `AbortSignal.any()` refers to its source signals
 * weakly, and adds no listener to them. If nothing else refers to a source signal, the source signal is
 * garbage-collected and never aborts the combined signal.
 *
 * Node offers no other way to detect this reader. Node 24 records a combined signal at its source signals
 * (`kDependantSignals`) only while the combined signal has a listener. If the file of the reader is unknown,
 * the reader counts as `AbortSignal.any()`.
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
