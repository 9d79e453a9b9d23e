/**
 * Returns a function that shares the answers of `read`. Concurrent calls wait for the same read, and later
 * calls reuse its answer for `milliseconds`. For example, any client can request the health report, and many
 * requests must not each cause a read.
 *
 * @param milliseconds how many milliseconds an answer is reused
 * @param read reads the answer; it never rejects
 */
export function cacheFor<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let cached: { readonly answer: T; readonly at: number } | undefined
  let pending: Promise<T> | undefined

  async function readAgain(): Promise<T> {
    const answer = await read().finally(() => (pending = undefined))
    cached = { answer, at: performance.now() }
    return answer
  }

  return async () => {
    if (cached && performance.now() - cached.at < milliseconds) return cached.answer
    return (pending ??= readAgain())
  }
}
