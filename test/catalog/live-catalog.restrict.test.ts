import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { restrictCatalog } from '../../src/catalog/live-catalog.ts'
import { directScopes } from '../../src/catalog/resolve-scopes.ts'

const operation = (route: string) => ({ route, title: route })
const catalog = createCatalog({
  invoices: {
    title: 'Invoices',
    operations: {
      list: operation('GET /invoices/list'),
      read: operation('GET /invoices/:id'),
      shared: operation('GET /shared'),
    },
  },
  payments: { title: 'Payments', operations: { shared: operation('GET /shared') } },
})

describe('a restricted catalog', () => {
  it('a restricted catalog has only the allowed operations, in the order of the full catalog', () => {
    const restricted = restrictCatalog(catalog, { invoices: ['shared', 'read', 'unknown'], other: ['x'] }, 3)
    expect(restricted.epoch).toBe(3)
    expect([...restricted.operations.keys()]).toEqual(['read', 'shared'])
    expect([...restricted.products.keys()]).toEqual(['invoices'])
    expect(restricted.products.get('invoices')).toMatchObject({
      title: 'Invoices',
      operations: { length: 2 },
    })
    expect(Object.isFrozen(restricted.products.get('invoices'))).toBe(true)
    expect(catalog.products.get('invoices')?.operations).toHaveLength(3)
  })

  it('an operation that one product loses stays available through another product', () => {
    const restricted = restrictCatalog(catalog, { invoices: ['list'], payments: ['shared'] }, 1)
    expect(directScopes(restricted, { products: ['payments'], removedOperations: [] })).toEqual(['shared'])
    expect(directScopes(restricted, { products: ['invoices'], removedOperations: [] })).toEqual(['list'])
    expect(restricted.findOperation('GET', '/shared')?.scope).toBe('shared')
  })

  it('a request to a route that is not allowed finds no operation, even if the path also fits another route', () => {
    const restricted = restrictCatalog(catalog, { invoices: ['read'] }, 1)
    expect(restricted.findOperation('GET', '/invoices/4')?.scope).toBe('read')
    expect(restricted.findOperation('HEAD', '/invoices/4')?.scope).toBe('read')
    expect(restricted.findOperation('GET', '/invoices/list')).toBeUndefined()
    // The host still has a handler at this path. The gateway must guard the path, so `findClaims()` still finds
    // the omitted operation.
    expect(restricted.findClaims('GET', '/invoices/list')).toHaveLength(1)
  })
})
