import type { Catalog, Operation } from '../catalog/catalog.ts'
import { hasRequiredKycLevel } from '../catalog/limit-by-kyc-level.ts'
import type { Client } from './client.ts'

/** Why a client may not call an operation. */
export type Missing = 'product' | 'operation' | 'kycLevel' | 'enabled'

/**
 * What a client lacks to call an operation; empty if it may call the operation.
 *
 * - `product`: none of the products that have the operation is added
 * - `operation`: the operation was removed from the client
 * - `kycLevel`: the developer's KYC level is too low. Only applications need a level
 * - `enabled`: the client is disabled
 *
 * @param kycLevel level of the developer's account
 */
export function missingFor(
  catalog: Catalog,
  client: Client,
  kycLevel: string | undefined,
  operation: Operation,
): Missing[] {
  const hasProduct = client.products.some((id) =>
    catalog.products.get(id)?.operations.some(({ scope }) => scope === operation.scope),
  )
  const missing: Record<Missing, boolean> = {
    product: !hasProduct,
    operation: client.removedOperations.includes(operation.scope),
    kycLevel: client.kind === 'application' && !hasRequiredKycLevel(catalog, kycLevel, operation),
    enabled: client.disabled,
  }
  return (Object.keys(missing) as Missing[]).filter((each) => missing[each])
}
