import { setMaxListeners } from 'node:events'

/** What happens around the signal of a token. */
interface SignalHooks {
  /** Comes before anybody reads its state: aborts it if the token is good no more. */
  refresh(): void
  /** Somebody waits for it from now on. @param forGood whether nobody can tell when that ends */
  wait(forGood: boolean): void
}

/**
 * Makes a signal that tells when somebody begins to wait for it, so that nobody has to hold the others. It can be read at
 * any time, held or not.
 */
export function createTokenSignal({ refresh, wait }: SignalHooks): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  // As many as there are streams with one token, which is no leak.
  setMaxListeners(0, signal)
  const { addEventListener, throwIfAborted } = signal

  /** @returns whether it is aborted, once it had the chance to find out */
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

/** Whether a signal is aborted, without giving it the chance to find out. */
export function isAborted(signal: AbortSignal): boolean {
  return Reflect.get(AbortSignal.prototype, 'aborted', signal)
}

const INTERNALS = 'node:internal/abort_controller'

/**
 * Whether `AbortSignal.any()` is what reads a property. It holds the signals that it is given weakly and adds no
 * listener to them, so a signal that nobody else holds would never reach the one that it makes. Node tells of that in no
 * other way; where the reader cannot be told, it counts as that one.
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
