/**
 * Returns a function that shares one answer of `read`: concurrent calls wait for the same read, and later
 * calls reuse its answer for a time. For example, any client can request health, and many such requests must
 * not cause load.
 *
 * @param milliseconds for which an answer is reused
 * @param read never rejects
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
