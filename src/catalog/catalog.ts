import type { HttpMethod, LocalizedText } from './definition.ts'

/** One API operation. The same operation may belong to several products. */
export interface Operation {
  /** The identity of the operation, and the value in a token (RFC 6749 3.3). */
  readonly scope: string
  /** Empty if no method and path name the operation. */
  readonly routes: readonly { readonly method: HttpMethod; readonly path: string }[]
  readonly title: LocalizedText
  readonly description?: LocalizedText | undefined
  readonly kycLevel?: string | undefined
  readonly sensitive: boolean
}

export interface Product {
  readonly id: string
  readonly title: LocalizedText
  readonly description?: LocalizedText | undefined
  readonly operations: readonly Operation[]
}

/** A route of an operation that matches a request. */
export interface RouteClaim {
  /** See `shapeOf`. */
  readonly shape: string
  readonly scope: string
}

/** All products at one moment. A catalog never changes; a reload creates a new catalog. */
export interface Catalog {
  readonly products: ReadonlyMap<string, Product>
  readonly operations: ReadonlyMap<string, Operation>
  /** The KYC levels, lowest first; may be empty. */
  readonly kycLevels: readonly string[]
  /**
   * A counter that rises when an operation is removed from the products that all processes on a store share. Tokens
   * carry the epoch as `catalog_epoch`. The epoch is 0 if no operation was removed, or if the products are not shared.
   */
  readonly epoch: number
  /**
   * Finds the operation of a request, in time that does not grow with the number of operations. Undefined if
   * no operation matches, or if routers that ignore letter case find another operation than case-sensitive
   * routers. HEAD finds the operation of GET. `path` is canonical, below the address of the API.
   */
  findOperation(method: string, path: string): Operation | undefined
  /** All routes that any router would match to a request, also of withdrawn operations: their handlers still exist. */
  findClaims(method: string, path: string): readonly RouteClaim[]
}

export interface CurrentCatalog {
  readonly current: Catalog
}
