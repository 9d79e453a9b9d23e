/**
 * Runs `work` once the present code has ended. This does not keep the process alive: if nothing else is pending, `work`
 * does not begin.
 *
 * @param work its failure is ignored
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
