import type { HttpMethod, LocalizedText } from './definition.ts'

/** One API operation. The same operation may belong to several products. */
export interface Operation {
  /** Its identity, and what a token carries (RFC 6749 3.3). */
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

/** That a route of an operation matches a request. */
export interface RouteClaim {
  /** The route but for the names of its parameters (`shapeOf`). */
  readonly shape: string
  /** Scope of the operation. */
  readonly scope: string
}

/** All products at one moment; never changes, a reload makes a new one. */
export interface Catalog {
  readonly products: ReadonlyMap<string, Product>
  /** By scope. */
  readonly operations: ReadonlyMap<string, Operation>
  /** Ordered, lowest first; may be empty. */
  readonly kycLevels: readonly string[]
  /**
   * Counts how often something was withdrawn from the products of all processes on a store; signed into tokens as
   * `catalog_epoch`. 0 where nothing was, or nobody counts.
   */
  readonly epoch: number
  /**
   * The operation that a request is, in time that does not grow with the number of operations; undefined where none
   * claims it, or routers that fold more letters than others would run different ones.
   *
   * @param method upper case; HEAD finds the GET
   * @param path canonical path below {base_url}, starting with `/`
   */
  findOperation(method: string, path: string): Operation | undefined
  /**
   * The routes by which any router would take a request for an operation: none where it is nobody's. Operations that
   * are withdrawn claim their requests too, since the handler is still there.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
}

/** The catalog that is in force now. */
export interface CurrentCatalog {
  readonly current: Catalog
}
