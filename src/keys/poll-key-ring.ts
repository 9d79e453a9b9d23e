// Model: test/proof/models/key-rotation.pml
import { periodically } from '../async/periodically.ts'
import { unavailablePause } from '../async/unavailable-pause.ts'
import { isStoreUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { advance, canSign, replenish, missingNext, nextDue, type RotationPolicy } from './rotation-policy.ts'
import { changeRing, KEYS_CHANNEL, readRing, type ChangeKeys, type KeyRingStore } from './key-ring-store.ts'
import { makeKeys, type OpenKey } from './key-ring-record.ts'

export interface RotationParts {
  readonly store: Store
  readonly ringStore: KeyRingStore
  readonly readPolicy: () => Promise<RotationPolicy>
  /** Called with each ring that a poll reads. Resolves with the milliseconds after which to poll again. */
  readonly onPolled: (keys: readonly OpenKey[], policy: RotationPolicy) => Promise<number>
  readonly logger: Logger
  readonly pollIntervalMs: number
  /**
   * A process that activates a `next` key has this many milliseconds to add a new `next` key. After that, another
   * process adds the new key.
   */
  readonly takeOverAfterMs: number
}

/** Milliseconds until the next poll if a poll has read the ring, but has failed after that. */
const RETRY_MS = 2000
const MAX_TIMER_MS = 2 ** 31 - 1

export function createRotation(parts: RotationParts) {
  return {
    parts,
    isFollowing: false,
    isUnavailable: false,
    /** Whether the last poll could read the ring. If it could, and the poll failed, a write failed. */
    hasRead: false,
    running: Promise.resolve(),
    /** The poll that begins after the running poll; undefined if no further poll was requested. */
    queued: undefined as Promise<void> | undefined,
    pollTimer: undefined as NodeJS.Timeout | undefined,
    replenishing: undefined as { readonly timer: NodeJS.Timeout; readonly at: number } | undefined,
  }
}

export type Rotation = ReturnType<typeof createRotation>

/** Polls the ring now, and then whenever a change is due or may have happened. */
export async function followRing(state: Rotation): Promise<() => Promise<void>> {
  const { store, ringStore, pollIntervalMs } = state.parts
  const onMessage = (id: string) => {
    if (id !== ringStore.known?.id) void pollInBackground(state)
  }
  // Subscribe before the keys are loaded, so that no change is missed while they are loaded.
  const unsubscribe = await store.subscribe(KEYS_CHANNEL, onMessage, () => void pollInBackground(state))
  state.isFollowing = true
  const stopPolling = periodically(() => pollInBackground(state), pollIntervalMs)
  const stop = async () => {
    state.isFollowing = false
    stopPolling()
    clearTimeout(state.pollTimer)
    clearTimeout(state.replenishing?.timer)
    await unsubscribe()
  }
  try {
    await pollRing(state)
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

/**
 * Concurrent callers share one poll, which begins after their calls. After a failure another poll follows
 * automatically.
 */
export function pollRing(state: Rotation): Promise<void> {
  state.queued ??= state.running.then(async () => {
    state.queued = undefined
    const done = pollOnce(state)
    state.running = done.catch(() => {})
    await done.catch((error: unknown) => {
      schedulePoll(state, isStoreUnavailable(error) && !state.hasRead ? unavailablePause() : RETRY_MS)
      throw error
    })
  })
  return state.queued
}

/** If the store is unavailable, only the first failure of the outage is logged. */
async function pollInBackground(state: Rotation): Promise<void> {
  if (!state.isFollowing) return
  const wasUnavailable = state.isUnavailable
  state.isUnavailable = false
  await pollRing(state).catch((error: unknown) => {
    state.isUnavailable = isStoreUnavailable(error)
    if (!state.isFollowing || (state.isUnavailable && wasUnavailable)) return
    state.parts.logger.warn({ err: error }, 'the signing keys could not be polled')
  })
}

async function pollOnce(state: Rotation): Promise<void> {
  const { ringStore, readPolicy, onPolled, takeOverAfterMs } = state.parts
  state.hasRead = false
  const ring = await readRing(ringStore)
  const policy = await readPolicy()
  state.hasRead = true
  // Keys are usually generated in the background, because that takes long. The poll waits for new keys only if an
  // algorithm has no key that can sign.
  const fresh = canSign(ring.keys) ? [] : await makeKeys()
  const isOurs = await changeIfDue(state, (keys) => advance(keys, Date.now() / 1000, policy, fresh))
  const keys = ringStore.known?.keys ?? []
  const pollInMs = await onPolled(keys, policy)
  replenishSoon(state, isOurs ? 0 : takeOverAfterMs * (0.5 + Math.random() / 2))
  // Each process adds a random delay. So usually one process makes the change, and the other processes find
  // that it is already made.
  const dueInMs = nextDue(ringStore.known?.keys ?? [], policy) * 1000 - Date.now()
  schedulePoll(state, Math.min(pollInMs, dueInMs + Math.random() * Math.min(10_000, policy.rotateAfter * 20)))
}

async function changeIfDue({ parts }: Rotation, stepOf: ChangeKeys): Promise<boolean> {
  const keys = parts.ringStore.known?.keys ?? []
  return stepOf(keys).keys !== keys && changeRing(parts.ringStore, stepOf)
}

function schedulePoll(state: Rotation, inMs: number): void {
  clearTimeout(state.pollTimer)
  if (!state.isFollowing) return
  state.pollTimer = setTimeout(
    () => void pollInBackground(state),
    Math.min(Math.max(inMs, 20), MAX_TIMER_MS),
  ).unref()
}

/** Generates missing `next` keys in the background, because generating keys takes long. */
export function replenishSoon(state: Rotation, delayMs: number): void {
  if (!state.isFollowing || missingNext(state.parts.ringStore.known?.keys ?? []).length === 0) return
  const at = performance.now() + delayMs
  if (state.replenishing && state.replenishing.at <= at) return
  clearTimeout(state.replenishing?.timer)
  state.replenishing = { at, timer: setTimeout(() => void replenishNow(state), delayMs).unref() }
}

async function replenishNow(state: Rotation): Promise<void> {
  const { ringStore, logger } = state.parts
  try {
    const fresh = await makeKeys(missingNext((await readRing(ringStore)).keys))
    if (state.isFollowing) await changeIfDue(state, (keys) => replenish(keys, Date.now() / 1000, fresh))
  } catch (error) {
    logger.warn({ err: error }, 'the next signing keys could not be generated yet')
  } finally {
    state.replenishing = undefined
  }
  await pollInBackground(state)
}
