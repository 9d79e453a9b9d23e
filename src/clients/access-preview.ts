import type { Catalog, Operation } from '../catalog/catalog.ts'
import { hasRequiredKycLevel } from '../catalog/limit-by-kyc-level.ts'
import { limitToOwner } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import type { Client } from './client.ts'

/** Why a client may not call an operation. */
export type Missing = 'product' | 'operation' | 'kycLevel' | 'user' | 'enabled'

/**
 * Creates a function that lists what a client lacks to call an operation; an empty list if the client may call
 * it.
 *
 * - `product`: none of the products that have the operation is added
 * - `operation`: the operation was removed from the client
 * - `kycLevel`: the developer's KYC level is too low. Only applications need a level
 * - `user`: the user of the API key may not use the operation. Only API keys with a user are limited
 * - `enabled`: the client is disabled
 *
 * @param owner the account of the client, as the host finds it with the user of the client
 */
export function createMissingFor(
  catalog: Catalog,
  client: Client,
  owner: Pick<Account, 'kycLevel' | 'operations'> = {},
) {
  const isApplication = client.kind === 'application'
  const ofUser = new Set(isApplication ? [] : limitToOwner(client, owner, [...catalog.operations.keys()]))

  return function missingFor(operation: Operation): Missing[] {
    const { scope } = operation
    const hasProduct = client.products.some((id) =>
      catalog.products.get(id)?.operations.some((each) => each.scope === scope),
    )
    const missing: Record<Missing, boolean> = {
      product: !hasProduct,
      operation: client.removedOperations.includes(scope),
      kycLevel: isApplication && !hasRequiredKycLevel(catalog, owner.kycLevel, operation),
      user: !isApplication && !ofUser.has(scope),
      enabled: client.disabled,
    }
    return (Object.keys(missing) as Missing[]).filter((each) => missing[each])
  }
}
