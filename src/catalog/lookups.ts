import type { RouteClaim } from './catalog.ts'
import type { LiveCatalog } from './live-catalog.ts'

/** The lookups of a gateway. Each lookup uses the catalog that is active at the time of the call. */
export function catalogLookups(catalog: Pick<LiveCatalog, 'current' | 'loaded'>) {
  return {
    /** The scope of the operation of a request; undefined if no operation matches. */
    findScope: (method: string, path: string) => catalog.current.findOperation(method, path)?.scope,
    /** All routes that any router would match to a request; none while there is no catalog yet. */
    findClaims: (method: string, path: string): readonly RouteClaim[] =>
      catalog.loaded ? catalog.current.findClaims(method, path) : [],
    /** Whether an operation has the scope; true for every scope while there is no catalog yet. */
    isKnownScope: (scope: string) => !catalog.loaded || catalog.current.operations.has(scope),
    /** All existing scopes; none while there is no catalog yet. */
    listScopes: () => (catalog.loaded ? [...catalog.current.operations.keys()] : []),
  }
}
