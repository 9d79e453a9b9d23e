import { describe, expectTypeOf, it } from 'vitest'
import type { ApiKeys } from '../../src/clients/api-keys.ts'
import type { Applications } from '../../src/clients/applications.ts'
import type { ApiKey } from '../../src/clients/client.ts'

type Scope = 'invoices:read' | 'invoices:create'
type Product = 'invoices' | 'payments'
declare const apiKeys: ApiKeys<Scope, Product>
declare const applications: Applications<Scope, Product>

/** The compiler checks this function. It is never called. */
function calls() {
  const owner = { accountId: 'acme', name: 'Name' }
  return {
    created: apiKeys.create({ ...owner, products: ['invoices'], removedOperations: ['invoices:create'] }),
    imported: apiKeys.create({ ...owner, clientId: 'old', secretHash: 'sha256:…' }),
    // @ts-expect-error a product that does not exist
    misspeltProduct: applications.create({ ...owner, products: ['invoice'] }),
    // @ts-expect-error an operation that does not exist
    misspeltOperation: apiKeys.removeOperation('key', 'invoices:lst'),
    // @ts-expect-error a product is not an operation
    misplaced: applications.restoreOperation('app', 'invoices'),
    // @ts-expect-error only applications have redirect URIs
    redirectUris: apiKeys.create({ ...owner, redirectUris: [] }),
    // @ts-expect-error every client has an owner
    withoutOwner: apiKeys.create({ name: 'Name' }),
    // @ts-expect-error a misspelt option
    misspeltOption: applications.disable('app', { acter: 'ann' }),
  }
}
type Calls = ReturnType<typeof calls>

describe('the types of the services', () => {
  it('the type of the result of create() shows whether the result has a secret', () => {
    expectTypeOf<Awaited<Calls['created']>>().toEqualTypeOf<{ apiKey: ApiKey; clientSecret: string }>()
    expectTypeOf<Awaited<Calls['imported']>>().toEqualTypeOf<{ apiKey: ApiKey; clientSecret: undefined }>()
  })

  it('services with concrete scopes are assignable to services with general scopes, and vice versa', () => {
    expectTypeOf<ApiKeys<Scope, Product>>().toExtend<ApiKeys>()
    expectTypeOf<Applications<Scope, Product>>().toExtend<Applications>()
    expectTypeOf<ApiKeys>().toExtend<ApiKeys<Scope, Product>>()
    expectTypeOf<Applications>().toExtend<Applications<Scope, Product>>()
  })
})
