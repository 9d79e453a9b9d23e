/**
 * The maximum number of interactions that are counted at once. When this number is reached, each new
 * interaction replaces the oldest counted interaction. All entries together take less than 20 MB.
 */
const MAX_COUNTED = 50_000

/**
 * Counts the interactions in this process that wait until a person signs in or decides. They are counted by
 * the network address that started them.
 *
 * @param options.max maximum interactions of one address; with 0, nothing is counted
 * @param options.seconds after how many seconds an interaction is no longer counted
 */
export function createPendingInteractions({
  max,
  seconds,
}: {
  readonly max: number
  readonly seconds: number
}) {
  /** The counted interactions by id, oldest first. */
  const pending = new Map<string, { readonly address: string; readonly until: number }>()
  const counts = new Map<string, number>()

  /** Stops counting an interaction that was answered, or could not be stored. */
  function remove(id: string): void {
    const entry = pending.get(id)
    if (!entry) return
    pending.delete(id)
    const left = (counts.get(entry.address) ?? 0) - 1
    if (left > 0) counts.set(entry.address, left)
    else counts.delete(entry.address)
  }

  return {
    /**
     * Counts a new interaction. If `max` interactions of the address are counted already, returns false and
     * does not count the new interaction.
     */
    add(address: string, id: string): boolean {
      if (max === 0) return true
      for (const [oldest, { until }] of pending) {
        if (until > performance.now()) break
        remove(oldest)
      }
      const count = counts.get(address) ?? 0
      if (count >= max) return false
      const [oldest] = pending.size < MAX_COUNTED ? [] : pending.keys()
      if (oldest !== undefined) remove(oldest)
      pending.set(id, { address, until: performance.now() + seconds * 1000 })
      counts.set(address, count + 1)
      return true
    },
    remove,
  }
}
