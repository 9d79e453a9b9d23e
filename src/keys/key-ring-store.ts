// Model: test/proof/models/key-rotation.pml
import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError, hasCode } from '../errors.ts'
import type { Outbox } from '../audit/outbox.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { Store } from '../store/contract.ts'
import type { KeyChange, KeyStep } from './rotation-policy.ts'
import { keyEntries, loadRing, type RingLoaderParts } from './key-ring-loader.ts'
import type { OpenKey, StoredRing } from './key-ring-record.ts'

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

export function createKeyRingStore(parts: KeyRingStoreParts) {
  return {
    parts,
    known: undefined as StoredRing | undefined,
    /** When this process last found at least its current keys in the store, in epoch milliseconds. */
    confirmedAt: Number.NEGATIVE_INFINITY,
    /** Why the last read failed; undefined if it succeeded. */
    failure: undefined as unknown,
    /** An unconfirmed write. If a later read finds its `id`, the write was stored, and `notify` is called. */
    pendingWrite: undefined as { id: string; notify: () => void } | undefined,
    /** The last operation. The next operation waits for it. */
    last: Promise.resolve() as Promise<unknown>,
  }
}

/**
 * `readRing` may create or replace the stored ring. All other changes of the keys are made by `changeRing`.
 */
export type KeyRingStore = ReturnType<typeof createKeyRingStore>

/** Creates the ring if it is missing, and replaces it if the store lost data (`loadRing`). */
export function readRing(ringStore: KeyRingStore): Promise<StoredRing> {
  return exclusively(ringStore, () => read(ringStore))
}

/**
 * Changes the ring by one write. So a crash leaves no partial change, and only one of several processes makes
 * the change. An unchanged ring is written again, because its last write may not have been confirmed as
 * durable. If another process changes the ring before the write, `stepOf` is called again with the keys of
 * that process. Returns whether this process made the change.
 */
export function changeRing(
  ringStore: KeyRingStore,
  stepOf: ChangeKeys,
  options: ChangeOptions = {},
  onWritten: () => Promise<void> = async () => {},
): Promise<boolean> {
  return exclusively(ringStore, () =>
    ringStore.parts.audit.change(
      ringStore.parts.records.key,
      (outbox) => change(ringStore, stepOf, options, onWritten, outbox),
      { isRemoval: true },
    ),
  )
}

/** One after the other, so that the result of an older read never replaces that of a newer read. */
function exclusively<T>(state: KeyRingStore, work: () => Promise<T>): Promise<T> {
  const done = state.last.then(work, work)
  state.last = done.catch(() => {})
  return done
}

async function read(state: KeyRingStore): Promise<StoredRing> {
  const { parts } = state
  try {
    const { ring, changes } = await loadRing(parts, state.known?.keys)
    state.confirmedAt = Date.now()
    state.failure = undefined
    adopt(state, ring)
    if (changes.length > 0) {
      parts.onChanges(changes, undefined)
      if (ring.replaced) parts.onReplaced(ring)
      await notifyProcesses(state, ring.id)
    }
    return ring
  } catch (error) {
    state.failure = error
    const isOtherSecret = hasCode(error, 'ERR_SECRET_MISMATCH')
    if (isOtherSecret && (await areCurrentKeysKnown(state))) state.confirmedAt = Date.now()
    throw error
  }
}

function adopt(state: KeyRingStore, ring: StoredRing): void {
  if (ring.id === state.known?.id) return
  state.known = ring
  state.parts.onAdopted(ring)
  if (state.pendingWrite?.id === ring.id) state.pendingWrite.notify()
  state.pendingWrite = undefined
}

async function change(
  state: KeyRingStore,
  stepOf: ChangeKeys,
  options: ChangeOptions,
  onWritten: () => Promise<void>,
  outbox: Outbox,
): Promise<boolean> {
  const { records, onChanges } = state.parts
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const ring = await read(state)
    const { keys, changes } = stepOf(ring.keys)
    if (keys === ring.keys) {
      if (await records.replace(ring, ring.stored.record)) return false
      continue
    }
    const { audit } = ring.stored.record
    const drafted = await records.draft(keys, ring)
    const draft = outbox.put({ ...drafted, ...(audit && { audit }) }, ...keyEntries(changes, options))
    const notify = () => onChanges(changes, options.actor)
    state.pendingWrite = { id: draft.id, notify }
    const isWritten = await records.replace(ring, draft)
    state.pendingWrite = undefined
    if (!isWritten) outbox.put(undefined)
    if (isWritten) {
      notify()
      // `onWritten` may revoke tokens. So it runs before the read and the notification. If `onWritten` fails, its
      // error is thrown only after the read and the notification.
      const afterWrite = onWritten()
      await afterWrite.catch(() => {})
      await Promise.all([read(state), notifyProcesses(state, draft.id)])
      await afterWrite
      return true
    }
    await delay(Math.random() * Math.min(50, 2 * attempt))
  }
  throw new GatehouseError('ERR_CONFLICT', 'other processes changed the signing keys again and again')
}

/** The ring may be encrypted under a newer secret, so that this process cannot decrypt it. */
async function areCurrentKeysKnown({ parts, known }: KeyRingStore): Promise<boolean> {
  const current = await parts.records.currentKids().catch(() => [])
  const ours = known?.keys.filter(({ state }) => state === 'current').map(({ kid }) => kid)
  return current.length > 0 && current.every((kid) => ours?.includes(kid))
}

async function notifyProcesses({ parts }: KeyRingStore, id: string): Promise<void> {
  await parts.store.publish(KEYS_CHANNEL, id).catch((error: unknown) => {
    parts.logger.warn(
      { err: error },
      'other processes were not notified of the new keys, and see them at their next poll',
    )
  })
}
