// Model: test/proof/models/key-rotation.pml
import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError, hasCode } from '../errors.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { Store } from '../store/contract.ts'
import type { KeyChange, KeyStep } from './rotation-policy.ts'
import { keyEntries, loadRing, type RingLoaderParts } from './key-ring-loader.ts'
import type { KeyRingRecord, OpenKey, StoredRing } from './key-ring-record.ts'

export type ChangeKeys = (keys: readonly OpenKey[]) => KeyStep<OpenKey>

export interface KeyRingStoreParts extends RingLoaderParts {
  readonly store: Store
  /** Called with each ring that this process did not know, before `onChanges` and `onReplaced`. */
  readonly onAdopted: (ring: StoredRing) => void
  /** Called once for each write of this process that changed keys. */
  readonly onChanges: (changes: readonly KeyChange[], actor: string | undefined) => void
  /** Called with the new ring, in which the keys of the old ring are revoked. */
  readonly onReplaced: (ring: StoredRing) => void
}

/** The messages on this channel are the ids of new rings. */
export const KEYS_CHANNEL = 'signing-keys'

const MAX_ATTEMPTS = 100

/** Reads and changes the stored ring, one operation after the other. */
export function createKeyRingStore(parts: KeyRingStoreParts) {
  const { store, records, commits, logger, onAdopted, onChanges, onReplaced } = parts
  let known: StoredRing | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  /** An unconfirmed write. If a later read finds its `id`, the write was stored, and `notify` is called. */
  let pendingWrite: { readonly id: string; notify(): void } | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other, so that the result of an older read never replaces that of a newer read. */
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work)
    last = done.catch(() => {})
    return done
  }

  async function read(): Promise<StoredRing> {
    try {
      const { ring, changes } = await loadRing(parts, known?.keys)
      confirmedAt = Date.now()
      failure = undefined
      adopt(ring)
      if (changes.length > 0) {
        onChanges(changes, undefined)
        if (ring.replaced) onReplaced(ring)
        await notifyProcesses(ring.id)
      }
      return ring
    } catch (error) {
      failure = error
      const isOtherSecret = hasCode(error, 'ERR_SECRET_MISMATCH')
      if (isOtherSecret && (await areCurrentKeysKnown())) confirmedAt = Date.now()
      throw error
    }
  }

  function adopt(ring: StoredRing): void {
    if (ring.id === known?.id) return
    known = ring
    onAdopted(ring)
    if (pendingWrite?.id === ring.id) pendingWrite.notify()
    pendingWrite = undefined
  }

  async function change(stepOf: ChangeKeys, options: ChangeOptions, onWritten: () => Promise<void>) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const ring = await read()
      const { keys, changes } = stepOf(ring.keys)
      const earlier = ring.stored.record.audit
      const drafted = keys === ring.keys ? undefined : await records.draft(keys, ring)
      const draft = drafted && { ...drafted, ...(earlier && { audit: earlier }) }
      const notify = () => onChanges(changes, options.actor)
      if (draft) pendingWrite = { id: draft.id, notify }
      const record = records.asRead(ring)
      const { stored, isChanged } = await commits.commit<KeyRingRecord>({
        record: {
          ...record,
          async change(write, ready) {
            const made = await record.change(write, ready)
            pendingWrite = undefined
            return { ...made, beside: made.stored && draft && written(draft.id, notify, onWritten) }
          },
        },
        write: () => draft,
        entry: () => keyEntries(changes, options),
        isRemoval: true,
      })
      if (stored) return isChanged
      await delay(Math.random() * Math.min(50, 2 * attempt))
    }
    throw new GatehouseError('ERR_CONFLICT', 'other processes changed the signing keys again and again')
  }

  /** `onWritten` may revoke tokens, so it runs first, and its error is thrown last. */
  async function written(id: string, notify: () => void, onWritten: () => Promise<void>): Promise<void> {
    notify()
    const afterWrite = onWritten()
    await afterWrite.catch(() => {})
    await Promise.all([read(), notifyProcesses(id)])
    await afterWrite
  }

  /** The ring may be encrypted under a newer secret, so that this process cannot decrypt it. */
  async function areCurrentKeysKnown(): Promise<boolean> {
    const current = await records.currentKids().catch(() => [])
    const ours = known?.keys.filter(({ state }) => state === 'current').map(({ kid }) => kid)
    return current.length > 0 && current.every((kid) => ours?.includes(kid))
  }

  async function notifyProcesses(id: string): Promise<void> {
    await store.publish(KEYS_CHANNEL, id).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'other processes were not notified of the new keys, and see them at their next poll',
      )
    })
  }

  return {
    get known(): StoredRing | undefined {
      return known
    },
    /** When this process last found at least its current keys in the store, in epoch milliseconds. */
    get confirmedAt(): number {
      return confirmedAt
    },
    /** Why the last read failed; undefined if it succeeded. */
    get failure(): unknown {
      return failure
    },
    /** Creates the ring if it is missing, and replaces it if the store lost data (`loadRing`). */
    read: () => exclusively(read),
    /**
     * Changes the ring by one write, so that a crash leaves no partial change, and only one process makes it. An
     * unchanged ring is written again, because its last write may not have been confirmed as durable. `stepOf` may be
     * called several times. Returns whether this process made the change.
     */
    change: (
      stepOf: ChangeKeys,
      options: ChangeOptions = {},
      onWritten: () => Promise<void> = async () => {},
    ): Promise<boolean> => exclusively(() => change(stepOf, options, onWritten)),
  }
}

export type KeyRingStore = ReturnType<typeof createKeyRingStore>
