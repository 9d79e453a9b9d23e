/**
 * The same work, but never twice at once: calls that arrive while it is under way share the next time, which begins
 * after them, so that each call sees what was written before it was made.
 *
 * @param work whose failure is told to those who waited for it, and keeps no other from going ahead
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
