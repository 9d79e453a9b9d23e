/** Counts the interactions that wait for a person, by the address that began them, in this process. */
export interface PendingInteractions {
  /** Counts a new one; false if the address has too many, and then it is not counted. */
  add(address: string, id: string): boolean
  /** An interaction was answered, or was not begun after all. */
  remove(id: string): void
}

/** How many are counted at once. Beyond that the oldest one is forgotten, so that the memory stays below 20 MB. */
const MOST = 50_000

/**
 * @param options.max for one address; 0 counts nothing
 * @param options.seconds after which one does not count any more
 * @param options.now milliseconds of a clock that nobody puts back
 */
export function createPendingInteractions(options: {
  readonly max: number
  readonly seconds: number
  readonly most?: number | undefined
  readonly now?: (() => number) | undefined
}): PendingInteractions {
  const { max, seconds, most = MOST, now = () => performance.now() } = options
  /** In the order of time. */
  const pending = new Map<string, { readonly address: string; readonly until: number }>()
  const counts = new Map<string, number>()

  function remove(id: string): void {
    const entry = pending.get(id)
    if (!entry) return
    pending.delete(id)
    const left = (counts.get(entry.address) ?? 0) - 1
    if (left > 0) counts.set(entry.address, left)
    else counts.delete(entry.address)
  }

  function forgetExpired(): void {
    for (const [id, { until }] of pending) {
      if (until > now()) return
      remove(id)
    }
  }

  return {
    add(address, id) {
      if (max === 0) return true
      forgetExpired()
      const count = counts.get(address) ?? 0
      if (count >= max) return false
      const [oldest] = pending.size < most ? [] : pending.keys()
      if (oldest !== undefined) remove(oldest)
      pending.set(id, { address, until: now() + seconds * 1000 })
      counts.set(address, count + 1)
      return true
    },
    remove,
  }
}
