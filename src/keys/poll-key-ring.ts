// Model: test/proof/models/key-rotation.pml
import { periodically } from '../async/periodically.ts'
import { unavailablePause } from '../async/unavailable-pause.ts'
import { isStoreUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { advance, canSign, replenish, missingNext, nextDue, type RotationPolicy } from './rotation-policy.ts'
import { KEYS_CHANNEL, type ChangeKeys, type KeyRingStore } from './key-ring-store.ts'
import { makeKeys, type OpenKey } from './key-ring-record.ts'

interface RotationParts {
  readonly store: Store
  readonly ringStore: KeyRingStore
  readonly readPolicy: () => Promise<RotationPolicy>
  /** Called with each ring that a poll reads. Resolves with the milliseconds after which to poll again. */
  readonly onPolled: (keys: readonly OpenKey[], policy: RotationPolicy) => Promise<number>
  readonly logger: Logger
  readonly pollIntervalMs: number
  /** A process that activates a `next` key has so many milliseconds to add a new one, before another process does. */
  readonly takeOverAfterMs: number
}

/** Milliseconds until the next poll if a poll has read the ring, but has failed after that. */
const RETRY_MS = 2000
const MAX_TIMER_MS = 2 ** 31 - 1

/** Polls the ring, and makes the changes that are due. */
export function createRotation(parts: RotationParts) {
  const { store, ringStore, readPolicy, onPolled, logger, pollIntervalMs, takeOverAfterMs } = parts
  let isFollowing = false
  let isUnavailable = false
  /** Whether the last poll could read the ring. If it could, and the poll failed, a write failed. */
  let hasRead = false
  let running = Promise.resolve()
  /** The poll that begins after the running poll; undefined if no further poll was requested. */
  let queued: Promise<void> | undefined
  let pollTimer: NodeJS.Timeout | undefined
  let replenishing: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined

  const knownKeys = () => ringStore.known?.keys ?? []

  /** Concurrent callers share one poll, which begins after their calls. After a failure another poll follows. */
  function poll(): Promise<void> {
    queued ??= running.then(async () => {
      queued = undefined
      const done = pollOnce()
      running = done.catch(() => {})
      await done.catch((error: unknown) => {
        schedulePoll(isStoreUnavailable(error) && !hasRead ? unavailablePause() : RETRY_MS)
        throw error
      })
    })
    return queued
  }

  /** If the store is unavailable, only the first failure of the outage is logged. */
  async function pollInBackground(): Promise<void> {
    if (!isFollowing) return
    const wasUnavailable = isUnavailable
    isUnavailable = false
    await poll().catch((error: unknown) => {
      isUnavailable = isStoreUnavailable(error)
      if (!isFollowing || (isUnavailable && wasUnavailable)) return
      logger.warn({ err: error }, 'the signing keys could not be polled')
    })
  }

  async function pollOnce(): Promise<void> {
    hasRead = false
    const ring = await ringStore.read()
    const policy = await readPolicy()
    hasRead = true
    // Usually, keys are generated in the background. The poll waits only if an algorithm has no key that can sign.
    const fresh = canSign(ring.keys) ? [] : await makeKeys()
    const isOurs = await changeIfDue((keys) => advance(keys, Date.now() / 1000, policy, fresh))
    const pollInMs = await onPolled(knownKeys(), policy)
    replenishSoon(isOurs ? 0 : takeOverAfterMs * (0.5 + Math.random() / 2))
    // With a random delay, usually one process makes the change, and the others find that it is already made.
    const dueInMs = nextDue(knownKeys(), policy) * 1000 - Date.now()
    schedulePoll(Math.min(pollInMs, dueInMs + Math.random() * Math.min(10_000, policy.rotateAfter * 20)))
  }

  async function changeIfDue(stepOf: ChangeKeys): Promise<boolean> {
    const keys = knownKeys()
    return stepOf(keys).keys !== keys && ringStore.change(stepOf)
  }

  function schedulePoll(inMs: number): void {
    clearTimeout(pollTimer)
    if (!isFollowing) return
    const ms = Math.min(Math.max(inMs, 20), MAX_TIMER_MS)
    pollTimer = setTimeout(() => void pollInBackground(), ms).unref()
  }

  /** Generates missing `next` keys in the background, because generating keys takes long. */
  function replenishSoon(delayMs: number): void {
    if (!isFollowing || missingNext(knownKeys()).length === 0) return
    const at = performance.now() + delayMs
    if (replenishing && replenishing.at <= at) return
    clearTimeout(replenishing?.timer)
    replenishing = { at, timer: setTimeout(() => void replenishNow(), delayMs).unref() }
  }

  async function replenishNow(): Promise<void> {
    try {
      const fresh = await makeKeys(missingNext((await ringStore.read()).keys))
      if (isFollowing) await changeIfDue((keys) => replenish(keys, Date.now() / 1000, fresh))
    } catch (error) {
      logger.warn({ err: error }, 'the next signing keys could not be generated yet')
    } finally {
      replenishing = undefined
    }
    await pollInBackground()
  }

  return {
    poll,
    replenishSoon,
    /** Polls the ring now, and then whenever a change is due or may have happened. */
    async follow(): Promise<() => Promise<void>> {
      const onMessage = (id: string) => {
        if (id !== ringStore.known?.id) void pollInBackground()
      }
      // Subscribe before the keys are loaded, so that no change is missed while they are loaded.
      const unsubscribe = await store.subscribe(KEYS_CHANNEL, onMessage, () => void pollInBackground())
      isFollowing = true
      const stopPolling = periodically(pollInBackground, pollIntervalMs)
      const stop = async () => {
        isFollowing = false
        stopPolling()
        clearTimeout(pollTimer)
        clearTimeout(replenishing?.timer)
        await unsubscribe()
      }
      try {
        await poll()
      } catch (error) {
        await stop()
        throw error
      }
      return stop
    },
  }
}
