import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { AuditEntry } from './entry.ts'
import type { ErasedPeople } from './erase-entry.ts'
import { chunksOf, eraseInTrail, type ErasedEntries } from './erase-trail.ts'
import type { AuditBounds } from './retention.ts'
import { createFailures } from './failures-trail.ts'
import { checkList, checkRead, type AuditListOptions, type AuditReadOptions } from './check-options.ts'
import { listEntries, readEntries, type AuditPage, type AuditRecord } from './read-trail.ts'
import { createRecording } from './recording.ts'
import { createTrail, findLast, type Trail } from './trail.ts'

const RESUME_INTERVAL_MS = 60_000

/** The audit trail of one process: lists, reads and erases entries, writes those that wait. `parts.store` is durable. */
export function createAudit(parts: {
  readonly store: Store
  readonly bounds: AuditBounds
  readonly logger: Logger
  readonly now?: (() => number) | undefined
}) {
  const { store, bounds, logger, now = () => Date.now() } = parts
  const { maxAgeDays, maxEntries, maxFailures } = bounds
  const trail = createTrail(store, 'changes', { maxAgeDays, maxEntries })
  const { stop: stopRecording, ...recorded } = createRecording({ store, trail, logger, now })
  const failureTrail = createTrail(store, 'failures', { maxAgeDays, maxEntries: maxFailures })
  const failures = createFailures(failureTrail, logger, now)

  /** Entries that wait in this process are written to the trail first. */
  async function trailOf({ trail: name = 'changes' }: AuditReadOptions | AuditListOptions): Promise<Trail> {
    await (name === 'changes' ? recorded.settled() : failures.flush())
    return name === 'changes' ? trail : failureTrail
  }

  return {
    ...recorded,
    reject: failures.add,

    /** The returned function also writes the entries that are not written yet. */
    start(): () => Promise<void> {
      void findLast(trail).catch(() => {})
      let isStopped = false
      const resumeOrWarn = () =>
        recorded.resume().catch((error: unknown) => {
          if (isStopped) return
          logger.warn({ err: error }, 'the audit trail is incomplete; trying again within a minute')
        })
      void resumeOrWarn()
      const stopResuming = periodically(resumeOrWarn, RESUME_INTERVAL_MS)
      return async () => {
        isStopped = true
        stopResuming()
        await Promise.all([stopRecording(), failures.flush()])
        await recorded.settled()
      }
    },

    async *all(): AsyncGenerator<AuditEntry> {
      for (const each of [trail, failureTrail]) {
        for await (const chunks of chunksOf(each)) {
          yield* chunks.flatMap(({ entries }) => entries.filter((entry) => entry !== undefined))
        }
      }
    },

    /** Removes what identifies erased people from both trails and waiting entries. May be repeated. */
    async erase(people: ErasedPeople): Promise<ErasedEntries> {
      await failures.flush()
      await recorded.erase(people)
      const [changes, failed] = [await eraseInTrail(trail, people), await eraseInTrail(failureTrail, people)]
      return { entries: changes.entries + failed.entries, errors: [...changes.errors, ...failed.errors] }
    },

    async list(options: AuditListOptions = {}): Promise<AuditPage> {
      checkList(options)
      return listEntries(await trailOf(options), options)
    },

    async *read(options: AuditReadOptions = {}): AsyncGenerator<AuditRecord> {
      checkRead(options)
      yield* readEntries(await trailOf(options), options)
    },
  }
}

export type Audit = ReturnType<typeof createAudit>

export type AuditWriter = Pick<Audit, 'record' | 'reject'>
