import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { PendingEntry } from './entry.ts'

/** Milliseconds between two attempts to write what is kept. */
const RETRY_MS = 1000

/** The maximum number of entries, and of subjects, that are kept. */
const MAX_KEPT = 10_000

/**
 * Keeps the entries and subjects that this process could not write while the store was unavailable. No other process
 * can write them. This process writes them within about a second after the store is available again.
 *
 * @param parts.list lists the subject of a change as pending
 * @param parts.write adds entries to the trail
 */
export function createKept(parts: {
  readonly list: (subject: string) => Promise<unknown>
  readonly write: (entries: readonly PendingEntry[]) => Promise<void>
  readonly logger: Logger
}) {
  const { list, write, logger } = parts
  /** Subjects of changes that could not be listed as pending. It is unknown whether the store made these changes. */
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

  /** Writes all that is kept. Never rejects: what could not be written is still kept. */
  function flush(): Promise<void> {
    running = running.then(attempt)
    return running
  }

  return {
    keep,
    flush,

    /** Keeps the subject of a change that the store may have made. The subject is listed as pending later. */
    keepSubject(subject: string): void {
      if (subjects.size < MAX_KEPT) subjects.add(subject)
      retrySoon()
    },

    /** Replaces the kept entries. */
    async rewrite(change: (entry: PendingEntry) => PendingEntry): Promise<void> {
      await running
      entries = entries.map(change)
    },

    /** Stops the retries, after a last attempt. */
    async stop(): Promise<void> {
      isStopped = true
      pause()
      await flush()
    },
  }
}
