import type { Catalog, Operation } from './catalog.ts'

/**
 * Whether a developer's KYC level is sufficient for an operation, so that an application may request it.
 * Undefined or an unknown name counts as the lowest level.
 */
export function hasRequiredKycLevel(
  { kycLevels }: Pick<Catalog, 'kycLevels'>,
  kycLevel: string | undefined,
  operation: Operation,
): boolean {
  if (operation.kycLevel === undefined) return true
  const has = kycLevel === undefined ? 0 : Math.max(0, kycLevels.indexOf(kycLevel))
  const needs = kycLevels.indexOf(operation.kycLevel)
  // No account reaches a level that is not in `kycLevels`.
  return needs !== -1 && has >= needs
}
