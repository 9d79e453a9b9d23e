import type { Catalog, Operation } from './catalog.ts'

/**
 * Whether a developer's KYC level is sufficient for an operation. An application may request an operation, and ask for
 * consent to it, only if this is true.
 *
 * @param kycLevel level of the developer's account; undefined or an unknown name is the lowest
 */
export function hasRequiredKycLevel(
  { kycLevels }: Pick<Catalog, 'kycLevels'>,
  kycLevel: string | undefined,
  operation: Operation,
): boolean {
  if (operation.kycLevel === undefined) return true
  const has = kycLevel === undefined ? 0 : Math.max(0, kycLevels.indexOf(kycLevel))
  const needs = kycLevels.indexOf(operation.kycLevel)
  // No account reaches an unknown level.
  return needs !== -1 && has >= needs
}
