/**
 * Returns a function that runs `work`, but never twice at the same time. Calls that arrive while `work` runs
 * share the next run. So each call waits for a run that begins after the call, and sees everything that was
 * written before. If a run rejects, only the calls that wait for this run reject.
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
