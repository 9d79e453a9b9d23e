/**
 * Runs `work` at most once at a time. Calls that arrive while it runs share the next run, which begins after them. So
 * each call sees what was written before it.
 *
 * @param work rejects only the calls that wait for this run; a failure does not prevent the next run
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  return function run(): Promise<void> {
    if (running === undefined) return (running = work().finally(() => (running = undefined)))
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }
}
