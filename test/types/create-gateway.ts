// Only the compiler checks this file: `npx tsc`. A line below `@ts-expect-error` must not compile.
import type { ProductDefinitions, ProductSource } from '../../src/catalog/definition.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { CheckedProducts, ScopeOf } from '../../src/options/infer-scopes.ts'

/** `createGateway()` infers only scopes from its options, because its options contain no KYC levels. */
declare function createGateway<const Products extends ProductSource>(options: {
  readonly issuer: string
  readonly audience: string
  readonly products: Products & CheckedProducts<Products>
}): Gateway<ScopeOf<Products>>

const common = { issuer: 'https://example.com/auth', audience: 'https://example.com/api' }

export function scopesAreInferred(): Gateway {
  const gateway = createGateway({
    ...common,
    products: {
      a: {
        title: 'A',
        operations: { 'a:read': { route: 'GET /a', title: 'A', kycLevel: 'any' } },
      },
    },
  })
  gateway.requireScope('a:read')
  // @ts-expect-error a misspelt name
  gateway.requireScope('a:raed')
  void gateway.authenticate({ headers: {} }, { scope: ['a:read'] })
  // @ts-expect-error a misspelt name
  void gateway.authenticate({ headers: {} }, { scope: ['a:raed'] })
  // @ts-expect-error a misspelt name
  void gateway.authenticate({ headers: {} }, { scope: 'a:raed' })
  return gateway
}

export function mistakesDoNotCompile(): void {
  createGateway({
    ...common,
    products: {
      a: {
        title: 'A',
        operations: {
          'a:read': {
            // @ts-expect-error an unknown method
            route: 'FETCH /a',
            title: 'A',
          },
        },
      },
    },
  })
  createGateway({
    ...common,
    products: {
      a: {
        title: 'A',
        // @ts-expect-error a property that nothing reads
        operation: {},
        operations: {},
      },
    },
  })
}

export function productsFromADatabaseGiveString(load: () => Promise<ProductDefinitions>): void {
  createGateway({ ...common, products: load }).requireScope('any:scope')
}
