import { createCatalog } from '../../../src/catalog/create-catalog.ts'
import type { GatewayDependencies } from '../../../src/gateway/dependencies.ts'

/** The audience of the API of a bank. */
export const BANK = 'https://example.com/bank'

/** The routes of the bank, below the path of the API, and their scopes. */
export const ROUTES: Readonly<Record<string, string>> = {
  '/items': 'items:list',
  '/items/keys': 'items:keys',
  '/items/:id': 'items:read',
}

const catalog = createCatalog({
  items: {
    title: 'Items',
    operations: Object.fromEntries(
      Object.entries(ROUTES).map(([route, scope]) => [scope, { route: `GET ${route}`, title: scope }]),
    ),
  },
})

/** Makes the gateway of a test that of the bank. */
export const gatewayChanges: Partial<GatewayDependencies> = {
  audience: BANK,
  findScope: (method, path) => catalog.findOperation(method, path)?.scope,
  findClaims: (method, path) => catalog.findClaims(method, path),
}

/**
 * The scope of the route that runs at a path, in a router that distinguishes letter case and a trailing slash. It prefers
 * literal names, and a parameter may be empty.
 */
export function scopeAt(routes: Readonly<Record<string, string>>, path: string): string | undefined {
  const route = Object.keys(routes).find((each) =>
    new RegExp(`^/bank${each.replaceAll(/:\w+/g, '[^/]*')}$`).test(path),
  )
  return route === undefined ? undefined : routes[route]
}

/** Spellings of `/bank/items` and `/bank/items/keys`, with characters that some routers fold to ASCII. */
export const FOLDED = [
  '/ban%E2%84%AA/items',
  '/ban%E2%84%AA/items/keys',
  '/ban%EF%BD%8B/items',
  '/BAN%E2%84%AA/ITEMS',
  '/bank/item%C5%BF',
  '/bank/%C4%B1tems',
  '/bank/%C4%B0tems',
  '/bank/items/%E2%84%AAeys',
  '/bank/items/key%C5%BF',
  '/bank/items/%EF%BD%8Beys',
  '/bank/%EF%BD%89tems/keys',
  '/bank%EF%BC%8Fitems%EF%BC%8Fkeys',
  '/bank/items/%EF%BC%8E%EF%BC%8E/items/keys',
  '/x/%EF%BC%8E%EF%BC%8E/bank/items',
  '/x/..%2Fban%E2%84%AA/items',
]
