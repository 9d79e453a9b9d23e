import { GatehouseError } from '../errors.ts'
import type { Catalog, CurrentCatalog } from './catalog.ts'
import { createCatalog, type CatalogOptions } from './create-catalog.ts'
import type { ProductSource } from './definition.ts'

/** Where the catalog comes from, and who is told about it. */
export interface LiveCatalogOptions extends CatalogOptions {
  /** The products, or a function that loads them. */
  readonly products: ProductSource
  /** A loaded catalog is in force, the first one too. */
  readonly onReloaded?: ((catalog: Catalog) => void) | undefined
  /** Loading failed, or what was loaded is not valid; the catalog that was in force stays. */
  readonly onRefused?: ((error: GatehouseError) => void) | undefined
  /** Milliseconds after which a load counts as failed. */
  readonly loadTimeoutMs: number
}

/** The catalog that is in force now, and how it changes. */
export interface LiveCatalog extends CurrentCatalog {
  /** @throws {GatehouseError} `ERR_NOT_READY` while nothing could be loaded yet */
  readonly current: Catalog
  /** Whether there is a catalog; false only until the first load of products from a function. */
  readonly loaded: boolean
  /**
   * Loads the first catalog, if there is none yet. May be called again after it failed.
   *
   * @throws {GatehouseError} `ERR_CATALOG`
   */
  start(): Promise<void>
  /**
   * Loads the products anew, in this process. Loads follow one another: calls that arrive while one is under
   * way share the next, which begins after them, so that each sees what was written before it was called.
   * Nothing happens where the products are not a function.
   *
   * @throws {GatehouseError} `ERR_CATALOG` with all its problems, or with the failure of the load as `cause`;
   *   the last good catalog stays
   */
  reload(): Promise<void>
}

/**
 * Keeps the catalog in force. Products that are given as an object are there at once.
 *
 * @throws {GatehouseError} `ERR_CATALOG` if given products are not valid
 */
export function createLiveCatalog(options: LiveCatalogOptions): LiveCatalog {
  const { products } = options
  let catalog = typeof products === 'function' ? undefined : createCatalog(products, options)
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  return {
    get current() {
      if (catalog === undefined) {
        throw new GatehouseError(
          'ERR_NOT_READY',
          'the products have not been loaded yet: await gatehouse.ready() first',
        )
      }
      return catalog
    },
    get loaded() {
      return catalog !== undefined
    },
    async start() {
      if (catalog === undefined) await (running ?? reload())
    },
    reload,
  }

  function reload(): Promise<void> {
    if (typeof products !== 'function') return Promise.resolve()
    if (running === undefined) return (running = load(products).finally(() => (running = undefined)))
    // `running` may fail; that is its own callers' matter, and the next one goes ahead.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return reload()
      })
    return next
  }

  async function load(from: () => unknown): Promise<void> {
    try {
      const definitions = await withinTime(from, options.loadTimeoutMs)
      catalog = createCatalog(definitions, options)
    } catch (error) {
      const refusal = isInvalidCatalog(error)
        ? error
        : new GatehouseError('ERR_CATALOG', 'the products could not be loaded', { cause: error })
      options.onRefused?.(refusal)
      throw refusal
    }
    options.onReloaded?.(catalog)
  }
}

function isInvalidCatalog(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_CATALOG'
}

/** A load that never ends would hold up all that come after it. */
async function withinTime(work: () => unknown, milliseconds: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
    timer.unref()
  })
  try {
    return await Promise.race([work(), tooLate])
  } finally {
    clearTimeout(timer)
  }
}
