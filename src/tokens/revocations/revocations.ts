import { randomBytes } from 'node:crypto'
import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'
import type { Store } from '../../store/contract.ts'
import type { LongestLifetime } from './longest-lifetime.ts'
import type { Revocation } from './revocation.ts'
import type { RevocationLog } from './revocation-log.ts'
import type { RevocationSet } from './revocation-set.ts'

/** What is taken back, without its end where that follows from the lifetime of tokens. */
export type Taken = Revocation extends infer Each
  ? Each extends Revocation
    ? Omit<Each, 'until'> & { readonly until?: number | undefined }
    : never
  : never

/** What a change takes something away from. */
export interface Subject {
  readonly of: 'client' | 'grant'
  readonly id: string
}

/** Takes tokens back, everywhere. */
export interface Revocations {
  /**
   * Takes tokens back: here at once, in every other process within moments. Settles when it is stored; to do it
   * again does no harm.
   *
   * @param taken without `until`, it is kept for as long as any access token lives
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the tokens may be good elsewhere then, so do it again
   */
  revoke(...taken: readonly Taken[]): Promise<void>
  /**
   * Makes a change that takes tokens back, so that they are taken back even if this process ends in the middle:
   * others find that it was begun, and finish it (`settleWith`).
   *
   * @param change makes the change; answers what to take back besides its result
   */
  during<T>(
    subject: Subject,
    change: () => Promise<{ readonly result: T; readonly taken: readonly Taken[] }>,
  ): Promise<T>
  /**
   * Finishes what other processes began and did not finish.
   *
   * @param finish what is to be taken back of a subject as it is now. What it answers for one that nothing was taken
   *   from must do no harm
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  settleWith(finish: (subject: Subject) => Promise<readonly Taken[]>): Promise<void>
}

/** An index of what was begun: `<milliseconds>:<random>:<subject as JSON>`. */
const BEGUN = 'revocations:begun'

/** Milliseconds after which what was begun is finished by others. */
const ABANDONED_AFTER = 15_000

/** Seconds by which clocks may differ, added to every end. */
const SKEW = 120

export function createRevocations(parts: {
  readonly store: Store
  readonly log: RevocationLog
  readonly set: RevocationSet
  readonly longestLifetime: LongestLifetime
  readonly logger: Logger
}): Revocations {
  const { store, log, set, longestLifetime, logger } = parts

  async function revoke(...taken: readonly Taken[]): Promise<void> {
    if (taken.length === 0) return
    const needsEnd = taken.some(({ until }) => until === undefined)
    const end = Math.ceil(Date.now() / 1000) + (needsEnd ? await longestLifetime.seconds() : 0)
    const revocations = taken.map((each) => ({ ...each, until: (each.until ?? end) + SKEW }))
    set.add(revocations)
    await log.add(revocations)
  }

  async function begin(subject: Subject): Promise<string> {
    const entry = `${String(Date.now()).padStart(13, '0')}:${randomBytes(6).toString('base64url')}:${JSON.stringify(subject)}`
    // Until somebody has finished it, at most as long as it could matter.
    await store.add(BEGUN, entry, await longestLifetime.seconds())
    return entry
  }

  async function end(entry: string): Promise<void> {
    // What stays is finished once more, which does no harm.
    await store.remove(BEGUN, entry).catch((error: unknown) => {
      logger.debug({ err: error }, 'a revocation that is finished will be finished once more')
    })
  }

  return {
    revoke,

    async during(subject, change) {
      const entry = await begin(subject)
      try {
        const { result, taken } = await change()
        await revoke(...taken)
        await end(entry)
        return result
      } catch (error) {
        // A store that is away may have made the change; any other failure says that there was none.
        if (!(error instanceof GatehouseError && error.status === 503)) await end(entry)
        throw error
      }
    },

    async settleWith(finish) {
      const entries = await store.range(BEGUN, { limit: 1000 })
      const abandoned = entries.filter(
        (entry) => Math.abs(Date.now() - Number(entry.slice(0, 13))) > ABANDONED_AFTER,
      )
      for (const entry of abandoned) {
        const subject = subjectOf(entry)
        if (subject) await revoke(...(await finish(subject)))
        await end(entry)
      }
    },
  }
}

function subjectOf(entry: string): Subject | undefined {
  try {
    return JSON.parse(entry.slice(entry.indexOf(':', 14) + 1)) as Subject
  } catch {
    return undefined
  }
}
