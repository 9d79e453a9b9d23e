import type { RouteClaim } from './catalog.ts'
import type { LiveCatalog } from './live-catalog.ts'

/** What a gateway asks the catalog in force. */
export interface CatalogLookups {
  /** The scope of the operation that a request is; undefined if no operation claims it. */
  findScope(method: string, path: string): string | undefined
  /** The routes by which any router would take a request for an operation; none while there is no catalog yet. */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /** Whether an operation has the scope; true for every scope while there is no catalog yet. */
  isKnownScope(scope: string): boolean
  /** All scopes there are; none while there is no catalog yet. */
  listScopes(): readonly string[]
}

/** Answers a gateway's questions from the catalog that is in force when it asks. */
export function catalogLookups(catalog: Pick<LiveCatalog, 'current' | 'loaded'>): CatalogLookups {
  return {
    findScope: (method, path) => catalog.current.findOperation(method, path)?.scope,
    findClaims: (method, path) => (catalog.loaded ? catalog.current.findClaims(method, path) : []),
    isKnownScope: (scope) => !catalog.loaded || catalog.current.operations.has(scope),
    listScopes: () => (catalog.loaded ? [...catalog.current.operations.keys()] : []),
  }
}
