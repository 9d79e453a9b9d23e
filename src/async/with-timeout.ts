/**
 * Waits at most `milliseconds` for `work`, and then throws `late.error()`. After the timeout, `work`
 * continues, and its result is ignored. The timer keeps the process alive, unless `late.keepsAlive` is false.
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

/** False also if `work` rejects. After the timeout it continues. The timer does not keep the process alive. */
export function settlesWithin(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = { error: () => new Error(`not within ${milliseconds} ms`), keepsAlive: false }
  return withTimeout(milliseconds, work, late).then(
    () => true,
    () => false,
  )
}
