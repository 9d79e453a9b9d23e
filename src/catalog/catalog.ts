import type { HttpMethod, LocalizedText } from './definition.ts'

/** One API operation. The same operation may belong to several products. */
export interface Operation {
  /** The identity of the operation, and the value in a token (RFC 6749 3.3). */
  readonly scope: string
  readonly routes: readonly { readonly method: HttpMethod; readonly path: string }[]
  readonly title: LocalizedText
  readonly description?: LocalizedText | undefined
  readonly kycLevel?: string | undefined
}

/** A named set of operations. */
export interface Product {
  readonly id: string
  readonly title: LocalizedText
  readonly description?: LocalizedText | undefined
  readonly operations: readonly Operation[]
}

/** A match of a request with a route of an operation. */
export interface RouteClaim {
  /** The route without the names of its parameters (`shapeOf`). */
  readonly shape: string
  /** Scope of the operation. */
  readonly scope: string
}

/** All products at one moment. It never changes; a reload makes a new one. */
export interface Catalog {
  readonly products: ReadonlyMap<string, Product>
  /** By scope. */
  readonly operations: ReadonlyMap<string, Operation>
  /** Ordered, lowest first; may be empty. */
  readonly kycLevels: readonly string[]
  /**
   * Counts how often the products of all processes on a store lost an operation; signed into tokens as
   * `catalog_epoch`. 0 if no operation was lost, or if there is no count.
   */
  readonly epoch: number
  /**
   * The operation of a request, in time that does not grow with the number of operations. Undefined if no operation
   * matches, or if routers that fold more letters than others would run different operations.
   *
   * @param method upper case; HEAD finds the GET
   * @param path canonical path below {base_url}, starting with `/`
   */
  findOperation(method: string, path: string): Operation | undefined
  /**
   * All routes by which any router would match a request to an operation; none if no operation matches. Withdrawn
   * operations match too, since their handler still exists.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
}

/** The active catalog. */
export interface CurrentCatalog {
  readonly current: Catalog
}
