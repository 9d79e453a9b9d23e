// Model: test/proof/models/commit.pml
import type { Audit } from '../audit/audit.ts'
import type { EntryFields, PendingEntry } from '../audit/entry.ts'
import { erasePending, type ErasedPeople } from '../audit/erase-entry.ts'
import { createKept } from '../audit/kept-in-memory.ts'
import { carriedBy, createOutboxes, idsOf, type WithOutbox } from '../audit/recording.ts'
import { periodically } from '../async/periodically.ts'
import { isRejection } from '../errors.ts'
import type { EventOf, EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import { withUntil, type RevocationSpec } from '../revocation/kept-until.ts'
import type { LongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { Revocation } from '../revocation/revocation.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { Store } from '../store/contract.ts'
import type { Changeable } from './changeable.ts'
import { ABANDONED_AFTER_MS, createUnfinishedList, type Subject, type Unfinished } from './unfinished-list.ts'

/** Its functions are pure. `before` is the record that is changed; a change that creates its record ignores it. */
export interface Change<R extends WithOutbox, Before extends R = R> {
  readonly record: Changeable<R>
  /** The next version; undefined for no change. Throws to reject it. Called again after a lost compare-and-swap. */
  readonly write: (stored: R | undefined) => R | undefined
  readonly entry?: ((before: Before, next: R) => EntryFields | readonly EntryFields[]) | undefined
  readonly event?: ((before: Before) => EventOf) | undefined
  /** Asked even if nothing is changed, then without `before`: an earlier call may have ended after its write. */
  readonly revokes?: ((stored: R, before: Before | undefined) => readonly RevocationSpec[]) | undefined
  /** Whether it is made even if it cannot be listed. @default whether it revokes */
  readonly isRemoval?: boolean | undefined
  readonly actor?: string | undefined
  /** What must be stored before the record is written. */
  readonly ready?: Promise<unknown> | undefined
}

/** A change that is listed. */
export interface Begun {
  readonly unfinished: Unfinished
  /** Undefined if it could not be listed. */
  readonly member?: string | undefined
}

/** May be called again. They return what is still to be revoked; undefined if they go on without their caller. */
export type Finishers = Readonly<
  Record<Subject['of'], (id: string) => Promise<readonly RevocationSpec[] | undefined>>
>

const INTERVAL_MS = 60_000

const LISTED_SECONDS = 30 * 86_400

/**
 * The way of each change: it is listed, its record is written with its audit entry, and then its revocations and its
 * entry of the trail are stored. If this process stops, another one finishes what is listed.
 */
export function createCommits(parts: {
  readonly store: Store
  readonly audit: Audit
  readonly revocations: Pick<Revocations, 'revokeAs'>
  readonly longestLifetime: LongestLifetime
  readonly events: EventSink
  readonly logger: Logger
  /** Milliseconds since the epoch. @default the clock of this process */
  readonly now?: (() => number) | undefined
}) {
  const { store, audit, revocations, longestLifetime, events, logger, now = () => Date.now() } = parts
  // After the longest lifetime, all tokens that a change revokes have expired.
  const maxAgeSeconds = () => Math.max(LISTED_SECONDS, longestLifetime.secondsKnown)
  const list = createUnfinishedList({ store, maxAgeSeconds, logger, now })
  const outboxes = createOutboxes(store)
  const write = (all: readonly Unfinished[]) => Promise.all(all.map(list.add))
  const kept = createKept({ write, what: 'unfinished changes', logger })

  /** A removal that cannot be listed now is listed as soon as the store is available again. */
  async function listed(unfinished: Unfinished, isRemoval: boolean): Promise<Begun> {
    const member = await list.add(unfinished).catch((error: unknown) => {
      if (!isRemoval) throw error
      // What carries its entry is repeated by the caller, as a change of its own.
      if (unfinished.record !== undefined) kept.keep([unfinished])
      return undefined
    })
    return { unfinished, member }
  }

  /** Nothing was changed. @param entries which were made for the change */
  function cancel({ unfinished, member }: Begun, entries: readonly PendingEntry[]): void {
    audit.withdraw(entries)
    kept.forget(unfinished)
    if (member !== undefined) audit.inBackground(list.remove(member))
  }

  /** Stores what follows a change, in any order. */
  async function complete(
    { unfinished, member }: Begun,
    entries: readonly PendingEntry[],
    revoked: readonly RevocationSpec[] = [],
    actor?: string,
  ): Promise<void> {
    const isRecorded = audit.append(entries).then(
      () => true,
      (error: unknown) => {
        logger.debug({ err: error }, 'an audit entry could not be moved yet; it will be moved later')
        if (member === undefined) audit.keep(entries)
        return false
      },
    )
    await Promise.all([isRecorded, revocations.revokeAs(actor, ...revoked)])
    kept.forget(unfinished)
    if (await isRecorded) audit.inBackground(tidy({ unfinished, member }, entries))
  }

  async function tidy({ unfinished: { record }, member }: Begun, entries: readonly PendingEntry[]) {
    if (record !== undefined) await outboxes.clear(record, idsOf(entries))
    if (member !== undefined) await list.remove(member)
  }

  /** A corrupt record stays, so that an operator can examine it. */
  async function moveToTrail(record: string): Promise<void> {
    const entries = await outboxes.read(record).catch(noneIfCorrupt)
    await audit.append(entries)
    await outboxes.clear(record, idsOf(entries))
  }

  /** False if the subject is still being finished. */
  async function finish(unfinished: Unfinished, finishers: Finishers): Promise<boolean> {
    const { record, subject, revokes = [], entry, proof } = unfinished
    // The change was made if the record has the text, or was deleted since.
    const found = proof && (await store.get(proof.key))
    if (proof && found !== undefined && !found.includes(proof.text)) return true
    const further = subject ? await finishers[subject.of](subject.id) : []
    if (!further) return false
    await revocations.revokeAs(undefined, ...revokes, ...further)
    if (entry) await audit.append([entry])
    if (record !== undefined) await moveToTrail(record)
    return true
  }

  async function finishAll(finishers: Finishers): Promise<void> {
    await kept.flush()
    await list.finishDue((unfinished) => finish(unfinished, finishers))
  }

  return {
    /**
     * @returns the record before the change, if it was changed; and the record as it is stored now
     * @throws what `write` throws; {GatehouseError} `ERR_STORE_UNAVAILABLE`: repeat the call. The change may have been
     *   made, and another process then finishes it
     */
    async commit<R extends WithOutbox, Before extends R = R>(change: Change<R, Before>) {
      const { record, entry, event, revokes, isRemoval = revokes !== undefined, ready, actor } = change
      const unfinished = { record: record.key, subject: revokes && record.subject }
      const begun = listed(unfinished, isRemoval)
      const mayWrite = Promise.all([begun, ready])
      mayWrite.catch(() => {})
      const outbox = await audit.outbox()
      let before: Before | undefined
      let isChanged = false
      let isWritten = false
      try {
        const { stored, beside } = await record.change((found) => {
          const next = change.write(found)
          before = found as Before | undefined
          isChanged = next !== undefined
          return next && outbox.put(next, entry ? [entry(before as Before, next)].flat() : [])
        }, mayWrite)
        // The record does not wait for it if there is nothing to write.
        await mayWrite
        isWritten = true
        isChanged &&= stored !== undefined
        const own = outbox.made()
        const isLeft = ({ entry }: PendingEntry) => Math.abs(now() - entry.at) > ABANDONED_AFTER_MS
        // With those that stopped processes left. A repeated call may have left some a moment ago.
        const entries = carriedBy(stored).filter((each) => !isChanged || own.includes(each) || isLeft(each))
        audit.withdraw(own.filter((each) => !entries.includes(each)))
        const made = { before: isChanged ? before : undefined, stored, isChanged }
        const revoked = stored && revokes ? revokes(stored, made.before) : []
        const completed = complete(await begun, entries, revoked, actor)
        if (event && isChanged) emit(events, event(before as Before))
        await Promise.all([completed, beside])
        return made
      } catch (error) {
        // A removal stays listed, so that all tokens of a corrupt record are revoked.
        const isOver = isRejection(error) || (isCorruptRecord(error) && !revokes)
        const known = await begun.catch(() => undefined)
        if (!isWritten && (isOver || !known)) cancel(known ?? { unfinished }, outbox.made())
        throw error
      }
    },

    /** Revokes tokens, without another change. Recorded, even if it cannot be listed. */
    async revoke(spec: RevocationSpec, fields: EntryFields): Promise<readonly Revocation[]> {
      const entry = await audit.entry(fields)
      const unfinished = { revokes: [spec], entry }
      const begun = listed(unfinished, true)
      const stored = await revocations.revokeAs(fields.actor, spec)
      await complete(await begun, [entry])
      return stored
    },

    /**
     * Lists a change that `commit` cannot make, because it has several records, or ends its record. Then make the
     * change, and call `end`, or `cancel` if nothing was changed. After an error, another process finishes the change.
     */
    async begin(
      { entry: fields, ...what }: Omit<Unfinished, 'entry'> & { readonly entry?: EntryFields | undefined },
      isRemoval = false,
    ): Promise<Begun> {
      const entry = fields && (await audit.entry(fields))
      const unfinished = { ...what, entry }
      return listed(unfinished, isRemoval).catch((error: unknown) => {
        cancel({ unfinished }, entriesOf(unfinished))
        throw error
      })
    },
    end: (begun: Begun, revoked?: readonly RevocationSpec[], actor?: string) =>
      complete(begun, entriesOf(begun.unfinished), revoked, actor),
    cancel: (begun: Begun) => cancel(begun, entriesOf(begun.unfinished)),

    /** What the unfinished changes of all processes revoke. */
    async unfinishedRevocations(specsOf: Finishers): Promise<readonly Revocation[]> {
      const until = now() / 1000 + (await longestLifetime.seconds())
      await audit.settled()
      const found: RevocationSpec[] = []
      for (const { subject, revokes = [] } of await list.all())
        found.push(...revokes, ...((subject && (await specsOf[subject.of](subject.id))) ?? []))
      return found.map((spec) => withUntil(spec, until))
    },

    /** Entries in the memory of another process stay unchanged. */
    async erase(people: ErasedPeople): Promise<void> {
      const erase = (unfinished: Unfinished) => {
        const entry = unfinished.entry && erasePending(unfinished.entry, people)
        return entry === unfinished.entry ? unfinished : { ...unfinished, entry }
      }
      await kept.rewrite(erase)
      for (const { record } of await list.all()) if (record !== undefined) await moveToTrail(record)
      await list.rewrite(erase)
    },

    finishAll,

    /** Finishes what stopped processes left, now and then every minute. @returns a function that stops this */
    start(finishers: Finishers): () => Promise<void> {
      let isStopped = false
      const finishOrWarn = () =>
        finishAll(finishers).catch((error: unknown) => {
          if (isStopped) return
          const message = 'changes of stopped processes could not be finished; trying again within a minute'
          logger.warn({ err: error }, message)
        })
      void finishOrWarn()
      const stop = periodically(finishOrWarn, INTERVAL_MS)
      return async () => {
        isStopped = true
        stop()
        await kept.stop()
      }
    },
  }
}

export type Commits = ReturnType<typeof createCommits>

const entriesOf = ({ entry }: Unfinished) => (entry ? [entry] : [])

function emit(events: EventSink, [name, event]: EventOf): void {
  events.emit(name, event)
}

function noneIfCorrupt(error: unknown): [] {
  if (!isCorruptRecord(error)) throw error
  return []
}
