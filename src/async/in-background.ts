/**
 * Does something once the code that runs now has ended. It keeps no process alive: where nothing else is left to do,
 * it does not even begin.
 *
 * @param work whose failure is its own matter
 */
export function inBackground(work: () => Promise<unknown>): void {
  setImmediate(() => {
    work().catch(() => {})
  }).unref()
}
