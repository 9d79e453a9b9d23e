/**
 * Calls `work` repeatedly. Each pause is random, up to a quarter shorter than `everyMs`, so that processes which started
 * together do not call it together. A call never overlaps the previous call. Does not keep the process alive.
 *
 * @param work its errors are ignored
 * @param everyMs maximum milliseconds between the end of one call and the beginning of the next
 * @returns a function that stops the calls
 */
export function periodically(work: () => Promise<unknown>, everyMs: number): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function schedule(): void {
    if (stopped) return
    const run = () =>
      void work()
        .catch(() => {})
        .finally(schedule)
    timer = setTimeout(run, everyMs * (0.75 + Math.random() / 4)).unref()
  }

  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
