/**
 * Does something again and again: each time up to a quarter sooner than `everyMs`, so that processes which
 * started together do not all ask at once, and never before the time before has ended. Keeps no process alive.
 *
 * @param work whose failure is its own matter: it is called again all the same
 * @param everyMs milliseconds between the end of one time and the beginning of the next, at most
 * @returns a function that ends it
 */
export function periodically(work: () => Promise<unknown>, everyMs: number): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function schedule(): void {
    if (stopped) return
    timer = setTimeout(doAndSchedule, everyMs * (0.75 + Math.random() / 4))
    timer.unref()
  }

  function doAndSchedule(): void {
    work()
      .catch(() => {})
      .finally(schedule)
  }

  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
