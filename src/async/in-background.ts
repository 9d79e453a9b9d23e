/**
 * Runs `work` after the current code. This does not keep the process alive: if the process has no other
 * pending work, it ends before `work` begins.
 *
 * @param work its errors are ignored
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
