import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'
import { createPendingRevocations, type Subject } from './pending-revocations.ts'
import { asRevocation, type Revocation } from './revocation.ts'
import type { RevocationLog } from './revocation-log.ts'
import type { RevocationSet } from './revocation-set.ts'

/** What is revoked, without its end where that follows from the lifetime of tokens. */
export type RevocationSpec = Revocation extends infer Each
  ? Each extends Revocation
    ? Omit<Each, 'until'> & { readonly until?: number | undefined }
    : never
  : never

export type { Subject } from './pending-revocations.ts'

/** What came of a change. */
export interface Change<T> {
  readonly result: T
  /** What it revokes. Also where the change was in force already, so that what failed before is made good. */
  readonly taken: readonly RevocationSpec[]
  /** Who made it, for the events. */
  readonly actor?: string | undefined
}

/** Takes tokens back, everywhere. */
export interface Revocations {
  /**
   * Takes tokens back: here at once, in every other process within moments. Settles when it is stored; to do it
   * again does no harm.
   *
   * @param taken without `until`, it is kept for as long as any access token lives
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the tokens are dead here, but may be good elsewhere, so do it
   *   again. `ERR_INVALID_ARGUMENT` for what is no revocation, before anything is done
   */
  revoke(...taken: readonly RevocationSpec[]): Promise<void>
  /** The same, with who does it, for the events. */
  revokeAs(actor: string | undefined, ...taken: readonly RevocationSpec[]): Promise<void>
  /**
   * Makes a change that takes tokens back, so that they are revoked even if this process ends in the middle:
   * others find that it was begun, and finish it (`resumeAll`).
   *
   * @param change makes the change, first of all in what decides about new tokens; what it throws is passed on. A
   *   GatehouseError with a status below 500 says that nothing was changed; after any other failure others finish
   *   what may have been
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; if it is not made good by doing it again, others do so
   */
  during<T>(subject: Subject, change: () => Promise<Change<T>>): Promise<T>
  /**
   * Finishes what other processes began and did not finish. To be called again and again.
   *
   * @param finish what is to be revoked of a subject as it is now. What it answers for one that nothing was taken
   *   from must do no harm. Where it throws, that subject is left for the next time
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  resumeAll(finish: (subject: Subject) => Promise<readonly RevocationSpec[]>): Promise<void>
  /**
   * What of the changes that are under way, or were begun by a process that ended, will be revoked, as `finish`
   * answers it; nothing is revoked by this.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  underWay(finish: (subject: Subject) => Promise<readonly RevocationSpec[]>): Promise<readonly Revocation[]>
}

/** Seconds by which clocks may differ, added to every end. */
const SKEW = 120

/** An end that follows from the lifetime of tokens is at a full hour, so that the same once more is the same text. */
const HOUR = 3600

/**
 * @param parts.events told of each revocation that was written here
 * @param parts.now milliseconds since the epoch. @default the clock of this process
 */
export function createRevocations(parts: {
  readonly store: Store
  readonly log: Pick<RevocationLog, 'add'>
  readonly set: Pick<RevocationSet, 'add'>
  readonly longestLifetime: LongestLifetime
  readonly events?: Pick<EventSink, 'emit'> | undefined
  readonly logger: Logger
  readonly now?: (() => number) | undefined
}): Revocations {
  const { store, log, set, longestLifetime, events, logger, now = () => Date.now() } = parts
  const begun = createPendingRevocations({ store, longestLifetime, logger, now })

  async function revoke(taken: readonly RevocationSpec[], actor?: string): Promise<void> {
    if (taken.length === 0) return
    const withEnds = (lifetime: number) => taken.map((each) => endingAt(each, now() / 1000 + lifetime))
    // Here at once, even while the store is away.
    set.add(withEnds(longestLifetime.secondsKnown))
    const isOpen = taken.some(({ until }) => until === undefined)
    const revocations = withEnds(isOpen ? await longestLifetime.seconds() : 0)
    set.add(revocations)
    await log.add(revocations)
    for (const { of, id } of revocations) {
      events?.emit('token.revoked', { of, id, ...(actor !== undefined && { actor }) })
    }
  }

  return {
    revoke: (...taken) => revoke(taken),
    revokeAs: (actor, ...taken) => revoke(taken, actor),

    async during(subject, change) {
      const entry = await begun.begin(subject)
      const { result, taken, actor } = await change().catch(async (error: unknown) => {
        if (error instanceof GatehouseError && error.status < 500) await begun.end(entry)
        throw error
      })
      await revoke(taken, actor)
      await begun.end(entry)
      return result
    },

    resumeAll: (finish) => begun.settle(async (subject) => revoke(await finish(subject))),

    async underWay(finish) {
      const subjects = await begun.subjects()
      const end = now() / 1000 + (await longestLifetime.seconds())
      const revocations: Revocation[] = []
      for (const subject of subjects) {
        for (const taken of await finish(subject)) revocations.push(endingAt(taken, end))
      }
      return revocations
    },
  }
}

/** @param byDefault epoch seconds */
function endingAt(taken: RevocationSpec, byDefault: number): Revocation {
  const until = taken.until === undefined ? Math.ceil((byDefault + SKEW) / HOUR) * HOUR : taken.until + SKEW
  const revocation = asRevocation({ ...taken, until })
  if (revocation) return revocation
  throw new GatehouseError(
    'ERR_INVALID_ARGUMENT',
    'this cannot be revoked: it needs an id, an operation needs a number to be below, and numbers must be whole',
  )
}
