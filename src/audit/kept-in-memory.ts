import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { PendingEntry } from './entry.ts'

const RETRY_MS = 1000

const MAX_KEPT = 10_000

/**
 * Keeps what this process could not write while the store was unavailable, and no other process can write. It is
 * written about a second after the store is available again.
 */
export function createKept(parts: {
  readonly list: (subject: string) => Promise<unknown>
  readonly write: (entries: readonly PendingEntry[]) => Promise<void>
  readonly logger: Logger
}) {
  const { list, write, logger } = parts
  /** It is unknown whether the store made the changes of these subjects. */
  const subjects = new Set<string>()
  let entries: PendingEntry[] = []
  let stopRetrying: (() => void) | undefined
  let isStopped = false
  let running = Promise.resolve()

  function pause(): void {
    stopRetrying?.()
    stopRetrying = undefined
  }

  function retrySoon(): void {
    if (!isStopped) stopRetrying ??= periodically(flush, RETRY_MS)
  }

  function keep(more: readonly PendingEntry[]): void {
    const room = MAX_KEPT - entries.length
    entries.push(...more.slice(0, room))
    if (more.length > room) logger.error({}, 'audit entries are lost: too many wait for the store')
    retrySoon()
  }

  async function attempt(): Promise<void> {
    const waiting = entries.splice(0)
    try {
      for (const subject of subjects) {
        await list(subject)
        subjects.delete(subject)
      }
      if (waiting.length > 0) await write(waiting)
    } catch (error) {
      logger.debug({ err: error }, 'audit entries could not be written yet; trying again')
      keep(waiting)
    }
    if (subjects.size === 0 && entries.length === 0) pause()
  }

  /** Never rejects: what could not be written is still kept. */
  function flush(): Promise<void> {
    running = running.then(attempt)
    return running
  }

  return {
    keep,
    flush,

    keepSubject(subject: string): void {
      if (subjects.size < MAX_KEPT) subjects.add(subject)
      retrySoon()
    },

    async rewrite(change: (entry: PendingEntry) => PendingEntry): Promise<void> {
      await running
      entries = entries.map(change)
    },

    async stop(): Promise<void> {
      isStopped = true
      pause()
      await flush()
    },
  }
}
