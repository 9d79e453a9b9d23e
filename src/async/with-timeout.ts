/**
 * Waits at most `milliseconds` for `work`, and then throws `late.error()`. After the timeout, `work`
 * continues, and its result is ignored. The timer keeps the process alive, unless `late.keepsAlive` is false.
 */
export function withTimeout<T>(
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  late: { readonly error: () => Error; readonly keepsAlive?: boolean | undefined },
): Promise<T> {
  // `Promise.race` would make three promises more, which every call of a store would pay for.
  return new Promise((resolve, reject) => {
    const working = work()
    // If the process was busy meanwhile, the result may have arrived but is not read yet: it comes first.
    const timer = setTimeout(() => setImmediate(() => reject(late.error())), milliseconds)
    if (late.keepsAlive === false) timer.unref()
    const settling = (settle: (value: never) => void) => (value: unknown) => {
      clearTimeout(timer)
      settle(value as never)
    }
    Promise.resolve(working).then(settling(resolve), settling(reject))
  })
}

/** False also if `work` rejects. After the timeout it continues. The timer does not keep the process alive. */
export function settlesWithin(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = { error: () => new Error(`not within ${milliseconds} ms`), keepsAlive: false }
  return withTimeout(milliseconds, work, late).then(
    () => true,
    () => false,
  )
}
