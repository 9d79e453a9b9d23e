import { coalesce } from '../../async/coalesce.ts'
import { periodically } from '../../async/periodically.ts'
import { unavailablePause } from '../../async/unavailable-pause.ts'
import { hasCode, isStoreUnavailable } from '../../errors.ts'
import { CATALOG_CHANNEL } from './catalog-record.ts'
import { createSyncState, publish, pull, type SyncParts } from './sync-steps.ts'

const ALONE =
  'the record of the products is corrupt: this process uses its own products, and does not synchronize them with other processes'

/**
 * Synchronizes the catalog between the processes on one store: the last write wins.
 *
 * One record in the store holds the operations of each product. A process writes it when the process starts, and when
 * its host calls `reload`. All other processes adopt it when they are notified, when they notice that their new tokens
 * would be revoked, when the store answers again, and at the latest after `pollIntervalMs`.
 *
 * A process never activates an operation that the record does not have. Its tokens carry the epoch of the record. The
 * removal of an operation raises the epoch, and revokes each token that carries the operation and a lower epoch.
 *
 * The last write wins, but no reload starts from outdated products: a process writes the record only if no other
 * process has changed it since it was read, before the products were loaded. Otherwise the process begins again.
 * If the record is corrupt, a new process starts with its own products, until an operator restores or deletes it.
 * @param parts.onRevoked calls a listener after each revocation in any process; returns a function that unsubscribes
 */
export function createCatalogSync(
  parts: SyncParts & {
    readonly onRevoked: (listener: () => void) => () => void
    readonly pollIntervalMs?: number | undefined
  },
) {
  const { store, products, logger, pollIntervalMs = 60_000 } = parts
  const state = createSyncState(parts)
  let isFollowing = false
  /** Whether the last poll failed because the store was unavailable. */
  let isUnavailable = false
  let retry: NodeJS.Timeout | undefined

  const synchronize = coalesce(() => synchronizeOnce(state))

  /** Only the first failure of an outage is logged. */
  async function poll(): Promise<void> {
    clearTimeout(retry)
    const wasUnavailable = isUnavailable
    isUnavailable = false
    try {
      await synchronize()
    } catch (error) {
      if (!isFollowing) return
      isUnavailable = isStoreUnavailable(error)
      clearTimeout(retry)
      // Each attempt of a pending reload loads the products, so a pending reload is not retried after a short pause.
      const isOnlyUnread = !state.hasRead && !state.hasPendingReload
      if (isUnavailable && isOnlyUnread) retry = setTimeout(() => void poll(), unavailablePause()).unref()
      if (isUnavailable && wasUnavailable) return
      logger.warn({ err: error }, 'the products could not be synchronized with other processes yet')
    }
  }

  return {
    /** Call this only after `start`. */
    synchronize,

    /**
     * Makes all processes load the products again, if they are a function. @throws {GatehouseError} `ERR_CATALOG` or
     * `ERR_OPTIONS`: the others are not notified. `ERR_STORE_UNAVAILABLE`: if they were not notified, the next poll
     * notifies them
     */
    async reload(): Promise<void> {
      if (typeof products !== 'function') return
      state.hasPendingReload = true
      await synchronize()
    },

    /** Loads and publishes the products, then adopts records of others. Load the revocations first. May be repeated. */
    async start(): Promise<() => Promise<void>> {
      const onMessage = (version: string) => {
        if (version !== state.version) void poll()
      }
      // Subscribe before the products are loaded, so that no change is missed while they are loaded.
      const unsubscribe = await store.subscribe(CATALOG_CHANNEL, onMessage, () => void poll())
      try {
        await synchronize()
      } catch (error) {
        if (!state.isAlone) {
          await unsubscribe()
          throw error
        }
        logger.error({ err: error }, ALONE)
      }
      isFollowing = true
      const stopPolling = periodically(poll, pollIntervalMs)
      const stopListening = parts.onRevoked(() => {
        if (isBehind(parts)) void poll()
      })
      return async () => {
        isFollowing = false
        clearTimeout(retry)
        stopPolling()
        stopListening()
        await unsubscribe()
      }
    },
  }
}

/** Another process may have withdrawn a scope: new tokens of this process would then be revoked at once. */
function isBehind({ catalog, revocations }: Pick<SyncParts, 'catalog' | 'revocations'>): boolean {
  if (!catalog.loaded) return false
  const { operations, epoch } = catalog.current
  return [...operations.keys()].some((scope) => revocations.isScopeRevoked(scope, epoch))
}

async function synchronizeOnce(state: ReturnType<typeof createSyncState>): Promise<void> {
  const isReload = state.hasPendingReload
  state.hasPendingReload = false
  state.hasRead = false
  try {
    await (state.hasPublished && !isReload ? pull(state) : publish(state, isReload))
  } catch (error) {
    // Invalid products are not loaded again by a poll: the host corrects them, and calls `reload` again.
    state.hasPendingReload ||= isReload && !hasCode(error, 'ERR_CATALOG', 'ERR_OPTIONS')
    throw error
  }
}
