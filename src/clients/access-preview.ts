import type { Catalog, Operation } from '../catalog/catalog.ts'
import { hasRequiredKycLevel, limitToOwner } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import type { Client } from './client.ts'
import { whyNoToken, type NoTokenReason } from './why-no-token.ts'

export type Missing = 'product' | 'operation' | 'kycLevel' | 'user' | 'token'

/**
 * Decides what a client may call. `missingFor` lists what it lacks to call an operation.
 *
 * - `product`: none of the products that have the operation is added
 * - `operation`: the operation was removed from the client
 * - `kycLevel`: the developer's KYC level is too low. Only applications need a level
 * - `user`: the user of the API key may not use the operation. Only API keys with a user are limited
 * - `token`: the client gets no token at all; see `whyNoToken`
 *
 * @param owner the result of `accounts.find` for the account and user of the client
 */
export function accessOf(catalog: Catalog, client: Client, owner: Account | undefined) {
  const noToken = whyNoToken(catalog, client, owner)
  const isApplication = client.kind === 'application'
  const ofUser = new Set(
    isApplication ? [] : limitToOwner(client, owner ?? {}, [...catalog.operations.keys()]),
  )

  function missingFor(operation: Operation): Missing[] {
    const { scope } = operation
    const hasProduct = client.products.some((id) =>
      catalog.products.get(id)?.operations.some((each) => each.scope === scope),
    )
    const missing: Record<Missing, boolean> = {
      product: !hasProduct,
      operation: client.removedOperations.includes(scope),
      kycLevel: isApplication && !hasRequiredKycLevel(catalog, owner?.kycLevel, operation),
      user: !isApplication && !ofUser.has(scope),
      token: noToken !== undefined && !OF_OPERATIONS.has(noToken),
    }
    return (Object.keys(missing) as Missing[]).filter((each) => missing[each])
  }

  return { noToken, missingFor }
}

/** If a client gets no token for one of these reasons, `missingFor` gives the reason of each operation, not `token`. */
const OF_OPERATIONS = new Set<NoTokenReason>(['no-product', 'no-operation', 'user-operations', 'kyc-level'])
