/**
 * Waits for `work` for a limited time. After the timeout, `work` continues, and its result is ignored.
 *
 * @param milliseconds maximum time to wait
 * @param late.error creates the error that is thrown after the timeout
 * @param late.keepsAlive whether the timer keeps the process alive. @default true
 * @throws the errors of `work`, or `late.error`
 */
export async function withTimeout<T>(
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  late: { readonly error: () => Error; readonly keepsAlive?: boolean | undefined },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late.error()), milliseconds)
    if (late.keepsAlive === false) timer.unref()
  })
  try {
    return await Promise.race([work(), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Waits for `work` for a limited time, without keeping the process alive.
 *
 * @param milliseconds maximum time to wait
 * @returns whether `work` succeeded in time. After the timeout, `work` continues
 */
export function settlesWithin(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = { error: () => new Error(`not within ${milliseconds} ms`), keepsAlive: false }
  return withTimeout(milliseconds, work, late).then(
    () => true,
    () => false,
  )
}
