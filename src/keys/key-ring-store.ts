import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { KeyChange, KeyStep } from './key-states.ts'
import { createRingLoader, type LogMarks } from './key-ring-loader.ts'
import type { OpenKey, KeyRingRecords, StoredRing } from './key-ring-record.ts'

/** The ring as this process knows it, and the way to change it. */
export interface KeyRingStore {
  /** The ring that was read last. */
  readonly known: StoredRing | undefined
  /** Milliseconds since the epoch at which it was certain that it, or what signs of it, is in force. */
  readonly confirmedAt: number
  /** Why the last reading failed; undefined where it did not. */
  readonly failure: unknown
  /**
   * Reads the ring; makes one if there is none, and another one if the store has lost data (`createRingLoader`).
   *
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, `ERR_STORE_UNAVAILABLE`
   */
  read(): Promise<StoredRing>
  /**
   * Changes the ring by one write, so that a crash leaves nothing behind and of several processes one does it. Where
   * nothing is to be changed it is written as it is: whoever changed it may not have been told that it is safe.
   *
   * @param stepOf what is to be done; asked again with what somebody else wrote meanwhile
   * @param actor who asked for it
   * @param onWritten what is to be done as soon as it is written
   * @returns whether this process has changed it
   */
  change(
    stepOf: (keys: readonly OpenKey[]) => KeyStep<OpenKey>,
    actor?: string,
    onWritten?: () => Promise<void>,
  ): Promise<boolean>
}

/** Where processes tell each other the id of a new ring. */
export const CHANNEL = 'signing-keys'

/** Attempts before a change gives up; far beyond any number of processes. */
const MAX_ATTEMPTS = 100

/**
 * @param parts.onAdopted told of another ring, before anybody else is
 * @param parts.onChanges told of what this process has done, once
 * @param parts.onReplaced told that this process has replaced a ring, whose keys are revoked in the new one
 */
export function createKeyRingStore(parts: {
  readonly store: Store
  readonly records: KeyRingRecords
  readonly marks: LogMarks
  readonly logger: Logger
  readonly onAdopted: (ring: StoredRing) => void
  readonly onChanges: (changes: readonly KeyChange[], actor: string | undefined) => void
  readonly onReplaced: (ring: StoredRing) => void
}): KeyRingStore {
  const { store, records, logger, onAdopted, onChanges } = parts
  const load = createRingLoader(parts)
  let known: StoredRing | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  /** What was written without an answer. */
  let attempted: { id: string; tell: () => void } | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other, so that what was read later is never overtaken by what was read before. */
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work)
    last = done.catch(() => {})
    return done
  }

  async function read(): Promise<StoredRing> {
    try {
      const { ring, changes } = await load(known?.keys)
      confirmedAt = Date.now()
      failure = undefined
      adopt(ring)
      if (changes.length > 0) await created(ring, changes)
      return ring
    } catch (error) {
      failure = error
      if (isSecret(error) && (await areSigningStill())) confirmedAt = Date.now()
      throw error
    }
  }

  function adopt(ring: StoredRing): void {
    if (ring.id === known?.id) return
    known = ring
    onAdopted(ring)
    if (attempted?.id === ring.id) attempted.tell()
    attempted = undefined
  }

  async function created(ring: StoredRing, changes: readonly KeyChange[]): Promise<void> {
    onChanges(changes, undefined)
    if (ring.replaced) parts.onReplaced(ring)
    await announce(ring.id)
  }

  /** While one secret replaces another, keys may be sealed under one that this process does not have. */
  async function areSigningStill(): Promise<boolean> {
    const signing = await records.signing().catch(() => [])
    const ours = known?.keys.filter(({ state }) => state === 'current').map(({ kid }) => kid)
    return signing.length > 0 && signing.every((kid) => ours?.includes(kid))
  }

  async function announce(id: string): Promise<void> {
    await store.publish(CHANNEL, id).catch((error: unknown) => {
      logger.warn({ err: error }, 'other processes hear of the new keys only when they look by themselves')
    })
  }

  return {
    get known() {
      return known
    },
    get confirmedAt() {
      return confirmedAt
    },
    get failure() {
      return failure
    },
    read: () => exclusively(read),

    change: (stepOf, actor, onWritten = async () => {}) =>
      exclusively(async () => {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
          const ring = await read()
          const { keys, changes } = stepOf(ring.keys)
          if (keys === ring.keys) {
            if (await records.replace(ring, { id: ring.id, record: ring.stored.record })) return false
            continue
          }
          const draft = await records.draft(keys, ring)
          const tell = () => onChanges(changes, actor)
          attempted = { id: draft.id, tell }
          const isWritten = await records.replace(ring, draft)
          attempted = undefined
          if (isWritten) {
            tell()
            // Somebody may wait for what it demands; the rest is done whatever becomes of that.
            const demanded = onWritten()
            await demanded.catch(() => {})
            await Promise.all([read(), announce(draft.id)])
            await demanded
            return true
          }
          await delay(Math.random() * Math.min(50, 2 * attempt))
        }
        throw new GatehouseError('ERR_CONFLICT', 'the signing keys were changed by others again and again')
      }),
  }
}

function isSecret(error: unknown): boolean {
  return error instanceof GatehouseError && error.code === 'ERR_SECRET_MISMATCH'
}
