/**
 * Calls `work` repeatedly, first after a pause, until the returned function is called. Errors are ignored. Each pause
 * is random, up to a quarter shorter than `everyMs`: processes that started together do not all call at the same time.
 * A call never overlaps the previous call. The timer does not keep the process alive.
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
