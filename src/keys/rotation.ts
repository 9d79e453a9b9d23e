import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { advance, canSign, replenish, lacking, nextDue, type RotationPolicy } from './key-states.ts'
import { CHANNEL, type KeyRingStore } from './key-ring-store.ts'
import { makeKeys, type OpenKey } from './key-ring-record.ts'

/** Has keys change by themselves. */
export interface Rotation {
  /**
   * Reads the ring as it is after this call, and does what is due. Of calls at once one looks.
   *
   * @throws {GatehouseError} what keeps it from doing so; it tries again by itself
   */
  look(): Promise<void>
  /** Looks, and then again whenever something is due or may have changed. @returns a function that ends it */
  follow(): Promise<() => Promise<void>>
  /** Makes what is lacking behind the scenes, as what takes long must hold nothing up. */
  replenishSoon(delayMs: number): void
}

/** Milliseconds after a failure. */
const TRY_AGAIN = 2000
/** Milliseconds that a timer can wait. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * @param parts.readPolicy when keys change, as things are now
 * @param parts.onSeen does what a ring demands of each process that sees it; answers after how many milliseconds to
 *   look again
 * @param parts.pollIntervalMs milliseconds between two looks at most
 * @param parts.patienceMs milliseconds that the process which has used up a next key has to make another one,
 *   before the others do
 */
export function createRotation(parts: {
  readonly store: Store
  readonly keeper: KeyRingStore
  readonly readPolicy: () => Promise<RotationPolicy>
  readonly onSeen: (keys: readonly OpenKey[], policy: RotationPolicy) => Promise<number>
  readonly logger: Logger
  readonly pollIntervalMs: number
  readonly patienceMs: number
}): Rotation {
  const { store, keeper, logger, pollIntervalMs, patienceMs } = parts
  let isFollowing = false
  /** The look that is under way, or was the last one. */
  let running: Promise<void> = Promise.resolve()
  /** The one that begins after it. */
  let queued: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let filling: { timer: NodeJS.Timeout; at: number } | undefined

  async function pollOnce(): Promise<void> {
    const ring = await keeper.read()
    const policy = await parts.readPolicy()
    // At once only where nothing could sign otherwise.
    const fresh = canSign(ring.keys) ? [] : await makeKeys()
    const isOurs = await changeIfDue((keys) => advance(keys, Date.now() / 1000, policy, fresh))
    const again = await parts.onSeen(keeper.known?.keys ?? [], policy)
    replenishSoon(isOurs ? 0 : patienceMs * (0.5 + Math.random() / 2))
    wakeWhenDue(policy, again)
  }

  async function changeIfDue(stepOf: Parameters<KeyRingStore['change']>[0]): Promise<boolean> {
    const keys = keeper.known?.keys ?? []
    return stepOf(keys).keys !== keys && keeper.change(stepOf)
  }

  function look(): Promise<void> {
    queued ??= running.then(async () => {
      queued = undefined
      const done = pollOnce()
      running = done.catch(() => {})
      await done.catch((error: unknown) => {
        wake(TRY_AGAIN)
        throw error
      })
    })
    return queued
  }

  /** Its failure is logged, and it tries again. */
  async function pollInBackground(): Promise<void> {
    if (!isFollowing) return
    await look().catch((error: unknown) => {
      if (isFollowing) logger.warn({ err: error }, 'the signing keys could not be looked at')
    })
  }

  function wake(inMs: number): void {
    clearTimeout(timer)
    if (!isFollowing) return
    timer = setTimeout(() => void pollInBackground(), Math.min(Math.max(inMs, 20), LONGEST_TIMER))
    timer.unref()
  }

  /** Not all processes at once, so that mostly one finds something to do. */
  function wakeWhenDue(policy: RotationPolicy, orIn: number): void {
    const dueIn = nextDue(keeper.known?.keys ?? [], policy) * 1000 - Date.now()
    wake(Math.min(orIn, dueIn + Math.random() * Math.min(10_000, policy.rotateAfter * 20)))
  }

  function replenishSoon(delayMs: number): void {
    if (!isFollowing || lacking(keeper.known?.keys ?? []).length === 0) return
    const at = performance.now() + delayMs
    if (filling && filling.at <= at) return
    clearTimeout(filling?.timer)
    filling = { at, timer: setTimeout(() => void replenishNow(), delayMs).unref() }
  }

  async function replenishNow(): Promise<void> {
    try {
      const fresh = await makeKeys(lacking((await keeper.read()).keys))
      if (isFollowing) await changeIfDue((keys) => replenish(keys, Date.now() / 1000, fresh))
    } catch (error) {
      logger.warn({ err: error }, 'the next signing keys could not be made yet')
    } finally {
      filling = undefined
    }
    await pollInBackground()
  }

  return {
    look,
    replenishSoon,
    async follow() {
      const hear = (id: string) => {
        if (id !== keeper.known?.id) void pollInBackground()
      }
      // Before they are loaded, so that no change in between is missed.
      const leave = await store.subscribe(CHANNEL, hear, () => void pollInBackground())
      isFollowing = true
      const stopPolling = periodically(pollInBackground, pollIntervalMs)
      const end = async () => {
        isFollowing = false
        stopPolling()
        clearTimeout(timer)
        clearTimeout(filling?.timer)
        await leave()
      }
      try {
        await look()
      } catch (error) {
        await end()
        throw error
      }
      return end
    },
  }
}
