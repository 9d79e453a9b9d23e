import type { RouteClaim } from './catalog.ts'
import type { LiveCatalog } from './live-catalog.ts'

/** The lookups of a gateway in the active catalog. */
export interface CatalogLookups {
  /** The scope of the operation of a request; undefined if no operation matches. */
  findScope(method: string, path: string): string | undefined
  /** All routes by which any router would match a request to an operation; none while there is no catalog yet. */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /** Whether an operation has the scope; true for every scope while there is no catalog yet. */
  isKnownScope(scope: string): boolean
  /** All existing scopes; none while there is no catalog yet. */
  listScopes(): readonly string[]
}

/** Looks up each request in the catalog that is active at that moment. */
export function catalogLookups(catalog: Pick<LiveCatalog, 'current' | 'loaded'>): CatalogLookups {
  return {
    findScope: (method, path) => catalog.current.findOperation(method, path)?.scope,
    findClaims: (method, path) => (catalog.loaded ? catalog.current.findClaims(method, path) : []),
    isKnownScope: (scope) => !catalog.loaded || catalog.current.operations.has(scope),
    listScopes: () => (catalog.loaded ? [...catalog.current.operations.keys()] : []),
  }
}
