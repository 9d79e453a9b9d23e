/**
 * Runs `work` after the current code. The pending call does not keep the process alive. If nothing else is
 * pending, the process ends before `work` begins.
 *
 * @param work its errors are ignored
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
