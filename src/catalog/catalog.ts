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
  /** Rises when an operation is removed from shared products; 0 until then. Tokens carry it as `catalog_epoch`. */
  readonly epoch: number
  /**
   * In time that does not grow with the number of operations. Undefined also if routers that ignore letter case find
   * another operation than others do. HEAD finds that of GET. `path` is canonical, below the address of the API.
   */
  findOperation(method: string, path: string): Operation | undefined
  /** All routes that any router would match to a request, also of withdrawn operations: their handlers still exist. */
  findClaims(method: string, path: string): readonly RouteClaim[]
}

export interface CurrentCatalog {
  readonly current: Catalog
}
