/**
 * Runs `work` after the current code. It keeps no process alive: without other work pending, `work` does not begin.
 *
 * @param work its errors are ignored
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
