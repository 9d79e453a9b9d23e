import { GatehouseError, hasCode } from '../errors.ts'
import type { Catalog, Product, RouteClaim } from './catalog.ts'
import { createCatalog } from './create-catalog.ts'
import type { ProductSource } from './definition.ts'
import { isSameAs, productScopesOf, scopesOf, type ProductScopes } from './product-scopes.ts'
import { coalesce } from '../async/coalesce.ts'
import { withTimeout } from '../async/with-timeout.ts'
import type { CatalogOptions } from './product-definitions-rule.ts'

/** The default and the maximum of the option `productsRefreshSeconds` of a gateway in another process. */
export const REFRESH_SECONDS = { byDefault: 60, max: 86_400 }

const LOAD_TIMEOUT_MS = 30_000

export interface LiveCatalogOptions extends CatalogOptions {
  readonly products: ProductSource
  /** Called when a load fails or its result is not valid; the active catalog then stays active. */
  readonly onRejected?: ((error: GatehouseError) => void) | undefined
}

export interface Restriction {
  readonly products: ProductScopes
  readonly epoch: number
}

/** Keeps the active catalog, after a failed load the last valid one. An object is active at once, or throws. */
export function createLiveCatalog(options: LiveCatalogOptions) {
  const { products } = options
  let loaded: Catalog | undefined
  let loadedScopes: ProductScopes = {}
  let rejection: GatehouseError | undefined
  let restriction: Restriction | undefined
  let current: Catalog | undefined

  const reload = coalesce(async () => {
    if (typeof products === 'function') await load(products)
  })
  if (typeof products !== 'function') use(createCatalog(products, options))

  return {
    /** @throws {GatehouseError} `ERR_NOT_READY` before the first successful load */
    get current(): Catalog {
      if (current) return current
      const message = 'the products have not been loaded yet: await gatehouse.ready() first'
      throw new GatehouseError('ERR_NOT_READY', message)
    },
    /** False only until a function has loaded the products for the first time. */
    get loaded(): boolean {
      return current !== undefined
    },
    /** The scopes of all loaded products, active or not; none before the first successful load. */
    get loadedScopes(): ProductScopes {
      return loadedScopes
    },
    /** The error of the last load; undefined if that load succeeded, or if there was no load yet. */
    get rejection(): GatehouseError | undefined {
      return rejection
    },
    /**
     * Does nothing if the products are not a function. @throws {GatehouseError} `ERR_CATALOG` or `ERR_OPTIONS` with
     * their problems, or `ERR_CATALOG` with the failure of the load as `cause`; the last valid catalog stays active
     */
    reload,
    /** Restricts the active catalog to the given part, now and after each load. */
    restrict(to: Restriction): void {
      const isNew = to.epoch !== restriction?.epoch || !isSameAs(to.products, restriction.products)
      restriction = to
      if (isNew) restrict()
    },
  }

  function use(catalog: Catalog): void {
    loaded = catalog
    loadedScopes = productScopesOf(catalog)
    restrict()
  }

  function restrict(): void {
    current =
      loaded && restriction ? restrictCatalog(loaded, restriction.products, restriction.epoch) : loaded
  }

  async function load(from: () => unknown): Promise<void> {
    try {
      // A load that never ends would block all later loads, so each load has a timeout.
      const definitions = await withTimeout(LOAD_TIMEOUT_MS, from, {
        error: () => new Error(`no answer within ${LOAD_TIMEOUT_MS} ms`),
        keepsAlive: false,
      })
      use(createCatalog(definitions, options))
      rejection = undefined
    } catch (error) {
      rejection = hasCode(error, 'ERR_CATALOG', 'ERR_OPTIONS')
        ? error
        : new GatehouseError('ERR_CATALOG', 'the products could not be loaded', { cause: error })
      options.onRejected?.(rejection)
      throw rejection
    }
  }
}

export type LiveCatalog = ReturnType<typeof createLiveCatalog>

/** The lookups of a gateway, each in the catalog that is active at the time of the call. */
export function catalogLookups(
  catalog: Pick<LiveCatalog, 'current' | 'loaded'>,
  metadataScopes?: readonly string[],
) {
  return {
    findScope: (method: string, path: string) => catalog.current.findOperation(method, path)?.scope,
    /** All routes that any router would match to a request; none while there is no catalog yet. */
    findClaims: (method: string, path: string): readonly RouteClaim[] =>
      catalog.loaded ? catalog.current.findClaims(method, path) : [],
    /** True for every scope while there is no catalog yet. */
    isKnownScope: (scope: string) => !catalog.loaded || catalog.current.operations.has(scope),
    listScopes: () =>
      catalog.loaded
        ? [...catalog.current.operations.keys()].filter((scope) => metadataScopes?.includes(scope) !== false)
        : [],
  }
}

/** If the best match is outside, a request finds none: the router runs its handler, and not a less specific one. */
export function restrictCatalog(catalog: Catalog, to: ProductScopes, epoch: number): Catalog {
  const products = new Map<string, Product>()
  const scopes = new Set<string>()
  for (const [id, product] of catalog.products) {
    const allowed = new Set(scopesOf(to, id))
    const operations = product.operations.filter(({ scope }) => allowed.has(scope))
    for (const { scope } of operations) scopes.add(scope)
    if (operations.length > 0) {
      products.set(id, Object.freeze({ ...product, operations: Object.freeze(operations) }))
    }
  }
  const operations = new Map([...catalog.operations].filter(([scope]) => scopes.has(scope)))

  return Object.freeze({
    products,
    operations,
    kycLevels: catalog.kycLevels,
    epoch,
    findOperation(method: string, path: string) {
      const operation = catalog.findOperation(method, path)
      return operation && scopes.has(operation.scope) ? operation : undefined
    },
    findClaims: catalog.findClaims,
  })
}
