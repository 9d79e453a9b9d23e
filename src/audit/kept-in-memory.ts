import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'

const RETRY_MS = 1000

const MAX_KEPT = 10_000

/**
 * Keeps what this process could not write while the store was unavailable, and no other process can write. It is
 * written about a second after the store is available again.
 */
export function createKept<T>(parts: {
  /** May be repeated. */
  readonly write: (items: readonly T[]) => Promise<unknown>
  /** The plural, for the log. */
  readonly what: string
  readonly logger: Logger
}) {
  const { write, what, logger } = parts
  let items: T[] = []
  let stopRetrying: (() => void) | undefined
  let isStopped = false
  let running = Promise.resolve()

  function keep(more: readonly T[]): void {
    const room = MAX_KEPT - items.length
    items.push(...more.slice(0, room))
    if (more.length > room) logger.error({}, `${what} are lost: too many wait for the store`)
    if (!isStopped) stopRetrying ??= periodically(flush, RETRY_MS)
  }

  async function attempt(): Promise<void> {
    const waiting = items.splice(0)
    try {
      if (waiting.length > 0) await write(waiting)
    } catch (error) {
      logger.debug({ err: error }, `${what} could not be written yet; trying again`)
      keep(waiting)
    }
    if (items.length === 0) pause()
  }

  function pause(): void {
    stopRetrying?.()
    stopRetrying = undefined
  }

  /** Never rejects: what could not be written is still kept. */
  function flush(): Promise<void> {
    running = running.then(attempt)
    return running
  }

  return {
    keep,
    flush,

    forget: (item: T): void => void (items = items.filter((each) => each !== item)),

    async rewrite(change: (item: T) => T): Promise<void> {
      await running
      items = items.map(change)
    },

    async stop(): Promise<void> {
      isStopped = true
      pause()
      await flush()
    },
  }
}
