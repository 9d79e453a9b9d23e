/**
 * Waits for something no longer than it may take; where it is late it goes on, and nobody hears of it.
 *
 * @param milliseconds at most
 * @param late.error made when it is late, and thrown then
 * @param late.keepsAlive whether the process stays for that. @default true
 * @throws what `work` throws, or the error
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
