import { randomUUID } from 'node:crypto'
import type { ProductSource } from './catalog/definition.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import { periodically } from './catalog/periodically.ts'
import type { Logger } from './host/logger.ts'
import { createCollection } from './store/collection.ts'
import type { Store } from './store/contract.ts'

/** How the processes on one store tell each other that the products have changed. */
export interface CatalogNotice {
  /**
   * Loads the products anew here, and has every other process do the same.
   *
   * @throws {GatehouseError} `ERR_CATALOG` (then nobody is told), `ERR_STORE_UNAVAILABLE` (then the others may
   *   not have been told)
   */
  reload(): Promise<void>
  /**
   * Loads the products anew whenever another process has. To be called before they are loaded for the first
   * time, so that no change in between is missed.
   *
   * @returns a function that ends it
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
}

const CHANNEL = 'catalog'
const RECORD = 'generation'

/**
 * A name for the products as they are now stands in the store, another one after each reload; messages only
 * make it quick, since they may be lost. So each process compares that name with the one that it knows: at each
 * message, when its connection for messages was lost, and once a minute. Products that are no function never
 * change, and cost none of this.
 *
 * @param options.products as the host gave them
 * @param options.lookEveryMs milliseconds between two looks at most
 */
export function createCatalogNotice(options: {
  readonly store: Store
  readonly catalog: LiveCatalog
  readonly products: ProductSource
  readonly logger: Logger
  readonly lookEveryMs?: number | undefined
}): CatalogNotice {
  const { store, catalog, products, logger, lookEveryMs = 60_000 } = options
  const generations = createCollection<{ id: string }>(store, { name: 'catalog', version: 1 })
  /** The generation that the products in force here are at least as new as. */
  let known: string | undefined

  /** Where it fails, the next look tries again, because `known` stays as it was. */
  async function look(): Promise<void> {
    try {
      const id = (await generations.get(RECORD))?.id
      if (id === known) return
      await catalog.reload()
      known = id
    } catch (error) {
      logger.warn({ err: error }, 'products that another process has changed could not be loaded yet')
    }
  }

  async function announce(): Promise<void> {
    const id = randomUUID()
    const before = await generations.read(RECORD)
    const written = before
      ? await generations.replace(RECORD, before, { id })
      : await generations.create(RECORD, { id })
    // Whoever announced in between may have changed the products after they were loaded here: then this name
    // is as new to this process as to all the others.
    if (!written) await generations.set(RECORD, { id })
    else if (before?.record.id === known) known = id
    await store.publish(CHANNEL, id).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'other processes hear of the new products only when they look by themselves',
      )
    })
  }

  return {
    async reload() {
      if (typeof products !== 'function') return
      await catalog.reload()
      await announce()
    },
    async follow() {
      if (typeof products !== 'function') return async () => {}
      const hear = (id: string) => {
        if (id !== known) void look()
      }
      const leave = await store.subscribe(CHANNEL, hear, () => void look())
      try {
        // A start that is tried again may find products from the time before.
        if (catalog.loaded) await look()
        else known = (await generations.get(RECORD))?.id
      } catch (error) {
        await leave()
        throw error
      }
      const stopLooking = periodically(look, lookEveryMs)
      return async () => {
        stopLooking()
        await leave()
      }
    },
  }
}
