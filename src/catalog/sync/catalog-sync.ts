import { coalesce } from '../../async/coalesce.ts'
import { periodically } from '../../async/periodically.ts'
import { GatehouseError } from '../../errors.ts'
import { createSyncSteps, type SyncParts } from './sync-steps.ts'
import { PRODUCTS_CHANNEL as CHANNEL } from './catalog-record.ts'
import { isTakenBack } from './revoke-withdrawn-scopes.ts'

/** How the processes on one store agree on what the products give. */
export interface CatalogSync {
  /**
   * Loads the products anew here, and has every other process do the same. Nothing happens where they are no function.
   *
   * @throws {GatehouseError} `ERR_CATALOG` (then nobody is told), `ERR_STORE_UNAVAILABLE` (then the others may
   *   not have been told, and the next look does it)
   */
  reload(): Promise<void>
  /**
   * Loads the products for the first time and says what they give; from then on follows what others say. May be
   * called again after it failed. What was revoked must be known by now.
   *
   * @returns a function that ends it
   * @throws {GatehouseError} `ERR_CATALOG`, `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
  /**
   * Goes by what stands in the store now; not before `follow`.
   *
   * @throws {GatehouseError} `ERR_CATALOG`, `ERR_STORE_UNAVAILABLE`
   */
  catchUp(): Promise<void>
}

/**
 * One record in the store says which product gives which operations. A process changes it when it starts and when it is
 * told to reload, and at no other time: whoever started or reloaded last decides. All others follow: at a message, when
 * their connection for messages was lost, when they hear that what they issue is dead, and once a minute.
 *
 * In force is never more than the record says, and tokens carry the epoch of the record by which they were issued. So
 * what leaves the record takes with it all tokens that can have it: those of an earlier epoch.
 *
 * Two that reload cannot undo each other's change, because what was loaded counts only if nobody has written between the
 * reading of the record, the load after it, and the writing. Nor can those who follow, whose copy of the host's
 * database, or whose program, may be older than that of who wrote.
 *
 * @param parts.onRevoked calls a listener after something was revoked anywhere; returns a function that ends it
 * @param parts.pollIntervalMs milliseconds between two looks at most
 */
export function createCatalogSync(
  parts: Omit<SyncParts, 'notifyOthers'> & {
    readonly onRevoked: (listener: () => void) => () => void
    readonly pollIntervalMs?: number | undefined
  },
): CatalogSync {
  const { store, catalog, products, revocations, logger, pollIntervalMs = 60_000 } = parts
  const syncSteps = createSyncSteps({ ...parts, notifyOthers })
  let hasStarted = false
  /** A reload has not been told yet. */
  let hasPendingReload = false

  const settle = coalesce(async () => {
    const isReload = hasPendingReload
    hasPendingReload = false
    try {
      await (hasStarted && !isReload ? syncSteps.follow() : syncSteps.say(isReload))
      hasStarted = true
    } catch (error) {
      // Products that were rejected are the matter of who asked for the reload.
      const isRejected = error instanceof GatehouseError && error.code === 'ERR_CATALOG'
      hasPendingReload ||= isReload && !isRejected
      throw error
    }
  })

  /** Where it fails, the next look tries again. */
  async function look(): Promise<void> {
    await settle().catch((error: unknown) => {
      logger.warn({ err: error }, 'the products could not be brought into line with other processes yet')
    })
  }

  async function notifyOthers(generation: string): Promise<void> {
    await store.publish(CHANNEL, generation).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'other processes hear of the new products only when they look by themselves',
      )
    })
  }

  /** Whether tokens that are issued here are dead at once, because others have withdrawn what they carry. */
  function isBehind(): boolean {
    if (!catalog.loaded) return false
    const { operations, epoch } = catalog.current
    return isTakenBack(revocations, [...operations.keys()], epoch)
  }

  return {
    catchUp: settle,

    async reload() {
      if (typeof products !== 'function') return
      hasPendingReload = true
      await settle()
    },

    async follow() {
      const hear = (generation: string) => {
        if (generation !== syncSteps.known) void look()
      }
      // Before the products are loaded, so that no change in between is missed.
      const leave = await store.subscribe(CHANNEL, hear, () => void look())
      try {
        await settle()
      } catch (error) {
        await leave()
        throw error
      }
      const stopPolling = periodically(look, pollIntervalMs)
      const stopListening = parts.onRevoked(() => {
        if (isBehind()) void look()
      })
      return async () => {
        stopPolling()
        stopListening()
        await leave()
      }
    },
  }
}
