/**
 * Calls `work` after the current synchronous code. The pending call does not keep the process alive: if
 * nothing else is pending, the process ends before `work` begins.
 *
 * @param work its errors are ignored
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
