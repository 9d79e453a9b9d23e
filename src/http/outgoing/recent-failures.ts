/** Milliseconds after a failed request during which the same URL is not requested again. */
const PAUSE_MS = 1_000

/**
 * Creates the memory of requests that failed less than a second ago. The budgets bound how many requests fail in a
 * second, so this memory is small.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createRecentFailures(now: () => number) {
  /** The failures by their URL, oldest first. */
  const failures = new Map<string, { readonly failure: unknown; readonly at: number }>()

  function forget(): void {
    for (const [url, { at }] of failures) {
      if (now() - at < PAUSE_MS) return
      failures.delete(url)
    }
  }

  return {
    /** Remembers that the request of a URL failed now. */
    add(url: string, failure: unknown): void {
      forget()
      failures.delete(url)
      failures.set(url, { failure, at: now() })
    },
    /** How the last request of a URL failed; undefined if it is at least a second ago. */
    find(url: string): unknown {
      forget()
      return failures.get(url)?.failure
    },
  }
}
