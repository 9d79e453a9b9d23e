/**
 * Calls `work` after the current synchronous code, and ignores its errors. The pending call does not keep the
 * process alive: if nothing else is pending, the process ends before `work` begins.
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
