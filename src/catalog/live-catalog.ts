import { GatehouseError } from '../errors.ts'
import type { Catalog, CurrentCatalog } from './catalog.ts'
import { createCatalog, type CatalogOptions } from './create-catalog.ts'
import type { ProductSource } from './definition.ts'
import { productScopesOf, isSameAs, type ProductScopes } from './product-scopes.ts'
import { coalesce } from '../async/coalesce.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { restrictCatalog } from './restrict-catalog.ts'

/** Where the catalog comes from, and who is told about it. */
export interface LiveCatalogOptions extends CatalogOptions {
  /** The products, or a function that loads them. */
  readonly products: ProductSource
  /** Loading failed, or what was loaded is not valid; the catalog that was in force stays. */
  readonly onRejected?: ((error: GatehouseError) => void) | undefined
  /** Milliseconds after which a load counts as failed. */
  readonly loadTimeoutMs: number
}

/** What of a catalog may be in force. */
export interface Restriction {
  readonly products: ProductScopes
  /** The epoch of what is in force. */
  readonly epoch: number
}

/** The catalog that is in force now, and how it changes. */
export interface LiveCatalog extends CurrentCatalog {
  /** @throws {GatehouseError} `ERR_NOT_READY` while nothing could be loaded yet */
  readonly current: Catalog
  /** Whether there is a catalog; false only until the first load of products from a function. */
  readonly loaded: boolean
  /** What the products give by themselves, in force or not; nothing while nothing could be loaded yet. */
  readonly given: ProductScopes
  /** Why the last load was refused; undefined where it was not, or nothing was loaded. */
  readonly rejection: GatehouseError | undefined
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
  /** Keeps what is in force, now and after each load, within what may be. Without a call all is in force. */
  restrict(to: Restriction): void
}

/**
 * Keeps the catalog in force. Products that are given as an object are there at once.
 *
 * @throws {GatehouseError} `ERR_CATALOG` if given products are not valid
 */
export function createLiveCatalog(options: LiveCatalogOptions): LiveCatalog {
  const { products, loadTimeoutMs } = options
  let loaded: Catalog | undefined
  let given: ProductScopes = {}
  let rejection: GatehouseError | undefined
  let restriction: Restriction | undefined
  let current: Catalog | undefined
  let starting: Promise<void> | undefined

  const reload = coalesce(async () => {
    if (typeof products === 'function') await load(products)
  })
  if (typeof products !== 'function') use(createCatalog(products, options))

  return {
    get current() {
      if (current === undefined) {
        throw new GatehouseError(
          'ERR_NOT_READY',
          'the products have not been loaded yet: await gatehouse.ready() first',
        )
      }
      return current
    },
    get loaded() {
      return current !== undefined
    },
    get given() {
      return given
    },
    get rejection() {
      return rejection
    },
    async start() {
      if (current !== undefined) return
      await (starting ??= reload().finally(() => (starting = undefined)))
    },
    reload,
    restrict(to) {
      const isNew = to.epoch !== restriction?.epoch || !isSameAs(to.products, restriction.products)
      restriction = to
      if (isNew) restrict()
    },
  }

  function use(catalog: Catalog): void {
    loaded = catalog
    given = productScopesOf(catalog)
    restrict()
  }

  function restrict(): void {
    current =
      loaded && restriction ? restrictCatalog(loaded, restriction.products, restriction.epoch) : loaded
  }

  async function load(from: () => unknown): Promise<void> {
    try {
      // One that never ends would hold up all that come after it.
      const definitions = await withTimeout(loadTimeoutMs, from, {
        error: () => new Error(`no answer within ${loadTimeoutMs} ms`),
        keepsAlive: false,
      })
      use(createCatalog(definitions, options))
      rejection = undefined
    } catch (error) {
      rejection = isInvalidCatalog(error)
        ? error
        : new GatehouseError('ERR_CATALOG', 'the products could not be loaded', { cause: error })
      options.onRejected?.(rejection)
      throw rejection
    }
  }
}

function isInvalidCatalog(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.code === 'ERR_CATALOG'
}
