/**
 * The same look for all who ask at the same moment, and for those who ask soon after: health is asked for by anybody,
 * and must not become load.
 *
 * @param milliseconds for which an answer is given again
 * @param look never rejects
 */
export function cacheFor<T>(milliseconds: number, look: () => Promise<T>): () => Promise<T> {
  let kept: { readonly answer: T; readonly at: number } | undefined
  let underWay: Promise<T> | undefined

  async function lookAnew(): Promise<T> {
    try {
      const answer = await look()
      kept = { answer, at: performance.now() }
      return answer
    } finally {
      underWay = undefined
    }
  }

  return async () => {
    if (kept && performance.now() - kept.at < milliseconds) return kept.answer
    return (underWay ??= lookAnew())
  }
}
